#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/query_tile_internal.h"

namespace heed::engine {
namespace {

template <typename T>
constexpr T kMasked = -std::numeric_limits<T>::infinity();

}  // namespace

template <typename T>
QueryTile<T>::QueryTile(const Problem<T>& p, int64_t sequence, int64_t head, int64_t first,
                        int64_t rows)
    : problem_(p),
      sequence_(sequence),
      head_(head),
      first_(first),
      rows_(rows),
      offset_(p.offsets[sequence]) {
  const int64_t keys = p.key_rows.length(sequence);
  low_ = lowest_to_ = std::numeric_limits<int64_t>::max();
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t position = first + i + offset_;
    int64_t from = 0;
    int64_t to = keys;
    if (!p.key_limits.empty()) {
      const int64_t at = p.limits_per_query ? first_row() + i : sequence;
      to = std::min(to, p.key_limits[at]);
    }
    if (p.is_causal) to = std::min(to, position + 1);
    if (p.left != Mask::kUnlimited) from = std::max(from, position - p.left);
    if (p.right != Mask::kUnlimited) to = std::min(to, position + p.right + 1);
    to = std::max<int64_t>(to, 0);
    from = std::min(from, to);
    const auto at = static_cast<size_t>(i);
    from_[at] = from;
    to_[at] = to;
    highest_from_ = std::max(highest_from_, from);
    lowest_to_ = std::min(lowest_to_, to);
    if (from < to) {
      low_ = std::min(low_, from);
      high_ = std::max(high_, to);
    }
  }
  if (high_ == 0) low_ = 0;
  if (p.dropout.probability > 0) {
    const uint64_t site = mix_bits(p.dropout.site ^ mix_bits(static_cast<uint64_t>(head)));
    for (int64_t i = 0; i < rows; ++i) {
      dropout_keys_[i] = random_key({.seed = p.dropout.seed,
                                     .step = p.dropout.step,
                                     .site = site,
                                     .sequence = p.query_rows.id(sequence),
                                     .position = static_cast<uint64_t>(first + i + offset_)});
    }
  }
}

template <typename T>
bool QueryTile<T>::sees(int64_t block) const {
  const Problem<T>& p = problem_;
  if (block < first_block() || block >= end_block()) return false;
  if (!p.allowed.defined() && !p.bias.defined()) return true;
  for (int64_t i = 0; i < rows_; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t from = std::max(from_[at], block * kBlock);
    const int64_t to = std::min(to_[at], (block + 1) * kBlock);
    for (int64_t j = from; j < to; ++j) {
      const int64_t t = first_ + i;
      const bool hidden =
          (p.allowed.defined() && p.allowed.row(sequence_, head_, t)[j * p.allowed.step()] == 0) ||
          (p.bias.defined() && p.bias.row(sequence_, head_, t)[j * p.bias.step()] == kMasked<T>);
      if (!hidden) return true;
    }
  }
  return false;
}

template <typename T>
void QueryTile<T>::scores(const ScoreTile<T>& tile, int64_t block, T* s, T* raw) const {
  const Problem<T>& p = problem_;
  const int64_t width = padded_columns(tile.columns);
  p.score->forward(tile, s);
  if (p.softcap > 0) soft_cap(rows_, width, p.softcap, s);
  if (raw != nullptr) std::copy(s, s + rows_ * kBlock, raw);
  if (p.exponential) exponential(rows_, width, s);
  add_bias(block, tile.columns, s);
  apply_mask(block, tile.columns, s);
  for (int64_t i = 0; i < rows_ && tile.columns < width; ++i) {
    std::fill(s + i * kBlock + tile.columns, s + i * kBlock + width, kMasked<T>);
  }
}

template <typename T>
void QueryTile<T>::add_bias(int64_t block, int64_t columns, T* s) const {
  const Problem<T>& p = problem_;
  const int64_t first_key = block * kBlock;
  if (p.bias.defined()) {
    for (int64_t i = 0; i < rows_; ++i) {
      const T* bias = p.bias.row(sequence_, head_, first_ + i) + first_key * p.bias.step();
      T* row = s + i * kBlock;
      for (int64_t j = 0; j < columns; ++j) {
        const T b = bias[j * p.bias.step()];
        row[j] = b == kMasked<T> ? kMasked<T> : row[j] + b;  // also where the score is NaN
      }
    }
  }
  if (!p.slopes.empty()) {
    const T slope = p.slopes[head_];
    for (int64_t i = 0; i < rows_; ++i) {
      const int64_t position = first_ + i + offset_;
      for (int64_t j = 0; j < columns; ++j) {
        s[i * kBlock + j] -= slope * static_cast<T>(std::abs(position - first_key - j));
      }
    }
  }
}

template <typename T>
void QueryTile<T>::apply_mask(int64_t block, int64_t columns, T* s) const {
  const Problem<T>& p = problem_;
  const int64_t first_key = block * kBlock;
  const bool inside = highest_from_ <= first_key && lowest_to_ >= first_key + columns;
  if (inside && !p.excludes_self && !p.allowed.defined()) return;
  for (int64_t i = 0; i < rows_; ++i) {
    T* row = s + i * kBlock;
    const auto at = static_cast<size_t>(i);
    const int64_t from = std::clamp<int64_t>(from_[at] - first_key, 0, columns);
    const int64_t to = std::clamp<int64_t>(to_[at] - first_key, from, columns);
    std::fill(row, row + from, kMasked<T>);
    std::fill(row + to, row + columns, kMasked<T>);
    const int64_t self = first_ + i + offset_ - first_key;
    if (p.excludes_self && self >= 0 && self < columns) row[self] = kMasked<T>;
    if (!p.allowed.defined()) continue;
    const uint8_t* allowed =
        p.allowed.row(sequence_, head_, first_ + i) + first_key * p.allowed.step();
    for (int64_t j = from; j < to; ++j) {
      if (allowed[j * p.allowed.step()] == 0) row[j] = kMasked<T>;
    }
  }
}

template <typename T>
void QueryTile<T>::drop_weights(int64_t block, int64_t columns, T* w) const {
  const double probability = problem_.dropout.probability;
  const auto threshold = static_cast<uint32_t>(probability * 0x1p32);
  drop(rows_, columns, dropout_keys_.data(), static_cast<uint32_t>(block * kBlock), threshold,
       static_cast<T>(1 / (1 - probability)), w);
}

template class QueryTile<float>;
template class QueryTile<double>;

}  // namespace heed::engine

// Forward: a task owns up to 64 queries of one head and walks over the blocks of keys.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/attention/engine_internal.h"
#include "heed/attention/query_tile_internal.h"
#include "heed/base/divide_up.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/kernels/tile_gemm.h"

namespace heed::engine {
namespace {

constexpr double kForwardFlopsPerNanosecond = 80;
constexpr double kBytesPerNanosecond = 20;
constexpr double kNanosecondsPerTile = 500;  // at least, however few the keys

// The memory of one task; a single query of usual width needs none from the pool.
template <typename T>
struct Scratch {
  alignas(64) std::array<T, 512> few;
  Tensor memory;
  T *queries, *scores, *output, *lanes;

  Scratch(int64_t rows, int64_t width, int64_t value_width, bool in_lanes) {
    const int64_t size = rows * (width + kBlock + value_width + (in_lanes ? kLaneState : 0));
    if (size > static_cast<int64_t>(few.size())) memory = Tensor::empty({size}, dtype_of<T>());
    scores = memory.defined() ? memory.data<T>() : few.data();
    queries = scores + rows * kBlock;
    output = queries + rows * width;
    lanes = output + rows * value_width;
    std::fill_n(output, rows * value_width, T{0});
    if (in_lanes) softmax_lanes_begin(rows, lanes);
  }
};

// Running state of the rows of a tile.
template <typename T>
struct RowState {
  std::array<T, kTileRows> max, sum;
  std::array<int64_t, kTileRows> index;
  std::array<bool, kTileRows> sees_keys;  // kept by `sum` and `none`

  explicit RowState(int64_t rows) {
    std::fill_n(max.begin(), rows, -std::numeric_limits<T>::infinity());
    std::fill_n(sum.begin(), rows, T{0});
    std::fill_n(index.begin(), rows, -1);
    std::fill_n(sees_keys.begin(), rows, false);
  }
};

// Weights under `sum` and `none` are the scores themselves; masked ones become 0.
template <typename T>
void plain_step(const Problem<T>& p, int64_t rows, int64_t columns, T* s, RowState<T>& state) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    T total = 0;
    bool& sees_keys = state.sees_keys[i];
    for (int64_t j = 0; j < columns; ++j) {
      const bool masked = s[j] == -std::numeric_limits<T>::infinity();
      if (masked) s[j] = 0;
      sees_keys = sees_keys || !masked;
      if (s[j] < 0 && p.normalizer == Normalizer::sum && !p.allow_negative) {
        fail(
            "attention: a weight is negative ({}); `sum` needs weights of 0 or more, or "
            "allow_negative",
            s[j]);
      }
      total += s[j];
    }
    state.sum[i] += total;
  }
}

template <typename T>
void one_hot_step(int64_t rows, int64_t columns, int64_t first_key, const T* s,
                  RowState<T>& state) {
  for (int64_t i = 0; i < rows; ++i, s += kBlock) {
    const auto at = static_cast<size_t>(i);
    for (int64_t j = 0; j < columns; ++j) {
      // A NaN counts as the largest: no key can be chosen.
      if (s[j] > state.max[at] || (std::isnan(s[j]) && !std::isnan(state.max[at]))) {
        state.max[at] = s[j];
        state.index[at] = first_key + j;
      }
    }
  }
}

template <typename T>
class ForwardTile {
 public:
  ForwardTile(const Problem<T>& problem, const BlockTable<T>& blocks, int64_t sequence,
              int64_t head, int64_t first, int64_t rows)
      : p_(problem),
        blocks_(blocks),
        sequence_(sequence),
        head_(head),
        tile_(problem, sequence, head, first, rows),
        value_width_(problem.value_width),
        in_lanes_(value_width_ == 1 && problem.normalizer == Normalizer::softmax &&
                  problem.dropout.probability == 0),
        scratch_(rows, problem.width, value_width_, in_lanes_),
        state_(rows) {
    pack_rows(p_.q.at(tile_.first_row(), head), p_.q.row_stride, rows, p_.width,
              p_.score->query_scale(), rows, scratch_.queries);
  }

  void run() {
    for (int64_t j = tile_.first_block(); j < tile_.end_block(); ++j) {
      if (tile_.sees(j)) step(j);
    }
    if (in_lanes_) {
      softmax_lanes_end(tile_.rows(), scratch_.lanes, state_.max.data(), state_.sum.data(),
                        scratch_.output);
    }
  }

  // Writes rows and statistics; returns how many rows under `sum` had keys but no weight.
  int64_t finish(const ForwardResult<T>& result) {
    int64_t empty = 0;
    for (int64_t i = 0; i < tile_.rows(); ++i) {
      const auto at = static_cast<size_t>(i);
      const int64_t row = tile_.first_row() + i;
      T& sum = state_.sum[at];
      // 1 / sum would overflow; weights so small have lost their digits anyway.
      if (p_.normalizer == Normalizer::sum && std::abs(sum) < std::numeric_limits<T>::min())
        sum = 0;
      if (result.max != nullptr) result.max[row * p_.heads + head_] = state_.max[at];
      if (result.sum != nullptr) result.sum[row * p_.heads + head_] = sum;
      if (result.index != nullptr) result.index[row * p_.heads + head_] = state_.index[at];
      if (p_.normalizer == Normalizer::sum && sum == 0 && state_.sees_keys[at]) ++empty;
      if (result.output.data != nullptr) write_row(i, result.output.at(row, head_));
    }
    return empty;
  }

 private:
  void step(int64_t block_index) {
    const int64_t rows = tile_.rows();
    const int64_t columns = tile_.columns(block_index);
    const int64_t padded = padded_columns(columns);
    const KeyBlock<T>& block = key_block(block_index);
    T* s = scratch_.scores;
    tile_.scores({.rows = rows,
                  .columns = columns,
                  .width = p_.width,
                  .queries = scratch_.queries,
                  .keys = block.keys,
                  .key_stride = block.stride,
                  .ahead = block.values,
                  .ahead_size = columns * value_width_},
                 block_index, s);
    const bool dropout = p_.dropout.probability > 0;
    switch (p_.normalizer) {
      case Normalizer::softmax:
        if (in_lanes_) {
          return softmax_lanes_step(rows, padded, s, block.values, block.finite_values,
                                    scratch_.lanes);
        }
        softmax_step(rows, padded, s, state_.max.data(), state_.sum.data(), scratch_.output,
                     value_width_);
        break;
      case Normalizer::sum:
      case Normalizer::none: plain_step(p_, rows, padded, s, state_); break;
      case Normalizer::one_hot: return one_hot_step(rows, columns, block_index * kBlock, s, state_);
    }
    if (value_width_ == 0) return;
    if (dropout) tile_.drop_weights(block_index, padded, s);
    if (value_width_ == 1) {
      return add_scalar_values(rows, padded, s, block.values, block.finite_values, scratch_.output);
    }
    const bool goes_on = tile_.columns(block_index + 1) == kBlock;
    kernels::tile_gemm<T>({.rows = rows,
                           .columns = value_width_,
                           .depth = columns,
                           .a = {s, kBlock},
                           .b = block.values,
                           .b_stride = value_width_,
                           .c = scratch_.output,
                           .c_stride = value_width_,
                           .accumulate = true,
                           .skip_zeros = !block.finite_values,
                           .ahead = goes_on ? key_block(block_index + 1).keys : nullptr,
                           .ahead_size = goes_on ? kBlock * p_.width : 0});
  }

  const KeyBlock<T>& key_block(int64_t index) const {
    return blocks_.block(sequence_, head_ / p_.group(), index);
  }

  void write_row(int64_t i, T* to) const {
    const auto at = static_cast<size_t>(i);
    const T* from = scratch_.output + i * value_width_;
    if (p_.normalizer == Normalizer::one_hot) {
      const int64_t key = state_.index[at];
      if (std::isnan(state_.max[at])) {
        std::fill_n(to, value_width_, state_.max[at]);
        return;
      }
      if (key >= 0) {
        from = key_block(key / kBlock).values + key % kBlock * value_width_;
      }
      std::copy_n(from, value_width_, to);  // without a key: the zeros of the start
    } else if (p_.normalizer == Normalizer::none) {
      std::copy_n(from, value_width_, to);
    } else {
      const T sum = state_.sum[at];
      for (int64_t j = 0; j < value_width_; ++j) to[j] = sum == 0 ? T{0} : from[j] / sum;
    }
  }

  const Problem<T>& p_;
  const BlockTable<T>& blocks_;
  int64_t sequence_, head_;
  QueryTile<T> tile_;
  int64_t value_width_;
  bool in_lanes_;  // softmax of scalar values
  Scratch<T> scratch_;
  RowState<T> state_;
};

// Runs the tiles of `ranges`, each cut into tiles at multiples of kTileRows from its first row.
template <typename T>
void run_ranges(const Problem<T>& p, const BlockTable<T>& blocks,
                const std::vector<RowRange>& ranges, ForwardResult<T>& result) {
  std::vector<RowRange> tiles;
  double keys = 0, pairs = 0;
  for (const RowRange& range : ranges) {
    const auto length = static_cast<double>(p.key_rows.length(range.sequence));
    keys += length;
    pairs += static_cast<double>(range.rows) * length;
    // The last tiles first: under a causal mask they take the longest.
    for (int64_t tile = divide_up(range.rows, kTileRows); tile-- > 0;) {
      const int64_t first = tile * kTileRows;
      tiles.push_back({range.sequence, range.head, range.first + first,
                       std::min(kTileRows, range.rows - first)});
    }
  }
  const auto numbers = static_cast<double>(p.width + p.value_width);  // of a key and its value
  const double nanoseconds = std::max({2 * pairs * numbers / kForwardFlopsPerNanosecond,
                                       keys * numbers * sizeof(T) / kBytesPerNanosecond,
                                       static_cast<double>(tiles.size()) * kNanosecondsPerTile});
  std::atomic<int64_t> empty{0};
  parallel_for(static_cast<int64_t>(tiles.size()), nanoseconds, [&](int64_t i) {
    const RowRange& at = tiles[i];
    ForwardTile<T> tile(p, blocks, at.sequence, at.head, at.first, at.rows);
    tile.run();
    empty += tile.finish(result);
  });
  result.empty_rows = empty;
}

}  // namespace

template <typename T>
void attention_forward(const Problem<T>& p, const BlockTable<T>& blocks, ForwardResult<T>& result) {
  std::vector<RowRange> ranges;
  for (int64_t b = 0; b < p.query_rows.count(); ++b) {
    for (int64_t head = 0; head < p.heads; ++head) {
      ranges.push_back({b, head, 0, p.query_rows.length(b)});
    }
  }
  run_ranges(p, blocks, ranges, result);
}

template <typename T>
void attention_forward_rows(const Problem<T>& p, const BlockTable<T>& blocks,
                            const std::vector<RowRange>& ranges, ForwardResult<T>& result) {
  run_ranges(p, blocks, ranges, result);
}

template void attention_forward<float>(const Problem<float>&, const BlockTable<float>&,
                                       ForwardResult<float>&);
template void attention_forward<double>(const Problem<double>&, const BlockTable<double>&,
                                        ForwardResult<double>&);
template void attention_forward_rows<float>(const Problem<float>&, const BlockTable<float>&,
                                            const std::vector<RowRange>&, ForwardResult<float>&);
template void attention_forward_rows<double>(const Problem<double>&, const BlockTable<double>&,
                                             const std::vector<RowRange>&, ForwardResult<double>&);

}  // namespace heed::engine

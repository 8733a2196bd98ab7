#include <algorithm>

#include "heed/attention/blocks_internal.h"
#include "heed/base/parallel.h"
#include "heed/kernels/pack.h"

namespace heed::engine {

template <typename T>
void pack_transposed(const T* rows, int64_t row_stride, int64_t count, int64_t width, T* to,
                     int64_t stride) {
  kernels::pack_block<T>({rows, 1, row_stride}, width, count, to, stride, stride);
}

template <typename T>
bool pack_rows(const T* rows, int64_t row_stride, int64_t count, int64_t width, T scale,
               int64_t padded, T* to) {
  const bool finite = kernels::copy_scaled(rows, row_stride, count, width, scale, to);
  std::fill(to + count * width, to + padded * width, T{0});
  return finite;
}

namespace {

// The numbers of a position: its key and, if there are values, its value.
template <typename T>
int64_t position_size(const Problem<T>& p) {
  return p.width + (p.v.data != nullptr ? p.value_width : 0);
}

template <typename T>
void pack_block_at(const Problem<T>& p, const BlockPlace& place, T* to, KeyBlock<T>& block) {
  const int64_t count = keys_of_block(p.key_rows.length(place.sequence), place.index);
  const int64_t row = p.key_rows.begin(place.sequence) + place.index * kBlock;
  block.stride = padded_columns(count);
  pack_transposed(p.k.at(row, place.head), p.k.row_stride, count, p.width, to, block.stride);
  block.keys = to;
  if (p.v.data == nullptr) return;
  T* values = to + p.width * block.stride;
  block.finite_values = pack_rows(p.v.at(row, place.head), p.v.row_stride, count, p.value_width,
                                  T{1}, block.stride, values);
  block.values = values;
}

// Appends the blocks of one sequence and head; `size` counts the memory they need.
template <typename T>
void add_places(const Problem<T>& p, int64_t sequence, int64_t head,
                std::vector<BlockPlace>& places, int64_t& size) {
  const int64_t keys = p.key_rows.length(sequence);
  for (int64_t index = 0; index < block_count(keys); ++index) {
    places.push_back({sequence, head, index, size});
    size += padded_columns(keys_of_block(keys, index)) * position_size(p);
  }
}

}  // namespace

template <typename T>
void BlockTable<T>::fill(const Problem<T>& p, const std::vector<BlockPlace>& places, int64_t size) {
  blocks_.resize(places.size());
  memory_ = Tensor::empty({size}, dtype_of<T>());
  T* memory = memory_.template data<T>();
  parallel_for(static_cast<int64_t>(places.size()), static_cast<double>(size), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    pack_block_at(p, places[at], memory + places[at].offset, blocks_[at]);
  });
}

template <typename T>
BlockTable<T> BlockTable<T>::pack(const Problem<T>& p) {
  BlockTable table;
  std::vector<BlockPlace> places;
  int64_t size = 0;
  for (int64_t b = 0; b < p.key_rows.count(); ++b) {
    table.first_.push_back(static_cast<int64_t>(places.size()));
    table.counts_.push_back(block_count(p.key_rows.length(b)));
    for (int64_t head = 0; head < p.kv_heads; ++head) add_places(p, b, head, places, size);
  }
  table.fill(p, places, size);
  return table;
}

template <typename T>
BlockTable<T> BlockTable<T>::pack_one(const Problem<T>& p, int64_t sequence, int64_t kv_head) {
  BlockTable table;
  // Reads as if this were the only head: block(sequence, kv_head, index) lands on `index`.
  table.first_.assign(static_cast<size_t>(p.key_rows.count()), 0);
  table.counts_.assign(static_cast<size_t>(p.key_rows.count()), 0);
  std::vector<BlockPlace> places;
  int64_t size = 0;
  add_places(p, sequence, kv_head, places, size);
  table.fill(p, places, size);
  return table;
}

template <typename T>
void BlockTable<T>::add_sequence(const std::vector<KeyBlock<T>>& blocks, int64_t kv_heads) {
  first_.push_back(static_cast<int64_t>(blocks_.size()));
  counts_.push_back(static_cast<int64_t>(blocks.size()) / kv_heads);
  blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
}

template class BlockTable<float>;
template class BlockTable<double>;
template void pack_transposed<float>(const float*, int64_t, int64_t, int64_t, float*, int64_t);
template void pack_transposed<double>(const double*, int64_t, int64_t, int64_t, double*, int64_t);
template bool pack_rows<float>(const float*, int64_t, int64_t, int64_t, float, int64_t, float*);
template bool pack_rows<double>(const double*, int64_t, int64_t, int64_t, double, int64_t, double*);

}  // namespace heed::engine

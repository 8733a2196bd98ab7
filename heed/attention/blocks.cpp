#include <algorithm>

#include "heed/attention/blocks_internal.h"
#include "heed/base/parallel.h"
#include "heed/kernels/pack.h"

namespace heed::engine {

template <typename T>
void pack_transposed_block(const T* rows, int64_t row_stride, int64_t count, int64_t width, T* to) {
  kernels::pack_block<T>({rows, 1, row_stride}, width, count, to, kBlock, kBlock);
}

template <typename T>
bool pack_rows(const T* rows, int64_t row_stride, int64_t count, int64_t width, T scale,
               int64_t padded, T* to) {
  bool finite = true;
  for (int64_t i = 0; i < count; ++i) {
    finite = kernels::copy_scaled(rows + i * row_stride, width, scale, to + i * width) && finite;
  }
  std::fill(to + count * width, to + padded * width, T{0});
  return finite;
}

namespace {

template <typename T>
void pack_values_block(const Problem<T>& p, int64_t b, int64_t head, int64_t index, T* to,
                       KeyBlock<T>& block) {
  const int64_t first = index * kBlock;
  const int64_t count = std::min(kBlock, p.key_rows.length(b) - first);
  const int64_t row = p.key_rows.begin(b) + first;
  pack_transposed_block(p.k.at(row, head), p.k.row_stride, count, p.width, to);
  block.keys = to;
  if (p.v.data == nullptr) return;
  T* values = to + p.width * kBlock;
  block.finite_values =
      pack_rows(p.v.at(row, head), p.v.row_stride, count, p.value_width, T{1}, kBlock, values);
  block.values = values;
}

}  // namespace

template <typename T>
BlockTable<T> BlockTable<T>::pack(const Problem<T>& p) {
  BlockTable table;
  struct Place {
    int64_t sequence, head, index;
  };
  std::vector<Place> places;
  for (int64_t b = 0; b < p.key_rows.count(); ++b) {
    const int64_t count = block_count(p.key_rows.length(b));
    table.first_.push_back(static_cast<int64_t>(places.size()));
    table.counts_.push_back(count);
    for (int64_t head = 0; head < p.kv_heads; ++head) {
      for (int64_t index = 0; index < count; ++index) places.push_back({b, head, index});
    }
  }
  const int64_t size = kBlock * (p.width + (p.v.data != nullptr ? p.value_width : 0));
  const auto count = static_cast<int64_t>(places.size());
  table.blocks_.resize(places.size());
  table.memory_ = Tensor::empty({count, size}, dtype_of<T>());
  T* memory = table.memory_.template data<T>();
  parallel_for(count, static_cast<double>(count * size), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    pack_values_block(p, places[at].sequence, places[at].head, places[at].index, memory + i * size,
                      table.blocks_[at]);
  });
  return table;
}

template <typename T>
BlockTable<T> BlockTable<T>::pack_one(const Problem<T>& p, int64_t sequence, int64_t kv_head) {
  BlockTable table;
  const int64_t count = block_count(p.key_rows.length(sequence));
  const int64_t size = kBlock * (p.width + (p.v.data != nullptr ? p.value_width : 0));
  // Reads as if this were the only head: block(sequence, kv_head, index) lands on `index`.
  table.first_.assign(static_cast<size_t>(p.key_rows.count()), 0);
  table.counts_.assign(static_cast<size_t>(p.key_rows.count()), 0);
  table.blocks_.resize(static_cast<size_t>(count));
  table.memory_ = Tensor::empty({count, size}, dtype_of<T>());
  T* memory = table.memory_.template data<T>();
  parallel_for(count, static_cast<double>(count * size), [&](int64_t i) {
    pack_values_block(p, sequence, kv_head, i, memory + i * size,
                      table.blocks_[static_cast<size_t>(i)]);
  });
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
template void pack_transposed_block<float>(const float*, int64_t, int64_t, int64_t, float*);
template void pack_transposed_block<double>(const double*, int64_t, int64_t, int64_t, double*);
template bool pack_rows<float>(const float*, int64_t, int64_t, int64_t, float, int64_t, float*);
template bool pack_rows<double>(const double*, int64_t, int64_t, int64_t, double, int64_t, double*);

}  // namespace heed::engine

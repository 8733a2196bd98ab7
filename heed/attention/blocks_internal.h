// Keys and values as the engine reads them: a table of blocks of 128 positions per sequence and
// key/value head. Training packs them; a cache keeps them in this form.
#pragma once

#include <algorithm>
#include <vector>

#include "heed/attention/problem_internal.h"
#include "heed/base/divide_up.h"

namespace heed::engine {

template <typename T>
struct KeyBlock {
  const T* keys = nullptr;    // [D, stride]; past the end 0, up to padded_columns, then anything
  const T* values = nullptr;  // [stride, Dv]; likewise
  bool finite_values = true;  // no infinity or NaN: the fast product may multiply them by 0
  int64_t stride = kBlock;    // less in a block that is not full and will not grow
};

// Where the keys of a block come from, and where in a table's memory it lies.
struct BlockPlace {
  int64_t sequence, head, index;
  int64_t offset;
};

template <typename T>
class BlockTable {
 public:
  const KeyBlock<T>& block(int64_t sequence, int64_t kv_head, int64_t index) const {
    return blocks_[first_[sequence] + kv_head * counts_[sequence] + index];
  }

  // Copies the keys and values of a problem; without values if v.data is null.
  static BlockTable pack(const Problem<T>& problem);
  // The same for one sequence and key/value head only.
  static BlockTable pack_one(const Problem<T>& problem, int64_t sequence, int64_t kv_head);

  // Blocks that lie elsewhere, for the sequences one after the other: `blocks` of the next sequence
  // are those of its first head, then of the second and so on.
  void add_sequence(const std::vector<KeyBlock<T>>& blocks, int64_t kv_heads);

 private:
  void fill(const Problem<T>& problem, const std::vector<BlockPlace>& places, int64_t size);

  std::vector<KeyBlock<T>> blocks_;
  std::vector<int64_t> first_, counts_;  // per sequence
  Tensor memory_;
};

inline int64_t block_count(int64_t keys) { return divide_up(keys, kBlock); }

// How many of `keys` keys lie in a block.
inline int64_t keys_of_block(int64_t keys, int64_t block) {
  return std::min(kBlock, keys - block * kBlock);
}

// rows [count, width] (row_stride apart) to [width, stride], the rest of each row 0.
template <typename T>
void pack_transposed(const T* rows, int64_t row_stride, int64_t count, int64_t width, T* to,
                     int64_t stride);

// rows [count, width] times scale to [padded, width], further rows 0. Returns whether all are
// finite.
template <typename T>
bool pack_rows(const T* rows, int64_t row_stride, int64_t count, int64_t width, T scale,
               int64_t padded, T* to);

}  // namespace heed::engine

// What a KeyValueCache holds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/attention/blocks_internal.h"
#include "heed/attention/cache_shape.h"

namespace heed::engine {

// 128 positions of all key/value heads: per head keys [D, kBlock], then values [kBlock, Dv]. Behind
// the positions that hold something are zeros, as far as the engine may read: up to
// padded_columns(written). What lies behind them was never touched, or is stale.
struct CacheBlock {
  Tensor memory;                       // [K, kBlock (D + Dv)]
  std::vector<uint8_t> finite_values;  // [K]
  int64_t users = 0;                   // sequences that hold it; 0: free
  int64_t written = 0;                 // positions that hold something
};

struct CachedSequence {
  bool is_live = false;
  int64_t length = 0;
  int64_t dropped = 0;          // the first blocks are gone
  std::vector<int64_t> blocks;  // indices into CacheState::blocks; those of dropped ones are stale
};

struct CacheState {
  CacheShape shape;
  Tensor w_k;         // [h, D] of an additive score; undefined otherwise
  int64_t width = 0;  // of the keys as they are stored: D or h
  std::vector<CacheBlock> blocks;
  std::vector<int64_t> free_blocks;
  std::vector<CachedSequence> sequences;
  std::vector<int64_t> free_slots;

  // Raises an Error that names `where` unless the slot is live.
  const CachedSequence& at(int64_t slot, const char* where) const;
  CachedSequence& at(int64_t slot, const char* where);
  int64_t head_size() const { return kBlock * (width + shape.value_width); }
};

inline CacheBlock& block_at(CacheState& state, int64_t index) { return state.blocks[index]; }

// One sequence less holds the block; the last one gives it back.
void release_block(CacheState& state, int64_t index);

// Adds rows of k [N, K, width] and v [N, K, Dv], which are checked and lowered, to live slots.
void append_rows(CacheState& state, const Tensor& k, const Tensor& v, const Rows& rows,
                 std::span<const int64_t> slots);

// After a sequence became shorter: zeros behind its end in its last block.
void clear_end(CacheState& state, CachedSequence& sequence);

}  // namespace heed::engine

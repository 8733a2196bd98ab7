// The keys and values of one attention layer, kept while sequences grow one token after the other.
//
//   KeyValueCache cache({.kv_heads = 2, .key_width = 64, .value_width = 64});
//   const std::vector<int64_t> slots = {cache.add_sequence(), cache.add_sequence()};
//   cache.append(k, v, rows, slots);                  // the prompts: several rows each
//   Tensor y = attention(q, cache, rows, slots, {.mask = Mask::causal()});
//   ...
//   cache.append(k, v, one_each, slots);              // then one row each
//   y = attention(q, cache, one_each, slots, {.mask = Mask::causal()});
//
// The output is that of attention() on the whole sequences, bit for bit: however the rows were
// split over calls, whatever other slots a call names, after forks and after dropped blocks.
//
// A sequence is a list of blocks of 128 positions, which the engine reads where they are. Blocks
// are shared: fork() copies none, and append() copies at most the last, partial one, if another
// sequence holds it too. Blocks that nobody holds any more are used again.
//
// An additive score stores W_k k, computed once per key. Every other score stores k itself.
//
// Reading from several threads is fine; append() and the other changes need the cache alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "heed/attention/cache_shape.h"
#include "heed/attention/score.h"
#include "heed/autograd/variable.h"
#include "heed/base/export.h"
#include "heed/tensor/rows.h"

namespace heed {

namespace engine {
struct CacheState;
}

class HEED_API KeyValueCache {
 public:
  // The score matters if it is additive: attention() must then get the same W_k.
  explicit KeyValueCache(const CacheShape& shape, const Score& score = ScaledDot{});
  ~KeyValueCache();
  KeyValueCache(KeyValueCache&&) noexcept;
  KeyValueCache& operator=(KeyValueCache&&) noexcept;

  const CacheShape& shape() const;

  // A slot names a sequence until remove(); then its number may be given out again.
  int64_t add_sequence();      // an empty one
  int64_t fork(int64_t slot);  // a copy that shares all blocks
  void remove(int64_t slot);
  int64_t length(int64_t slot) const;

  // Adds rows of k [N, K, D] and v [N, K, Dv] at the ends of sequences: sequence b of `rows` goes
  // to slots[b]. No slot may come twice.
  void append(const Variable& k, const Variable& v, const Rows& rows,
              std::span<const int64_t> slots);

  // Forgets the positions from `length` on.
  void truncate(int64_t slot, int64_t length);

  // Releases the blocks that lie wholly before `position`, which a window has passed for good. The
  // other positions keep their numbers. A query whose window still reaches a released one is an
  // error.
  void drop_before(int64_t slot, int64_t position);
  int64_t first_position(int64_t slot) const;  // the first one held, a multiple of 128

  int64_t blocks_in_use() const;  // blocks that sequences hold; a shared one counts once
  int64_t bytes() const;          // of all blocks, those that wait to be used again included

  const engine::CacheState& state() const { return *state_; }  // for the engine

 private:
  std::unique_ptr<engine::CacheState> state_;
};

}  // namespace heed

// Up to 64 queries of one sequence and head: which keys they may see, and their scores against a
// block of keys. Forward, backward and weights all compute scores here, so the bits agree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "heed/attention/problem_internal.h"
#include "heed/attention/tile_kernels_internal.h"
#include "heed/base/divide_up.h"
#include "heed/base/random.h"

namespace heed::engine {

template <typename T>
class QueryTile {
 public:
  QueryTile(const Problem<T>& problem, int64_t sequence, int64_t head, int64_t first, int64_t rows);

  int64_t rows() const { return rows_; }
  int64_t first_row() const { return problem_.query_rows.begin(sequence_) + first_; }  // of N

  // The blocks that hold a key some query may see.
  int64_t first_block() const { return low_ / kBlock; }
  int64_t end_block() const { return high_ <= low_ ? first_block() : divide_up(high_, kBlock); }
  // Whether any query may see any key of a block, by all masks; if not, the tile is skipped. A
  // skipped tile and a computed one whose weights are all 0 give the same bits.
  bool sees(int64_t block) const;
  // How many columns of a block to compute: up to the last visible key.
  int64_t columns(int64_t block) const {
    return std::clamp<int64_t>(high_ - block * kBlock, 0, kBlock);
  }

  // s [rows, kBlock]: the scores of block `block`, bias and mask included, -inf where masked, up to
  // padded_columns(columns). `tile` names the queries and keys. If `raw` is given, it receives the
  // scores after soft-cap and before exp, bias and mask, for the derivatives of the first two.
  void scores(const ScoreTile<T>& tile, int64_t block, T* s, T* raw = nullptr) const;

  // Multiplies weights by the dropout mask.
  void drop_weights(int64_t block, int64_t columns, T* w) const;

 private:
  void add_bias(int64_t block, int64_t columns, T* s) const;
  void apply_mask(int64_t block, int64_t columns, T* s) const;

  const Problem<T>& problem_;
  int64_t sequence_, head_, first_, rows_;
  int64_t offset_ = 0;
  std::array<int64_t, kTileRows> from_, to_;  // visible keys of each query: [from, to)
  int64_t low_ = 0, high_ = 0;                // the smallest from and the largest to
  int64_t highest_from_ = 0, lowest_to_ = 0;
  std::array<RandomKey, kTileRows> dropout_keys_;
};

}  // namespace heed::engine

// The weights of one sequence and head.
#pragma once

#include <cstdint>
#include <memory>

#include "heed/attention/attention_options.h"
#include "heed/attention/attention_result.h"
#include "heed/attention/blocks_internal.h"
#include "heed/attention/prepare_problem_internal.h"

namespace heed::engine {

// The selection with its number of rows. Raises an Error if there is no such part.
WeightSelection checked(WeightSelection selection, const Rows& query_rows, int64_t heads);

// A part, prepared once: its keys in blocks, and the statistics of its rows.
template <typename T>
class HeadWeights {
 public:
  // `part` is checked; `blocks` are those of its sequence and key/value head at least. Without
  // `given` statistics they are computed.
  HeadWeights(std::unique_ptr<Prepared<T>> prepared, BlockTable<T> blocks,
              const WeightSelection& part, const RowStatistics* given);

  int64_t rows() const { return part_.rows; }
  int64_t keys() const { return problem().key_rows.length(part_.sequence); }

  // to [count, keys] = the weights of rows [first, first + count) of the part.
  void write(int64_t first, int64_t count, T* to) const;
  Tensor all() const;  // [rows, keys]

 private:
  const Problem<T>& problem() const { return prepared_->problem; }

  std::unique_ptr<Prepared<T>> prepared_;
  BlockTable<T> blocks_;
  WeightSelection part_;
  RowStatistics statistics_;
};

}  // namespace heed::engine

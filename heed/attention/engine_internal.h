// The engine: forward, backward and weights of a resolved problem.
#pragma once

#include "heed/attention/blocks_internal.h"
#include "heed/attention/problem_internal.h"

namespace heed::engine {

// Where forward writes. Statistics are [N, H], contiguous.
template <typename T>
struct ForwardResult {
  HeadView<T> output;  // [N, H, Dv]; data may be null: statistics only
  T* max = nullptr;
  T* sum = nullptr;
  int64_t* index = nullptr;  // one_hot only
  int64_t empty_rows = 0;
};

template <typename T>
void attention_forward(const Problem<T>& problem, const BlockTable<T>& blocks,
                       ForwardResult<T>& result);

// Some rows of one sequence and head.
struct RowRange {
  int64_t sequence, head, first, rows;
};

// The same for these rows alone; the other rows of the result are not written.
template <typename T>
void attention_forward_rows(const Problem<T>& problem, const BlockTable<T>& blocks,
                            const std::vector<RowRange>& ranges, ForwardResult<T>& result);

// What backward reads (dy, y and the statistics of forward) and writes. Null data means not wanted:
// dq and dk together, dv, parameters and dbias each by itself. attention_backward() overwrites dq,
// dk and dv.
template <typename T>
struct BackwardTask {
  HeadView<const T> dy, y;  // [N, H, Dv]
  const T* max = nullptr;
  const T* sum = nullptr;
  const int64_t* index = nullptr;
  HeadView<T> dq;           // [N, H, D]
  HeadView<T> dk;           // [M, K, D]
  HeadView<T> dv;           // [M, K, Dv]
  T* parameters = nullptr;  // [score->parameter_count()], zero at the start
  Table<T> dbias = {};      // zero at the start
};

template <typename T>
void attention_backward(const Problem<T>& problem, const BackwardTask<T>& task);

// w [rows, S] of one sequence and head, from the statistics (rows of the whole problem).
template <typename T>
struct WeightsTask {
  int64_t sequence, head, first, rows;
  const T* max;
  const T* sum;
  const int64_t* index;
  T* weights;  // [rows, S]
};

template <typename T>
void attention_weights(const Problem<T>& problem, const BlockTable<T>& blocks,
                       const WeightsTask<T>& task);

// Turns scores into weights in place, given the statistics of the tile's rows (max, 1 / sum,
// index). Masked scores become 0. `first_key` is the position of column 0.
template <typename T>
void weights_from_scores(Normalizer normalizer, int64_t rows, int64_t columns, const T* max,
                         const T* inverse_sum, const int64_t* index, int64_t first_key, T* s);

// 1 / sum, and 0 where the sum is 0; under `none` 1.
template <typename T>
T inverse_sum(Normalizer normalizer, T sum);

}  // namespace heed::engine

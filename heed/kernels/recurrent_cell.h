// One step of a recurrent cell for some sequences, and its backward: what the kernels of GRU and
// LSTM read and write. The formulas are in ops/gru_sequence.h and ops/lstm_sequence.h.
//
// A state has S parts of width H (GRU: h; LSTM: h, c), a cell G gates (3; 4), and keeps K arrays of
// width H for backward (4; 5). Matrices are contiguous unless a stride is given.
#pragma once

#include <algorithm>
#include <cstdint>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"

namespace heed::kernels {

template <typename T>
struct CellForward {
  int64_t rows, H;
  const T* gx;      // [rows, G H], from the input
  const T* gh;      // [rows, G H], from the state before
  const T* before;  // [rows, S H], the state before
  int64_t before_stride;
  T* after;  // [rows, S H], the state after
  int64_t after_stride;
  T* kept;  // [rows, K H]; null: not wanted
};

template <typename T>
struct CellBackward {
  int64_t rows, H;
  const T* kept;    // [rows, K H]
  const T* before;  // [rows, S H]
  int64_t before_stride;
  const T* dy;  // [rows, S H], gradient of the state after, from outside
  int64_t dy_stride;
  T* carry;  // [rows, S H]: the same from the next step, then what goes past gh to the
             // state before
  T* dgx;    // [rows, G H]
  T* dgh;    // [rows, G H]; may be dgx if the two are equal
};

// Calls step(cell, first row, rows) for blocks of rows on all threads, if the whole, at
// `nanoseconds` per element of [rows, H], is worth it. Every row stands for itself.
template <typename Cell>
void for_cell_rows(const Cell& cell, double nanoseconds,
                   void (*step)(const Cell&, int64_t first, int64_t count)) {
  constexpr int64_t kRows = 8;
  const double total = static_cast<double>(cell.rows * cell.H) * nanoseconds;
  parallel_for(divide_up(cell.rows, kRows), total, [&](int64_t block) {
    step(cell, block * kRows, std::min(kRows, cell.rows - block * kRows));
  });
}

}  // namespace heed::kernels

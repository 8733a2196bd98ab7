// The cells of ops/recurrence.h: float32 runs the kernels, float64 the plain loops.
#pragma once

#include <cmath>

#include "heed/kernels/gru_cell.h"
#include "heed/kernels/lstm_cell.h"

namespace heed {

inline double plain_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void plain_gru_forward(const kernels::CellForward<double>& cell);
void plain_gru_backward(const kernels::CellBackward<double>& cell);
void plain_lstm_forward(const kernels::CellForward<double>& cell);
void plain_lstm_backward(const kernels::CellBackward<double>& cell);

struct GruCell {
  static constexpr int64_t kGates = 3, kStates = 1, kKept = 4;
  static constexpr bool kOneGradient = false;

  static void forward(const kernels::CellForward<float>& cell) { kernels::gru_forward(cell); }
  static void forward(const kernels::CellForward<double>& cell) { plain_gru_forward(cell); }
  static void backward(const kernels::CellBackward<float>& cell) { kernels::gru_backward(cell); }
  static void backward(const kernels::CellBackward<double>& cell) { plain_gru_backward(cell); }
};

struct LstmCell {
  static constexpr int64_t kGates = 4, kStates = 2, kKept = 5;
  static constexpr bool kOneGradient = true;

  static void forward(const kernels::CellForward<float>& cell) { kernels::lstm_forward(cell); }
  static void forward(const kernels::CellForward<double>& cell) { plain_lstm_forward(cell); }
  static void backward(const kernels::CellBackward<float>& cell) { kernels::lstm_backward(cell); }
  static void backward(const kernels::CellBackward<double>& cell) { plain_lstm_backward(cell); }
};

}  // namespace heed

#include "heed/ops/lstm_sequence.h"

#include <cmath>

#include "heed/ops/operand_checks.h"
#include "heed/ops/recurrence.h"
#include "heed/ops/recurrent_cells.h"

namespace heed {

// c_t = f c_{t-1} + i g      h_t = o tanh(c_t)
void plain_lstm_forward(const kernels::CellForward<double>& cell) {
  const int64_t H = cell.H;
  for (int64_t row = 0; row < cell.rows; ++row) {
    const double* gx = cell.gx + row * 4 * H;
    const double* gh = cell.gh + row * 4 * H;
    double* after = cell.after + row * cell.after_stride;
    for (int64_t k = 0; k < H; ++k) {
      const double i = plain_sigmoid(gx[k] + gh[k]);
      const double f = plain_sigmoid(gx[H + k] + gh[H + k]);
      const double g = std::tanh(gx[2 * H + k] + gh[2 * H + k]);
      const double o = plain_sigmoid(gx[3 * H + k] + gh[3 * H + k]);
      const double c = f * cell.before[row * cell.before_stride + H + k] + i * g;
      after[k] = o * std::tanh(c);
      after[H + k] = c;
      if (cell.kept == nullptr) continue;
      double* kept = cell.kept + row * 5 * H + k;
      kept[0] = i;
      kept[H] = f;
      kept[2 * H] = g;
      kept[3 * H] = o;
      kept[4 * H] = std::tanh(c);
    }
  }
}

// h_t = o tanh(c_t):       do = dh tanh(c),  dc += dh o (1 - tanh(c)^2)
// c_t = f c_{t-1} + i g:   df = dc c_{t-1},  di = dc g,  dg = dc i,  dc_{t-1} = dc f
void plain_lstm_backward(const kernels::CellBackward<double>& cell) {
  const int64_t H = cell.H;
  for (int64_t row = 0; row < cell.rows; ++row) {
    const double* dy = cell.dy + row * cell.dy_stride;
    double* carry = cell.carry + row * 2 * H;
    for (int64_t k = 0; k < H; ++k) {
      const double* kept = cell.kept + row * 5 * H + k;
      const double i = kept[0], f = kept[H], g = kept[2 * H], o = kept[3 * H], t = kept[4 * H];
      const double dh = dy[k] + carry[k];
      const double dc = dy[H + k] + carry[H + k] + dh * o * (1 - t * t);
      const double before = cell.before[row * cell.before_stride + H + k];
      double* dgates = cell.dgx + row * 4 * H + k;
      carry[k] = 0;
      carry[H + k] = dc * f;
      dgates[0] = dc * g * i * (1 - i);
      dgates[H] = dc * before * f * (1 - f);
      dgates[2 * H] = dc * i * (1 - g * g);
      dgates[3 * H] = dh * t * o * (1 - o);
    }
  }
}

Variable lstm_sequence(const Variable& gx, const Variable& u, const Variable& bias,
                       const Variable& start, std::span<const int64_t> counts) {
  return with_real(gx, "lstm_sequence: gx", [&](auto zero) {
    using T = decltype(zero);
    return recurrent_sequence<T, LstmCell>(gx, u, bias, start, counts, "lstm_sequence");
  });
}

}  // namespace heed

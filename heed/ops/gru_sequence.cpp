#include "heed/ops/gru_sequence.h"

#include <cmath>

#include "heed/ops/operand_checks.h"
#include "heed/ops/recurrence.h"
#include "heed/ops/recurrent_cells.h"

namespace heed {

// h_t = (1 - z) n + z h_{t-1}
void plain_gru_forward(const kernels::CellForward<double>& cell) {
  const int64_t H = cell.H;
  for (int64_t row = 0; row < cell.rows; ++row) {
    const double* gx = cell.gx + row * 3 * H;
    const double* gh = cell.gh + row * 3 * H;
    const double* before = cell.before + row * cell.before_stride;
    for (int64_t i = 0; i < H; ++i) {
      const double r = plain_sigmoid(gx[i] + gh[i]);
      const double z = plain_sigmoid(gx[H + i] + gh[H + i]);
      const double n = std::tanh(gx[2 * H + i] + r * gh[2 * H + i]);
      cell.after[row * cell.after_stride + i] = (1 - z) * n + z * before[i];
      if (cell.kept == nullptr) continue;
      double* kept = cell.kept + row * 4 * H + i;
      kept[0] = r;
      kept[H] = z;
      kept[2 * H] = n;
      kept[3 * H] = gh[2 * H + i];
    }
  }
}

// h_t = (1 - z) n + z h_{t-1}:  dn = dh (1 - z),  dz = dh (h_{t-1} - n),  dh_{t-1} = dh z
// n = tanh(gx_n + r gh_n):      dr = dn (1 - n^2) gh_n
void plain_gru_backward(const kernels::CellBackward<double>& cell) {
  const int64_t H = cell.H;
  for (int64_t row = 0; row < cell.rows; ++row) {
    for (int64_t i = 0; i < H; ++i) {
      const double* kept = cell.kept + row * 4 * H + i;
      const double r = kept[0], z = kept[H], n = kept[2 * H], inner = kept[3 * H];
      const double before = cell.before[row * cell.before_stride + i];
      double& carry = cell.carry[row * H + i];
      const double dh = cell.dy[row * cell.dy_stride + i] + carry;
      const double dn = dh * (1 - z) * (1 - n * n);
      const double dz = dh * (before - n) * z * (1 - z);
      const double dr = dn * inner * r * (1 - r);
      double* dgx = cell.dgx + row * 3 * H + i;
      double* dgh = cell.dgh + row * 3 * H + i;
      carry = dh * z;
      dgx[0] = dgh[0] = dr;
      dgx[H] = dgh[H] = dz;
      dgx[2 * H] = dn;
      dgh[2 * H] = dn * r;
    }
  }
}

Variable gru_sequence(const Variable& gx, const Variable& u, const Variable& bias,
                      const Variable& h0, std::span<const int64_t> counts) {
  return with_real(gx, "gru_sequence: gx", [&](auto zero) {
    using T = decltype(zero);
    return recurrent_sequence<T, GruCell>(gx, u, bias, h0, counts, "gru_sequence");
  });
}

}  // namespace heed

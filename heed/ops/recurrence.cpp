#include "heed/kernels/pack.h"
#include "heed/ops/matrix_operand.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/recurrence.h"

namespace heed {

TimeSteps time_steps(std::span<const int64_t> counts, int64_t N, int64_t B, const char* what) {
  TimeSteps steps;
  int64_t rows = 0, last = B;
  for (size_t t = 0; t < counts.size(); ++t) {
    check(counts[t] > 0 && counts[t] <= last,
          "{}: step {} has {} sequences, expected 1 to {}: sequences stand longest first", what, t,
          counts[t], last);
    last = counts[t];
    steps.counts.push_back(counts[t]);
    steps.begins.push_back(rows);
    rows += counts[t];
  }
  check(rows == N, "{}: the steps have {} rows, gx has {}", what, rows, N);
  return steps;
}

RecurrenceShape check_recurrence(const Tensor& gx, const Tensor& u, const Tensor& bias,
                                 const Tensor& start, int64_t gates, int64_t states,
                                 const char* what) {
  check(u.defined() && u.rank() == 2 && u.dim(0) > 0 && u.dim(1) == gates * u.dim(0),
        "{}: U must be [H, {} H], got {}", what, gates, u);
  const int64_t H = u.dim(0);
  check(gx.defined() && gx.rank() == 2 && gx.dim(1) == gates * H,
        "{}: U is {}, so gx must be [N, {}], got {}", what, u, gates * H, gx);
  require_same_type(gx, what, u, "U");
  if (bias.defined()) {
    check(bias.rank() == 1 && bias.dim(0) == gates * H, "{}: the bias must be [{}], got {}", what,
          gates * H, bias);
    require_same_type(gx, what, bias, "the bias");
  }
  if (start.defined()) {
    check(start.rank() == 2 && start.dim(1) == states * H,
          "{}: the state at the start must be [B, {}], got {}", what, states * H, start);
    require_same_type(gx, what, start, "the state at the start");
  }
  return {gx.dim(0), start.defined() ? start.dim(0) : 0, H};
}

template <typename T>
Tensor transposed_copy(const Tensor& x) {
  Tensor result = Tensor::empty({x.dim(1), x.dim(0)}, x.dtype());
  kernels::pack_block<T>(as_matrix<T>(x).transposed(), x.dim(1), x.dim(0), result.data<T>(),
                         x.dim(0), x.dim(0));
  return result;
}

template Tensor transposed_copy<float>(const Tensor&);
template Tensor transposed_copy<double>(const Tensor&);

}  // namespace heed

#include "bench/onednn.h"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include "heed/base/error.h"

namespace heed::bench {
namespace {

struct Operand {
  char transpose;
  int64_t stride;
};

Operand operand(const kernels::MatrixView<float>& view) {
  return view.column_stride == 1 ? Operand{'N', view.row_stride} : Operand{'T', view.column_stride};
}

}  // namespace

void onednn_sgemm(int64_t M, int64_t N, int64_t K, kernels::MatrixView<float> a,
                  kernels::MatrixView<float> b, float* c) {
  const auto [transpose_a, a_stride] = operand(a);
  const auto [transpose_b, b_stride] = operand(b);
  const dnnl_status_t status = dnnl_sgemm(transpose_a, transpose_b, M, N, K, 1.0f, a.data, a_stride,
                                          b.data, b_stride, 0.0f, c, N);
  if (status != dnnl_success) {
    throw Error(fmt::format("oneDNN: sgemm of {} x {} x {} failed with status {}", M, N, K,
                            static_cast<int>(status)));
  }
}

}  // namespace heed::bench

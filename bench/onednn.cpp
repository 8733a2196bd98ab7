#include "bench/onednn.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

#include "heed/base/fail.h"
#include "heed/base/parallel.h"

namespace heed::bench {
namespace {

struct Operand {
  char transpose;
  int64_t stride;
};

Operand operand(const kernels::MatrixView<float>& view) {
  return view.column_stride == 1 ? Operand{'N', view.row_stride} : Operand{'T', view.column_stride};
}

struct OneDnn {
  decltype(&dnnl_sgemm) sgemm;
  void (*set_threads)(int);  // of its threads, OpenMP's; null if it was built without
};

// Loaded at the first call: it weighs several times as much as heed, and only benchmarks need it.
OneDnn load_onednn() {
  void* library = ::dlopen(HEED_ONEDNN, RTLD_NOW | RTLD_LOCAL);
  void* function = library == nullptr ? nullptr : ::dlsym(library, "dnnl_sgemm");
  if (function == nullptr) {
    fail(
        "oneDNN, which benchmarks compare with: {}; "
        "on Debian, scripts/install-deps installs it",
        ::dlerror());
  }
  return {reinterpret_cast<decltype(&dnnl_sgemm)>(function),
          reinterpret_cast<void (*)(int)>(::dlsym(library, "omp_set_num_threads"))};
}

}  // namespace

void onednn_sgemm(int64_t M, int64_t N, int64_t K, kernels::MatrixView<float> a,
                  kernels::MatrixView<float> b, float* c) {
  const auto [transpose_a, a_stride] = operand(a);
  const auto [transpose_b, b_stride] = operand(b);
  static const OneDnn onednn = load_onednn();
  if (onednn.set_threads != nullptr) onednn.set_threads(threads());
  const dnnl_status_t status = onednn.sgemm(transpose_a, transpose_b, M, N, K, 1.0f, a.data,
                                            a_stride, b.data, b_stride, 0.0f, c, N);
  if (status != dnnl_success) {
    fail("oneDNN: sgemm of {} x {} x {} failed with status {}", M, N, K, static_cast<int>(status));
  }
}

}  // namespace heed::bench

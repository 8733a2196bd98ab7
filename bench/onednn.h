// oneDNN's matrix product, the peer of ours.
#pragma once

#include <cstdint>

#include "heed/kernels/matrix_view.h"

namespace heed::bench {

// C [M, N] = A [M, K] B [K, N], dense and row-major; A and B may be transposed views. Uses as many
// threads as heed does.
void onednn_sgemm(int64_t M, int64_t N, int64_t K, kernels::MatrixView<float> a,
                  kernels::MatrixView<float> b, float* c);

}  // namespace heed::bench

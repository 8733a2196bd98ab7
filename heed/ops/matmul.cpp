#include "heed/ops/matmul.h"

#include "heed/kernels/gemm.h"
#include "heed/ops/matrix_operand.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

// A matrix and which way it is read.
struct Factor {
  Tensor matrix;
  bool transpose = false;

  int64_t rows() const { return matrix.dim(transpose ? 1 : 0); }
  int64_t columns() const { return matrix.dim(transpose ? 0 : 1); }
  Factor transposed() const { return {matrix, !transpose}; }
  template <typename T>
  kernels::MatrixView<T> view() const {
    const auto plain = as_matrix<T>(matrix);
    return transpose ? plain.transposed() : plain;
  }
};

// a b
Tensor matrix_product(const Factor& a, const Factor& b) {
  return with_real(a.matrix, "matmul: a", [&](auto zero) {
    using T = decltype(zero);
    Tensor y = Tensor::empty({a.rows(), b.columns()}, a.matrix.dtype());
    kernels::gemm<T>(a.rows(), b.columns(), a.columns(), a.view<T>(), b.view<T>(), y.data<T>(),
                     b.columns());
    return y;
  });
}

}  // namespace

Variable matmul(const Variable& a, const Variable& b, const MatmulOptions& options) {
  const Tensor& left = a;
  const Tensor& right = b;
  check(left.defined() && left.rank() == 2 && right.defined() && right.rank() == 2,
        "matmul: expected two matrices, got {} and {}", left, right);
  require_same_type(left, "matmul: a", right, "b");
  const Factor A{left, options.transpose_a};
  const Factor B{right, options.transpose_b};
  check(A.columns() == B.rows(), "matmul: {}{} has {} columns, but {}{} has {} rows", left,
        A.transpose ? " transposed" : "", A.columns(), right, B.transpose ? " transposed" : "",
        B.rows());

  // y = A B:  dA = dy Bᵀ, dB = Aᵀ dy. A factor that was given transposed gets the transpose of
  // that: (dy Bᵀ)ᵀ = B dyᵀ and (Aᵀ dy)ᵀ = dyᵀ A.
  return record(matrix_product(A, B), {a, b},
                [A, B, need_a = a.requires_gradient(),
                 need_b = b.requires_gradient()](const Tensor& dy) -> std::vector<Tensor> {
                  const Factor dY{dy, false};
                  Tensor da, db;
                  if (need_a) {
                    da = A.transpose ? matrix_product(B, dY.transposed())
                                     : matrix_product(dY, B.transposed());
                  }
                  if (need_b) {
                    db = B.transpose ? matrix_product(dY.transposed(), A)
                                     : matrix_product(A.transposed(), dY);
                  }
                  return {da, db};
                });
}

}  // namespace heed

#include "heed/ops/affine.h"

#include <utility>

#include "heed/kernels/gemm.h"
#include "heed/kernels/row_blocks.h"
#include "heed/kernels/sum_rows.h"
#include "heed/ops/matrix_operand.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

// What f' is computed from.
enum class Keep { nothing, y, z };

Keep kept_for(Activation f) {
  switch (f) {
    case Activation::none: return Keep::nothing;
    case Activation::relu:
    case Activation::tanh:
    case Activation::sigmoid: return Keep::y;
    case Activation::gelu_tanh:
    case Activation::gelu_exact:
    case Activation::silu: return Keep::z;
  }
  return Keep::z;
}

struct Sizes {
  int64_t N, In, Out;
};

Sizes affine_sizes(const Tensor& x, const Tensor& w, const Tensor& b, WeightLayout layout) {
  const bool out_in = layout == WeightLayout::out_in;
  check(x.defined() && x.rank() == 2, "affine: x must be [N, In], got {}", x);
  check(w.defined() && w.rank() == 2, "affine: W must be {}, got {}",
        out_in ? "[Out, In]" : "[In, Out]", w);
  const Sizes size{x.dim(0), x.dim(1), w.dim(out_in ? 0 : 1)};
  check(w.dim(out_in ? 1 : 0) == size.In, "affine: x is {}, so W must have {} {}, got {}", x,
        size.In, out_in ? "columns" : "rows", w);
  require_same_type(x, "affine: x", w, "W");
  if (b.defined()) {
    check(b.rank() == 1 && b.dim(0) == size.Out, "affine: the bias must be [{}], got {}", size.Out,
          b);
    require_same_type(x, "affine: x", b, "the bias");
  }
  return size;
}

// W as [In, Out], whichever way it lies.
template <typename T>
kernels::MatrixView<T> weight_view(const Tensor& w, WeightLayout layout) {
  const auto view = as_matrix<T>(w);
  return layout == WeightLayout::out_in ? view.transposed() : view;
}

// z = x W + b, y = f(z). z is filled if it is defined.
template <typename T>
void affine_forward(const Tensor& x, const Tensor& w, const Tensor& b, const Sizes& size,
                    const AffineOptions& options, Tensor& y, Tensor& z) {
  kernels::GemmOptions<T> fold;
  fold.bias = b.defined() ? b.data<T>() : nullptr;
  fold.activation = options.activation;
  fold.before_activation = z.defined() ? z.data<T>() : nullptr;
  kernels::gemm<T>(size.N, size.Out, size.In, as_matrix<T>(x),
                   weight_view<T>(w, options.weight_layout), y.data<T>(), size.Out, fold);
}

// dz = dy f'(z), with f' from y where y tells it: relu' = [y > 0], tanh' = 1 - y²,
// sigmoid' = y (1 - y).
template <typename T>
void activation_row_backward(Activation f, const T* kept, const T* dy, T* dz, int64_t n) {
  if (f == Activation::tanh) {
    for (int64_t i = 0; i < n; ++i) dz[i] = dy[i] * (1 - kept[i] * kept[i]);
  } else if (f == Activation::sigmoid) {
    for (int64_t i = 0; i < n; ++i) dz[i] = dy[i] * (kept[i] * (1 - kept[i]));
  } else {
    kernels::activate_backward(f, kept, dy, dz, n);  // relu: y > 0 exactly where z > 0
  }
}

template <typename T>
Tensor gradient_of_z(Activation f, const Tensor& kept, const Tensor& dy) {
  if (f == Activation::none) return dy;
  const int64_t N = dy.dim(0), Out = dy.dim(1);
  Tensor dz = Tensor::empty(dy.shape(), dy.dtype());
  const T* from = kept.data<T>();
  T* to = dz.data<T>();
  kernels::for_row_blocks(N, Out, 1, [&](int64_t first, int64_t rows) {
    for (int64_t n = first; n < first + rows; ++n) {
      activation_row_backward(f, from + n * Out, dy.data<T>() + n * dy.stride(0), to + n * Out,
                              Out);
    }
  });
  return dz;
}

// dx = dz Wᵀ
template <typename T>
Tensor gradient_of_x(const Tensor& dz, const Tensor& w, const Sizes& size, WeightLayout layout) {
  Tensor dx = Tensor::empty({size.N, size.In}, dz.dtype());
  kernels::gemm<T>(size.N, size.In, size.Out, as_matrix<T>(dz),
                   weight_view<T>(w, layout).transposed(), dx.data<T>(), size.In);
  return dx;
}

// dW = xᵀ dz, or its transpose dzᵀ x in the layout [Out, In]
template <typename T>
Tensor gradient_of_w(const Tensor& dz, const Tensor& x, const Sizes& size, WeightLayout layout) {
  const bool out_in = layout == WeightLayout::out_in;
  const Tensor& left = out_in ? dz : x;
  const Tensor& right = out_in ? x : dz;
  const int64_t rows = left.dim(1), columns = right.dim(1);
  Tensor dw = Tensor::empty({rows, columns}, dz.dtype());
  kernels::gemm<T>(rows, columns, size.N, as_matrix<T>(left).transposed(), as_matrix<T>(right),
                   dw.data<T>(), columns);
  return dw;
}

// db = sum over rows of dz
template <typename T>
Tensor gradient_of_b(const Tensor& dz, const Sizes& size) {
  Tensor db = Tensor::empty({size.Out}, dz.dtype());
  kernels::sum_rows(dz.data<T>(), dz.stride(0), size.N, size.Out, db.data<T>());
  return db;
}

}  // namespace

Variable affine(const Variable& x, const Variable& w, const Variable& b,
                const AffineOptions& options) {
  const Sizes size = affine_sizes(x, w, b, options.weight_layout);
  return with_real(x, "affine: x", [&](auto zero) {
    using T = decltype(zero);
    const bool recording = will_record({&x, &w, &b});
    const Keep keep = recording ? kept_for(options.activation) : Keep::nothing;
    Tensor y = Tensor::empty({size.N, size.Out}, x.value().dtype());
    Tensor z = keep == Keep::z ? Tensor::empty(y.shape(), y.dtype()) : Tensor();
    affine_forward<T>(x, w, b, size, options, y, z);
    if (!recording) return Variable(y);

    // x is what dW needs, and W what dx needs.
    return record(
        y, {x, w, b},
        [x = w.requires_gradient() ? x.value() : Tensor(),
         w = x.requires_gradient() ? w.value() : Tensor(), need_b = b.requires_gradient(),
         kept = keep == Keep::y ? y : z, size, options](const Tensor& dy) -> std::vector<Tensor> {
          const WeightLayout layout = options.weight_layout;
          const Tensor dz = gradient_of_z<T>(options.activation, kept, dy);
          return {w.defined() ? gradient_of_x<T>(dz, w, size, layout) : Tensor(),
                  x.defined() ? gradient_of_w<T>(dz, x, size, layout) : Tensor(),
                  need_b ? gradient_of_b<T>(dz, size) : Tensor()};
        });
  });
}

}  // namespace heed

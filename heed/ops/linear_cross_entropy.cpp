#include "heed/ops/linear_cross_entropy.h"

#include <algorithm>
#include <utility>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/sum_rows.h"
#include "heed/ops/cross_entropy_parts.h"
#include "heed/ops/matrix_operand.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

constexpr int64_t kRows = kernels::kSlice;  // rows of a block

struct Operands {
  Tensor x, w, b;
  bool out_in;  // W is [V, C]

  int64_t N() const { return x.dim(0); }
  int64_t C() const { return x.dim(1); }
  int64_t V() const { return w.dim(out_in ? 0 : 1); }
};

void check_loss_operands(const Operands& in) {
  const char* const layout = in.out_in ? "[V, C]" : "[C, V]";
  check(in.x.defined() && in.x.rank() == 2, "linear_cross_entropy: x must be [N, C], got {}", in.x);
  check(in.w.defined() && in.w.rank() == 2 && in.w.dim(in.out_in ? 1 : 0) == in.C() && in.V() > 0,
        "linear_cross_entropy: x is {}, so W must be {} with C = {}, got {}", in.x, layout, in.C(),
        in.w);
  require_same_type(in.x, "linear_cross_entropy: x", in.w, "W");
  if (!in.b.defined()) return;
  check(in.b.rank() == 1 && in.b.dim(0) == in.V(),
        "linear_cross_entropy: the bias must be [{}], got {}", in.V(), in.b);
  require_same_type(in.x, "linear_cross_entropy: x", in.b, "the bias");
}

// The gradients for dy = 1. Undefined: not wanted.
struct Kept {
  Tensor dx, dw, db;

  bool any() const { return dx.defined() || dw.defined() || db.defined(); }
};

// The rows [begin, begin + rows) on their way through.
template <typename T>
struct Block {
  int64_t begin, rows;
  T* logits;  // [rows, V], then dz
};

// z = x W + b
template <typename T>
void logits_of(const Operands& in, const Block<T>& block) {
  const auto w = as_matrix<T>(in.w);
  kernels::GemmOptions<T> fold;
  fold.bias = in.b.defined() ? in.b.data<T>() : nullptr;
  kernels::gemm<T>(block.rows, in.V(), in.C(),
                   as_matrix<T>(in.x.slice(0, block.begin, block.begin + block.rows)),
                   in.out_in ? w.transposed() : w, block.logits, in.V(), fold);
}

// loss_n; and, if wanted, dz = (softmax(z) - q) / count in place of z
template <typename T>
void losses_of(const Operands& in, const Block<T>& block, const LossTargets& targets, bool gradient,
               double* losses) {
  const int64_t V = in.V();
  parallel_for(block.rows, row_loss_time(block.rows, V), [&](int64_t i) {
    T* z = block.logits + i * V;
    const int64_t t = targets.ids[block.begin + i];
    if (t < 0) {
      losses[block.begin + i] = 0;
      if (gradient) std::fill(z, z + V, T{0});
      return;
    }
    const RowLoss<T> row = cross_entropy_row(z, V, t, targets.smoothing);
    losses[block.begin + i] = row.loss;
    if (gradient) {
      cross_entropy_row_backward(z, V, t, targets.smoothing, row, 1 / targets.count, z);
    }
  });
}

// dx = dz Wᵀ      dW += xᵀ dz      db += sum over rows of dz
template <typename T>
void gradients_of(const Operands& in, const Block<T>& block, Kept& kept) {
  const int64_t V = in.V(), C = in.C();
  const bool accumulate = block.begin > 0;
  const kernels::MatrixView<T> dz{block.logits, V};
  if (kept.dx.defined()) {
    const auto w = as_matrix<T>(in.w);
    kernels::gemm<T>(block.rows, C, V, dz, in.out_in ? w : w.transposed(),
                     kept.dx.data<T>() + block.begin * C, C);
  }
  if (kept.dw.defined()) {
    const auto x = as_matrix<T>(in.x.slice(0, block.begin, block.begin + block.rows));
    if (in.out_in) {
      kernels::gemm<T>(V, C, block.rows, dz.transposed(), x, kept.dw.data<T>(), C,
                       {.accumulate = accumulate});
    } else {
      kernels::gemm<T>(C, V, block.rows, x.transposed(), dz, kept.dw.data<T>(), V,
                       {.accumulate = accumulate});
    }
  }
  if (kept.db.defined()) {
    kernels::sum_rows(block.logits, V, block.rows, V, kept.db.data<T>(), accumulate);
  }
}

template <typename T>
Tensor forward(const Operands& in, const LossTargets& targets, Kept& kept) {
  std::vector<double> losses(static_cast<size_t>(in.N()));
  Tensor logits = Tensor::empty({std::min(in.N(), kRows), in.V()}, in.x.dtype());
  for (int64_t begin = 0; begin < in.N(); begin += kRows) {
    const Block<T> block{begin, std::min(kRows, in.N() - begin), logits.data<T>()};
    logits_of(in, block);
    losses_of(in, block, targets, kept.any(), losses.data());
    if (kept.any()) gradients_of(in, block, kept);
  }
  return Tensor::full({1}, sum_in_tree(losses) / targets.count, in.x.dtype());
}

// Kept gradients are this operation's own and used once, so they are scaled in place.
template <typename T>
Tensor scale_in_place(Tensor gradient, double dy) {
  if (!gradient.defined() || dy == 1) return gradient;
  T* values = gradient.data<T>();
  const int64_t n = gradient.size();
  constexpr int64_t kStep = 1 << 15;
  parallel_for(divide_up(n, kStep), static_cast<double>(n) * 0.3, [&](int64_t task) {
    for (int64_t i = task * kStep; i < std::min(n, (task + 1) * kStep); ++i) {
      values[i] *= static_cast<T>(dy);
    }
  });
  return gradient;
}

Tensor room_for(const Variable& input, bool wanted, int64_t rows) {
  if (!wanted || !input.requires_gradient()) return {};
  const Tensor& value = input;
  return rows > 0 ? Tensor::empty(value.shape(), value.dtype())
                  : Tensor::zeros(value.shape(), value.dtype());
}

}  // namespace

Variable linear_cross_entropy(const Variable& x, const Variable& w, const Variable& b,
                              const Tensor& targets, const LinearCrossEntropyOptions& options) {
  const Operands in{x, w, b, options.weight_layout == WeightLayout::out_in};
  check_loss_operands(in);
  return with_real(x, "linear_cross_entropy: x", [&](auto zero) {
    using T = decltype(zero);
    const LossTargets checked = read_loss_targets(
        targets, in.N(), in.V(),
        {options.loss.label_smoothing, options.loss.ignored_target, options.loss.token_count},
        "linear_cross_entropy");
    const bool recording = will_record({&x, &w, &b});
    Kept kept{room_for(x, recording, in.N()), room_for(w, recording, in.N()),
              room_for(b, recording, in.N())};
    Tensor y = forward<T>(in, checked, kept);
    return record(y, {x, w, b}, [kept](const Tensor& dy) -> std::vector<Tensor> {
      const double scale = dy.item();
      return {scale_in_place<T>(kept.dx, scale), scale_in_place<T>(kept.dw, scale),
              scale_in_place<T>(kept.db, scale)};
    });
  });
}

}  // namespace heed

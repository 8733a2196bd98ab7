// The loop over time that GRU, LSTM and recurrences with attention share.
//
// Rows are time-major: step t holds the rows of the n_t sequences that are at least t + 1 long, and
// n_t never grows with t, so that the states before step t are the first n_t rows of step t - 1.
//
// A cell is a struct of
//   kGates, kStates, kKept       G, S and K of kernels/recurrent_cell.h
//   kOneGradient                 whether gx and gh have the same gradient
//   forward(), backward()
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/autograd/variable.h"
#include "heed/base/fail.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/recurrent_cell.h"
#include "heed/kernels/sum_rows.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct TimeSteps {
  std::vector<int64_t> counts;  // n_t
  std::vector<int64_t> begins;  // the first row of step t

  int64_t size() const { return static_cast<int64_t>(counts.size()); }
  int64_t count(int64_t t) const { return counts[t]; }
  int64_t begin(int64_t t) const { return begins[t]; }
};

// Checks that the counts fall, are positive and cover N rows of at most B sequences.
TimeSteps time_steps(std::span<const int64_t> counts, int64_t N, int64_t B, const char* what);

// The operands of a recurrence, checked: gx [N, G H], u [H, G H], bias [G H] or undefined, start
// [B, S H] or undefined. B is 0 without a start.
struct RecurrenceShape {
  int64_t N, B, H;
};
RecurrenceShape check_recurrence(const Tensor& gx, const Tensor& u, const Tensor& bias,
                                 const Tensor& start, int64_t gates, int64_t states,
                                 const char* what);

// The transpose of a matrix, as a copy: it is read once per step.
template <typename T>
Tensor transposed_copy(const Tensor& x);

template <typename T, class Cell>
class Recurrence {
 public:
  static constexpr int64_t kGates = Cell::kGates, kStates = Cell::kStates, kKept = Cell::kKept;

  Recurrence(TimeSteps time, const RecurrenceShape& shape, const Tensor& recurrent_weight,
             const Tensor& recurrent_bias, const Tensor& start)
      : steps(std::move(time)),
        N(shape.N),
        B(start.defined() ? shape.B : (steps.size() > 0 ? steps.count(0) : 0)),
        H(shape.H),
        u(recurrent_weight.contiguous()),
        bias(recurrent_bias),
        first(start.defined() ? start.contiguous()
                              : Tensor::zeros({B, kStates * H}, dtype_of<T>())) {}

  int64_t state_width() const { return kStates * H; }
  int64_t gate_width() const { return kGates * H; }

  // The states before step t; rows of `states` [N, ..] are `stride` apart.
  const T* before(int64_t t, const T* states, int64_t stride) const {
    return t == 0 ? first.data<T>() : states + steps.begin(t - 1) * stride;
  }
  int64_t before_stride(int64_t t, int64_t stride) const { return t == 0 ? state_width() : stride; }

  // gx [n_t, G H] of this step; gh [n_t, G H] is memory; kept [N, K H] may be null.
  void forward(int64_t t, const T* gx, T* gh, T* states, int64_t stride, T* kept) const {
    const int64_t n = steps.count(t), G = gate_width();
    const T* h = before(t, states, stride);
    const int64_t h_stride = before_stride(t, stride);
    kernels::GemmOptions<T> fold;
    fold.bias = bias.defined() ? bias.data<T>() : nullptr;
    kernels::gemm<T>(n, G, H, {h, h_stride}, {u.data<T>(), G}, gh, G, fold);
    Cell::forward({.rows = n,
                   .H = H,
                   .gx = gx,
                   .gh = gh,
                   .before = h,
                   .before_stride = h_stride,
                   .after = states + steps.begin(t) * stride,
                   .after_stride = stride,
                   .kept = kept != nullptr ? kept + steps.begin(t) * kKept * H : nullptr});
  }

  // The h part of the states before every row, [N, H].
  Tensor states_before(const T* states, int64_t stride) const {
    Tensor result = Tensor::empty({N, H}, dtype_of<T>());
    T* to = result.data<T>();
    for (int64_t t = 0; t < steps.size(); ++t) {
      const T* from = before(t, states, stride);
      for (int64_t i = 0; i < steps.count(t); ++i, to += H) {
        std::copy_n(from + i * before_stride(t, stride), H, to);
      }
    }
    return result;
  }

  const TimeSteps steps;
  const int64_t N, B, H;
  const Tensor u, bias, first;
};

// The way back through time.
template <typename T, class Cell>
class RecurrenceBackward {
 public:
  RecurrenceBackward(const Recurrence<T, Cell>& recurrence, const Tensor& kept)
      : r_(recurrence),
        kept_(kept),
        u_(transposed_copy<T>(recurrence.u)),
        carry(Tensor::zeros({r_.B, r_.state_width()}, dtype_of<T>())),
        dgx(Tensor::empty({r_.N, r_.gate_width()}, dtype_of<T>())),
        dgh(Cell::kOneGradient ? dgx : Tensor::empty(dgx.shape(), dtype_of<T>())) {}

  // From the gradient dy of the states of all steps; fills step t of dgx and dgh. The carry then
  // lacks what comes through gh.
  void cell(int64_t t, const T* states, int64_t stride, const T* dy, int64_t dy_stride) {
    const int64_t begin = r_.steps.begin(t);
    Cell::backward({.rows = r_.steps.count(t),
                    .H = r_.H,
                    .kept = kept_.data<T>() + begin * Cell::kKept * r_.H,
                    .before = r_.before(t, states, stride),
                    .before_stride = r_.before_stride(t, stride),
                    .dy = dy + begin * dy_stride,
                    .dy_stride = dy_stride,
                    .carry = carry.template data<T>(),
                    .dgx = dgx.template data<T>() + begin * r_.gate_width(),
                    .dgh = dgh.template data<T>() + begin * r_.gate_width()});
  }

  // gh = h u + b:  dh += dgh uᵀ
  void state(int64_t t) {
    const int64_t G = r_.gate_width();
    const Tensor& gate_gradient = dgh;
    kernels::gemm<T>(r_.steps.count(t), r_.H, G,
                     {gate_gradient.data<T>() + r_.steps.begin(t) * G, G}, {u_.data<T>(), r_.H},
                     carry.template data<T>(), r_.state_width(), {.accumulate = true});
  }

  // gh = h u + b:  du = hᵀ dgh, one product over all steps
  Tensor weight(const Tensor& states_before) const {
    const int64_t G = r_.gate_width();
    Tensor du = Tensor::empty({r_.H, G}, dtype_of<T>());
    kernels::gemm<T>(r_.H, G, r_.N,
                     kernels::MatrixView<T>{states_before.data<T>(), r_.H}.transposed(),
                     {dgh.template data<T>(), G}, du.data<T>(), G);
    return du;
  }

  Tensor bias() const {
    Tensor db = Tensor::empty({r_.gate_width()}, dtype_of<T>());
    kernels::sum_rows(dgh.template data<T>(), r_.gate_width(), r_.N, r_.gate_width(), db.data<T>());
    return db;
  }

 private:
  const Recurrence<T, Cell>& r_;
  const Tensor kept_, u_;

 public:
  Tensor carry;     // [B, S H]
  Tensor dgx, dgh;  // [N, G H]
};

// The plain recurrence as an operation: states of all rows, [N, S H].
template <typename T, class Cell>
Variable recurrent_sequence(const Variable& gx, const Variable& u, const Variable& bias,
                            const Variable& start, std::span<const int64_t> counts,
                            const char* what) {
  const RecurrenceShape shape =
      check_recurrence(gx, u, bias, start, Cell::kGates, Cell::kStates, what);
  TimeSteps steps = time_steps(counts, shape.N, start.value().defined() ? shape.B : shape.N, what);
  auto r = std::make_shared<const Recurrence<T, Cell>>(std::move(steps), shape, u, bias, start);
  const int64_t width = r->state_width(), G = r->gate_width();
  const bool recording = will_record({&gx, &u, &bias, &start});
  const Tensor input = gx.value().contiguous();
  Tensor states = Tensor::empty({r->N, width}, dtype_of<T>());
  Tensor kept = recording ? Tensor::empty({r->N, Cell::kKept * r->H}, dtype_of<T>()) : Tensor();
  Tensor gh = Tensor::empty({r->B, G}, dtype_of<T>());
  for (int64_t t = 0; t < r->steps.size(); ++t) {
    r->forward(t, input.data<T>() + r->steps.begin(t) * G, gh.data<T>(), states.data<T>(), width,
               recording ? kept.data<T>() : nullptr);
  }
  if (!recording) return states;
  return record(states, {gx, u, bias, start},
                [r, states, kept, need_u = u.requires_gradient(),
                 need_bias = bias.requires_gradient()](const Tensor& dy) -> std::vector<Tensor> {
                  RecurrenceBackward<T, Cell> back(*r, kept);
                  const T* y = states.data<T>();
                  for (int64_t t = r->steps.size() - 1; t >= 0; --t) {
                    back.cell(t, y, r->state_width(), dy.data<T>(), dy.stride(0));
                    back.state(t);
                  }
                  return {back.dgx,
                          need_u ? back.weight(r->states_before(y, r->state_width())) : Tensor(),
                          need_bias ? back.bias() : Tensor(), back.carry};
                });
}

}  // namespace heed

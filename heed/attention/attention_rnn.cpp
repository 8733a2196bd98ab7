#include "heed/attention/attention_rnn.h"

#include <utility>
#include <vector>

#include "heed/attention/engine_internal.h"
#include "heed/attention/prepare_problem_internal.h"
#include "heed/attention/query_gradient_internal.h"
#include "heed/kernels/gemm.h"
#include "heed/ops/matrix_operand.h"
#include "heed/ops/operand_checks.h"
#include "heed/ops/recurrence.h"
#include "heed/ops/recurrent_cells.h"
#include "heed/ops/split.h"

namespace heed {

// One of the two is filled.
struct AttentionRnnMemory::Packed {
  engine::BlockTable<float> narrow;
  engine::BlockTable<double> wide;

  template <typename T>
  const engine::BlockTable<T>& table() const {
    if constexpr (std::is_same_v<T, float>) {
      return narrow;
    } else {
      return wide;
    }
  }
};

namespace {

constexpr const char* kName = "attention_rnn";

using engine::RowRange;

// Rows of a sequence-major matrix and of the rows of one step, which are one after the other.
enum class Way : uint8_t { to_step, from_step };

template <typename T, class Cell>
class AttentionRnnPass {
 public:
  AttentionRnnPass(const Variable& gx, const AttentionRnnWeights& weights, const Variable& start,
                   const AttentionRnnMemory& memory, const AttentionRnnOrder& order)
      : in_{gx, weights, start, memory},
        order_(order.order.begin(), order.order.end()),
        recurrence_(make_recurrence(gx, weights, start, order)) {
    check_operands();
    const int64_t N = recurrence_.N;
    context_width_ = memory.values().value().dim(1);
    key_width_ = memory.keys().value().dim(1);
    q_ = Tensor::empty({N, 1, key_width_}, dtype_of<T>());
    contexts_ = Tensor::empty({N, 1, context_width_}, dtype_of<T>());
    max_ = Tensor::empty({N}, dtype_of<T>());
    sum_ = Tensor::empty({N}, dtype_of<T>());
    engine::CoreInputs core{q_,
                            engine::with_heads(memory.keys().value(), "keys"),
                            engine::with_heads(memory.values().value(), "values"),
                            {},
                            weights.w_v};
    prepared_ = engine::prepare<T>(core, query_rows(), memory.rows(),
                                   {.score = Additive{{}, {}, weights.w_v}});
  }

  // [N, S + Dv]
  Tensor forward(bool recording) {
    const int64_t S = recurrence_.state_width(), G = recurrence_.gate_width(), width = row_width();
    const int64_t H = recurrence_.H, B = recurrence_.B;
    y_ = Tensor::empty({recurrence_.N, width}, dtype_of<T>());
    if (recording) kept_ = Tensor::empty({recurrence_.N, Cell::kKept * H}, dtype_of<T>());
    const Tensor gx = in_.gx.value().contiguous();
    const Tensor w_q = transposed_copy<T>(in_.weights.w_q), w_c = in_.weights.context.value();
    Tensor memory = Tensor::empty({B * (2 * G + key_width_)}, dtype_of<T>());
    T* gates = memory.data<T>();
    T* gh = gates + B * G;
    T* q = gh + B * G;
    T* y = y_.template data<T>();
    engine::ForwardResult<T> result{.output = engine::mutable_heads_of<T>(contexts_),
                                    .max = max_.template data<T>(),
                                    .sum = sum_.template data<T>()};
    for (int64_t t = 0; t < recurrence_.steps.size(); ++t) {
      const int64_t n = recurrence_.steps.count(t), begin = recurrence_.steps.begin(t);
      kernels::gemm<T>(n, key_width_, H,
                       {recurrence_.before(t, y, width), recurrence_.before_stride(t, width)},
                       {w_q.data<T>(), key_width_}, q, key_width_);
      copy(Way::from_step, t, q_, q, key_width_);
      engine::attention_forward_rows(prepared_->problem, in_.memory.packed().template table<T>(),
                                     ranges(t), result);
      T* context = y + begin * width + S;
      copy(Way::to_step, t, contexts_, context, width);
      std::copy_n(gx.data<T>() + begin * G, n * G, gates);
      kernels::gemm<T>(n, G, context_width_, {context, width}, as_matrix<T>(w_c), gates, G,
                       {.accumulate = true});
      recurrence_.forward(t, gates, gh, y, width, recording ? kept_.template data<T>() : nullptr);
    }
    return y_;
  }

  // gates = gx + c W_c:  dc += dgates W_cᵀ      q = h W_qᵀ:  dh += dq W_q
  std::vector<Tensor> backward(const Tensor& dy) {
    const int64_t S = recurrence_.state_width(), G = recurrence_.gate_width(), width = row_width();
    const int64_t H = recurrence_.H, B = recurrence_.B, N = recurrence_.N;
    const T* y = std::as_const(y_).template data<T>();
    RecurrenceBackward<T, Cell> back(recurrence_, kept_);
    Tensor dcontexts = Tensor::empty(contexts_.shape(), dtype_of<T>());
    Tensor dq = Tensor::zeros(q_.shape(), dtype_of<T>());
    Tensor dq_steps = Tensor::empty({N, key_width_}, dtype_of<T>());
    engine::BackwardTask<T> task{.dy = engine::heads_of<T>(dcontexts),
                                 .y = engine::heads_of<T>(contexts_),
                                 .max = std::as_const(max_).template data<T>(),
                                 .sum = std::as_const(sum_).template data<T>(),
                                 .dq = engine::mutable_heads_of<T>(dq),
                                 .dk = {},
                                 .dv = {}};
    {
      engine::QueryGradient<T> queries(prepared_->problem, task);
      const Tensor w_c = transposed_copy<T>(in_.weights.context);
      const Tensor& w_q = in_.weights.w_q.value();
      Tensor memory = Tensor::empty({B, context_width_}, dtype_of<T>());
      T* dcontext = memory.data<T>();
      for (int64_t t = recurrence_.steps.size() - 1; t >= 0; --t) {
        const int64_t n = recurrence_.steps.count(t), begin = recurrence_.steps.begin(t);
        back.cell(t, y, width, dy.data<T>(), dy.stride(0));
        for (int64_t i = 0; i < n; ++i) {
          std::copy_n(dy.data<T>() + (begin + i) * dy.stride(0) + S, context_width_,
                      dcontext + i * context_width_);
        }
        kernels::gemm<T>(
            n, context_width_, G, {std::as_const(back.dgx).template data<T>() + begin * G, G},
            {w_c.data<T>(), context_width_}, dcontext, context_width_, {.accumulate = true});
        copy(Way::from_step, t, dcontexts, dcontext, context_width_);
        queries.run(ranges(t));
        T* step = dq_steps.data<T>() + begin * key_width_;
        copy(Way::to_step, t, dq, step, key_width_);
        back.state(t);
        kernels::gemm<T>(n, H, key_width_, {step, key_width_}, as_matrix<T>(w_q),
                         back.carry.template data<T>(), S, {.accumulate = true});
      }
    }
    const Tensor before = recurrence_.states_before(y, width);
    const auto matrix = [](const Tensor& x) { return as_matrix<T>(x); };
    Tensor dw_c = Tensor::empty({context_width_, G}, dtype_of<T>());
    kernels::gemm<T>(context_width_, G, N, kernels::MatrixView<T>{y + S, width}.transposed(),
                     matrix(back.dgx), dw_c.data<T>(), G);
    Tensor dw_q = Tensor::empty({key_width_, H}, dtype_of<T>());
    kernels::gemm<T>(key_width_, H, N, matrix(dq_steps).transposed(), matrix(before),
                     dw_q.data<T>(), H);

    Tensor dkeys = Tensor::zeros({in_.memory.rows().total(), 1, key_width_}, dtype_of<T>());
    Tensor dvalues = Tensor::zeros({dkeys.dim(0), 1, context_width_}, dtype_of<T>());
    Tensor dw_v = Tensor::zeros({key_width_}, dtype_of<T>());
    task.dk = engine::mutable_heads_of<T>(dkeys);
    task.dv = engine::mutable_heads_of<T>(dvalues);
    task.parameters = dw_v.data<T>();
    engine::attention_backward(prepared_->problem, task);
    return {back.dgx,
            back.weight(before),
            in_.weights.recurrent_bias.value().defined() ? back.bias() : Tensor(),
            dw_c,
            dw_q,
            dw_v.reshape(in_.weights.w_v.shape()),
            dkeys.join_heads(),
            dvalues.join_heads(),
            back.carry};
  }

 private:
  struct In {
    Variable gx;
    AttentionRnnWeights weights;
    Variable start;
    AttentionRnnMemory memory;
  };

  int64_t row_width() const { return recurrence_.state_width() + context_width_; }

  static Recurrence<T, Cell> make_recurrence(const Variable& gx, const AttentionRnnWeights& weights,
                                             const Variable& start,
                                             const AttentionRnnOrder& order) {
    const RecurrenceShape shape = check_recurrence(gx, weights.recurrent, weights.recurrent_bias,
                                                   start, Cell::kGates, Cell::kStates, kName);
    const auto B = static_cast<int64_t>(order.order.size());
    check(!start.value().defined() || shape.B == B, "{}: {} states at the start for {} sequences",
          kName, shape.B, B);
    return Recurrence<T, Cell>(time_steps(order.counts, shape.N, B, kName), shape,
                               weights.recurrent, weights.recurrent_bias, start);
  }

  void check_operands() const {
    const Tensor& keys = in_.memory.keys();
    const Tensor& values = in_.memory.values();
    const int64_t H = recurrence_.H, A = keys.dim(1);
    const auto require = [&](const Variable& x, const Shape& shape, const char* name) {
      check(x.value().defined() && x.shape() == shape && x.value().dtype() == dtype_of<T>(),
            "{}: {} must be {} {}, got {}", kName, name, heed::name(dtype_of<T>()), shape,
            x.value());
    };
    require(in_.weights.w_q, {A, H}, "w_q");
    require(in_.weights.w_v, {A}, "w_v");
    require(in_.weights.context, {values.dim(1), recurrence_.gate_width()}, "the context's matrix");
    check(keys.dtype() == dtype_of<T>(), "{}: gx is {}, the memory {}", kName, in_.gx.value(),
          keys);
    check(static_cast<int64_t>(order_.size()) == in_.memory.rows().count(),
          "{}: {} sequences attend to {}", kName, order_.size(), in_.memory.rows().count());
    std::vector<bool> seen(order_.size());
    for (const int64_t b : order_) {
      check(b >= 0 && b < static_cast<int64_t>(order_.size()) && !seen[b],
            "{}: the order is not a permutation of {} sequences", kName, order_.size());
      seen[b] = true;
    }
  }

  // The queries of every sequence, in the order of the memory.
  Rows query_rows() const {
    std::vector<int64_t> lengths(order_.size(), 0);
    for (int64_t t = 0; t < recurrence_.steps.size(); ++t) {
      for (int64_t i = 0; i < recurrence_.steps.count(t); ++i) {
        ++lengths[order_[i]];
      }
    }
    return Rows::from_lengths(lengths);
  }

  std::vector<RowRange> ranges(int64_t t) const {
    std::vector<RowRange> result;
    for (int64_t i = 0; i < recurrence_.steps.count(t); ++i) {
      result.push_back({order_[i], 0, t, 1});
    }
    return result;
  }

  // Between rows of `all` [N, 1, D], in the order of the memory, and the rows of step t.
  void copy(Way way, int64_t t, Tensor& all, T* step, int64_t stride) const {
    const int64_t D = all.dim(2);
    for (int64_t i = 0; i < recurrence_.steps.count(t); ++i) {
      const int64_t b = order_[i];
      T* row = all.data<T>() + (prepared_->problem.query_rows.begin(b) + t) * D;
      if (way == Way::to_step) {
        std::copy_n(row, D, step + i * stride);
      } else {
        std::copy_n(step + i * stride, D, row);
      }
    }
  }

  In in_;
  std::vector<int64_t> order_;
  Recurrence<T, Cell> recurrence_;
  int64_t context_width_ = 0, key_width_ = 0;
  Tensor q_, contexts_;  // [N, 1, A], [N, 1, Dv], in the order of the memory
  Tensor max_, sum_;     // [N]
  std::unique_ptr<engine::Prepared<T>> prepared_;
  Tensor y_;     // [N, S + Dv], time-major
  Tensor kept_;  // [N, K H]
};

template <typename T, class Cell>
AttentionRnnStates run(const Variable& gx, const AttentionRnnWeights& weights,
                       const Variable& start, const AttentionRnnMemory& memory,
                       const AttentionRnnOrder& order) {
  const bool recording =
      will_record({&gx, &weights.recurrent, &weights.recurrent_bias, &weights.context, &weights.w_q,
                   &weights.w_v, &memory.keys(), &memory.values(), &start});
  auto attended = std::make_shared<AttentionRnnPass<T, Cell>>(gx, weights, start, memory, order);
  Tensor y = attended->forward(recording);
  const int64_t H = weights.recurrent.value().dim(0);
  const int64_t S = Cell::kStates * H;
  const Variable result = record(y,
                                 {gx, weights.recurrent, weights.recurrent_bias, weights.context,
                                  weights.w_q, weights.w_v, memory.keys(), memory.values(), start},
                                 [attended](const Tensor& dy) { return attended->backward(dy); });
  const std::vector<Variable> parts = split(result, {S, y.dim(1) - S});
  return {parts[0], parts[1]};
}

}  // namespace

AttentionRnnMemory::AttentionRnnMemory(Variable keys, Variable values, Rows rows)
    : keys_(std::move(keys)), values_(std::move(values)), rows_(std::move(rows)) {
  for (const Variable* x : {&keys_, &values_}) {
    check(x->value().defined() && x->value().rank() == 2 && is_real(x->value().dtype()),
          "{}: keys and values must be float32 or float64 [M, D], got {}", kName, x->value());
    rows_.require_total(x->value().dim(0), kName);
  }
  auto packed = std::make_shared<Packed>();
  with_real(keys_, kName, [&](auto zero) {
    using T = decltype(zero);
    require_same_type(keys_, "attention_rnn: the keys", values_, "the values");
    engine::Problem<T> problem;
    problem.k = {keys_.value().data<T>(), keys_.value().stride(0), 0};
    problem.v = {values_.value().data<T>(), values_.value().stride(0), 0};
    problem.heads = problem.kv_heads = 1;
    problem.width = keys_.value().dim(1);
    problem.value_width = values_.value().dim(1);
    problem.key_rows = rows_;
    if constexpr (std::is_same_v<T, float>) {
      packed->narrow = engine::BlockTable<T>::pack(problem);
    } else {
      packed->wide = engine::BlockTable<T>::pack(problem);
    }
  });
  packed_ = std::move(packed);
}

AttentionRnnStates attention_rnn(const Variable& gx, const AttentionRnnWeights& weights,
                                 const Variable& start, const AttentionRnnMemory& memory,
                                 const AttentionRnnOrder& order) {
  return with_real(gx, "attention_rnn: gx", [&](auto zero) {
    using T = decltype(zero);
    return weights.cell == CellKind::gru ? run<T, GruCell>(gx, weights, start, memory, order)
                                         : run<T, LstmCell>(gx, weights, start, memory, order);
  });
}

}  // namespace heed

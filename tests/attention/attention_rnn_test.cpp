#include "heed/attention/attention_rnn.h"

#include <gtest/gtest.h>

#include "heed/attention/attention.h"
#include "heed/base/error.h"
#include "heed/ops/add.h"
#include "heed/ops/affine.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/gather.h"
#include "heed/ops/gru_sequence.h"
#include "heed/ops/lstm_sequence.h"
#include "heed/ops/slice.h"
#include "heed/ops/split.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

// Sequences of 2, 4 and 1 queries attend to 3, 2 and 5 keys.
const std::vector<int64_t> kCounts = {3, 2, 1, 1}, kOrder = {1, 0, 2};
const Rows kKeyRows = Rows::from_lengths({3, 2, 5});

struct Sizes {
  int64_t N = 7, B = 3, M = 10, H = 2, A = 5, Dv = 4;
};

class AttentionRnn : public testing::TestWithParam<CellKind> {
 protected:
  // gx, U, b, W_c, w_q, w_v, keys, values, start
  std::vector<Tensor> inputs(const Sizes& s, DType type = DType::f64) const {
    const int64_t G = gate_count(GetParam()) * s.H, S = state_parts(GetParam()) * s.H;
    return {random_tensor({s.N, G}, 1, type),   random_tensor({s.H, G}, 2, type),
            random_tensor({G}, 3, type),        random_tensor({s.Dv, G}, 4, type),
            random_tensor({s.A, s.H}, 5, type), random_tensor({s.A}, 6, type, -3, 3),
            random_tensor({s.M, s.A}, 7, type), random_tensor({s.M, s.Dv}, 8, type),
            random_tensor({s.B, S}, 9, type)};
  }

  AttentionRnnStates run(const Inputs& in, const Rows& key_rows, const std::vector<int64_t>& counts,
                         const std::vector<int64_t>& order) const {
    return attention_rnn(in[0],
                         {.cell = GetParam(),
                          .recurrent = in[1],
                          .recurrent_bias = in[2],
                          .context = in[3],
                          .w_q = in[4],
                          .w_v = in[5]},
                         in[8], AttentionRnnMemory(in[6], in[7], key_rows),
                         {.counts = counts, .order = order});
  }

  Operation operation() const {
    return [this](const Inputs& in) {
      const AttentionRnnStates y = run(in, kKeyRows, kCounts, kOrder);
      return concatenate({y.states, y.contexts}, 1);
    };
  }

  // The composition that attention_rnn replaces: attention() and one step of the cell, again
  // and again.
  Variable composed(const Inputs& in) const {
    const int64_t H = in[1].value().dim(0);
    Variable state = in[8];
    std::vector<Variable> rows;
    int64_t begin = 0;
    for (const int64_t n : kCounts) {
      state = slice(state, 0, 0, n);
      std::vector<int64_t> lengths, key_ids;
      for (int64_t i = 0; i < n; ++i) {
        const int64_t b = kOrder[i];
        lengths.push_back(kKeyRows.length(b));
        for (int64_t j = kKeyRows.begin(b); j < kKeyRows.end(b); ++j) key_ids.push_back(j);
      }
      const Tensor ids = Tensor::from(key_ids, {static_cast<int64_t>(key_ids.size())});
      const Variable h = GetParam() == CellKind::gru ? state : split(state, {H, H})[0];
      const int64_t A = in[5].value().size();
      Tensor identity = Tensor::zeros({A, A}, DType::f64);
      for (int64_t i = 0; i < A; ++i) identity.data<double>()[i * A + i] = 1;
      const Variable context =
          attention(h, gather(in[6], ids), gather(in[7], ids),
                    Rows::from_lengths(std::vector<int64_t>(static_cast<size_t>(n), 1)),
                    Rows::from_lengths(lengths), {.score = Additive{in[4], identity, in[5]}});
      const Variable gates = add(slice(in[0], 0, begin, begin + n), affine(context, in[3]));
      const auto step = GetParam() == CellKind::gru ? gru_sequence : lstm_sequence;
      state = step(gates, in[1], in[2], state, std::vector<int64_t>{n});
      rows.push_back(concatenate({state, context}, 1));
      begin += n;
    }
    return concatenate(rows);
  }
};

TEST_P(AttentionRnn, Gradients) {
  check_gradients(operation(), inputs({}));
  check_float32(operation(), inputs({}), 2e-5);
}

TEST_P(AttentionRnn, EqualsItsComposition) {
  const Derivatives fused = differentiate(operation(), inputs({}));
  const Derivatives plain =
      differentiate([this](const Inputs& in) { return composed(in); }, inputs({}));
  expect_close(fused.y, plain.y, 1e-13, "y");
  for (size_t k = 0; k < fused.dx.size(); ++k) {
    expect_close(fused.dx[k], plain.dx[k], 1e-12, ("gradient " + std::to_string(k)).c_str());
  }
}

TEST_P(AttentionRnn, ManyKeysAndWidths) {
  const Rows keys = Rows::from_lengths({130, 17, 300});
  for (const int64_t H : {16, 33}) {
    const Sizes sizes{.M = 447, .H = H, .A = H + 3, .Dv = 2 * H};
    check_float32(
        [&](const Inputs& in) {
          const AttentionRnnStates y = run(in, keys, kCounts, kOrder);
          return concatenate({y.states, y.contexts}, 1);
        },
        inputs(sizes), 1e-4);
  }
}

constexpr int64_t kMany = 48;

TEST_P(AttentionRnn, SameBitsForAnyThreads) {
  const std::vector<int64_t> lengths(kMany, 40), counts = {48, 48, 31, 7};
  std::vector<int64_t> order;
  for (int64_t i = 0; i < kMany; ++i) order.push_back((i * 5) % kMany);
  const Rows keys = Rows::from_lengths(lengths);
  check_threads(
      [&](const Inputs& in) {
        const AttentionRnnStates y = run(in, keys, counts, order);
        return concatenate({y.states, y.contexts}, 1);
      },
      inputs({.N = 134, .B = kMany, .M = 40 * kMany, .H = 48, .A = 64, .Dv = 80}, DType::f32));
}

// Alone, and one step at a time from the state before.
TEST_P(AttentionRnn, SameBitsAloneAndStepByStep) {
  const Sizes sizes{.H = 19, .A = 21, .Dv = 35};
  const std::vector<Tensor> in = inputs(sizes, DType::f32);
  const AttentionRnnStates all = run(Inputs(in.begin(), in.end()), kKeyRows, kCounts, kOrder);
  const int64_t places[] = {0, 3, 5, 6};  // of the four queries of sequence 1
  const auto part = [](const Tensor& x, int64_t begin, int64_t end) {
    return Variable(x.slice(0, begin, end));
  };
  const int64_t begin = kKeyRows.begin(1), end = kKeyRows.end(1);
  Variable state = part(in[8], 0, 1);
  for (const int64_t place : places) {
    const Inputs one = {
        part(in[0], place, place + 1), in[1], in[2], in[3], in[4], in[5], part(in[6], begin, end),
        part(in[7], begin, end),       state};
    const AttentionRnnStates step = run(one, Rows::single(end - begin), {1}, {0});
    expect_same_bits(step.states, all.states.value().slice(0, place, place + 1), "state");
    expect_same_bits(step.contexts, all.contexts.value().slice(0, place, place + 1), "context");
    state = step.states.value();
  }
}

TEST_P(AttentionRnn, NothingToAttendTo) {
  std::vector<Tensor> in = inputs({.M = 7});
  const Rows keys = Rows::from_lengths({0, 2, 5});
  const AttentionRnnStates y = run(Inputs(in.begin(), in.end()), keys, kCounts, kOrder);
  EXPECT_EQ(largest(y.contexts.value().slice(0, 1, 2)), 0);
}

TEST_P(AttentionRnn, BadInput) {
  const auto with = [&](size_t k, const Tensor& x) {
    std::vector<Tensor> in = inputs({});
    in[k] = x;
    return run(Inputs(in.begin(), in.end()), kKeyRows, kCounts, kOrder);
  };
  EXPECT_THROW(with(3, Tensor::zeros({3, 3}, DType::f64)), Error);
  EXPECT_THROW(with(4, Tensor::zeros({5, 3}, DType::f64)), Error);
  EXPECT_THROW(with(5, Tensor::zeros({4}, DType::f64)), Error);
  EXPECT_THROW(with(6, Tensor::zeros({9, 5}, DType::f64)), Error);
  EXPECT_THROW(with(7, Tensor::zeros({10, 4}, DType::f32)), Error);
  EXPECT_THROW(with(8, inputs({.B = 2})[8]), Error);
  const std::vector<Tensor> in = inputs({});
  const Inputs good(in.begin(), in.end());
  EXPECT_THROW(run(good, kKeyRows, kCounts, {0, 1}), Error);
  EXPECT_THROW(run(good, kKeyRows, kCounts, {0, 1, 1}), Error);
  EXPECT_THROW(run(good, kKeyRows, {3, 2, 1}, kOrder), Error);
}

INSTANTIATE_TEST_SUITE_P(Cells, AttentionRnn, testing::Values(CellKind::gru, CellKind::lstm),
                         [](const auto& cell) {
                           return std::string(cell.param == CellKind::gru ? "Gru" : "Lstm");
                         });

}  // namespace
}  // namespace heed

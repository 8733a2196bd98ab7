// GRU and LSTM over sequences: gradients, the composition of plain operations they replace, and the
// same bits alone, in company, and a few steps at a time.
#include <gtest/gtest.h>

#include <string>

#include "heed/base/error.h"
#include "heed/ops/activations.h"
#include "heed/ops/add.h"
#include "heed/ops/affine.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/gru_sequence.h"
#include "heed/ops/lstm_sequence.h"
#include "heed/ops/multiply.h"
#include "heed/ops/slice.h"
#include "heed/ops/split.h"
#include "tests/ops/gradient_check.h"

namespace heed::recurrent_sequence_test {
namespace {

const std::vector<int64_t> kCounts = {4, 3, 3, 1, 1};  // lengths 5, 3, 3, 1
constexpr int64_t kN = 12, kB = 5, kH = 3;             // one sequence of the start has no rows

struct Kind {
  const char* name;
  int64_t gates, states;
  Variable (*run)(const Variable&, const Variable&, const Variable&, const Variable&,
                  std::span<const int64_t>);
};

class RecurrentSequence : public testing::TestWithParam<Kind> {
 protected:
  std::vector<Tensor> inputs(int64_t N, int64_t B, int64_t H, DType type = DType::f64) const {
    const auto [name, gates, states, run] = GetParam();
    return {random_tensor({N, gates * H}, 1, type, -2, 2), random_tensor({H, gates * H}, 2, type),
            random_tensor({gates * H}, 3, type), random_tensor({B, states * H}, 4, type)};
  }
  Operation operation(std::vector<int64_t> counts) const {
    return [counts = std::move(counts), run = GetParam().run](const Inputs& in) {
      return run(in[0], in[1], in[2], in[3], counts);
    };
  }
};

TEST_P(RecurrentSequence, Gradients) {
  check_gradients(operation(kCounts), inputs(kN, kB, kH));
  check_float32(operation(kCounts), inputs(kN, kB, kH));
}

TEST_P(RecurrentSequence, Float32OfManyWidths) {
  for (const int64_t H : {2, 15, 16, 17, 70}) {
    SCOPED_TRACE(H);
    check_float32(operation(kCounts), inputs(kN, kB, H), 5e-5);
  }
}

TEST_P(RecurrentSequence, WithoutStartOrBias) {
  const std::vector<Tensor> all = inputs(kN, kCounts[0], kH);
  const Operation f = operation(kCounts);
  check_gradients([&](const Inputs& in) { return f({in[0], in[1], {}, {}}); }, {all[0], all[1]});
  const Tensor zero = Tensor::zeros(all[3].shape(), DType::f64);
  const Tensor no_bias = Tensor::zeros(all[2].shape(), DType::f64);
  expect_same_bits(f({all[0], all[1], {}, {}}).value(), f({all[0], all[1], no_bias, zero}).value(),
                   "states");
}

TEST_P(RecurrentSequence, SameBitsForAnyThreads) {
  check_threads(operation({64, 64, 60, 33, 2}), inputs(223, 64, 96, DType::f32));
}

// The rows of one sequence, time after time.
Tensor rows_of(const Tensor& x, const std::vector<int64_t>& counts, int64_t sequence) {
  std::vector<Variable> rows;
  int64_t begin = 0;
  for (const int64_t count : counts) {
    if (sequence < count) rows.emplace_back(x.slice(0, begin + sequence, begin + sequence + 1));
    begin += count;
  }
  return concatenate(rows).value();
}

TEST_P(RecurrentSequence, SameBitsAloneAndInCompany) {
  const std::vector<Tensor> in = inputs(223, 64, 70, DType::f32);
  const std::vector<int64_t> counts = {64, 64, 60, 33, 2};
  const Kind kind = GetParam();
  const Tensor all = kind.run(in[0], in[1], in[2], in[3], counts).value();
  for (const int64_t sequence : {0, 1, 40, 63}) {
    const Tensor gx = rows_of(in[0], counts, sequence);
    const std::vector<int64_t> ones(static_cast<size_t>(gx.dim(0)), 1);
    const Tensor start = in[3].slice(0, sequence, sequence + 1);
    const Tensor alone = kind.run(gx, in[1], in[2], start, ones).value();
    expect_same_bits(alone, rows_of(all, counts, sequence), "states");
    // And one step after the other.
    Tensor state = start;
    for (int64_t t = 0; t < gx.dim(0); ++t) {
      state = kind.run(gx.slice(0, t, t + 1), in[1], in[2], state, std::vector<int64_t>{1});
      expect_same_bits(state, alone.slice(0, t, t + 1), "step");
    }
  }
}

TEST_P(RecurrentSequence, NoRows) {
  const std::vector<Tensor> in = inputs(0, 2, kH);
  const Derivatives none = differentiate(operation({}), in);
  EXPECT_EQ(none.y.shape(), Shape({0, GetParam().states * kH}));
  EXPECT_EQ(largest(none.dx[1]), 0);
  EXPECT_EQ(none.dx[3].shape(), in[3].shape());
}

TEST_P(RecurrentSequence, BadInput) {
  const std::vector<Tensor> in = inputs(kN, kB, kH);
  const Kind kind = GetParam();
  const auto run = [&](const std::vector<Tensor>& x, const std::vector<int64_t>& counts) {
    return kind.run(x[0], x[1], x[2], x[3], counts);
  };
  EXPECT_THROW(run(in, {4, 3, 3, 1}), Error);     // a row too few
  EXPECT_THROW(run(in, {3, 4, 3, 1, 1}), Error);  // grows
  EXPECT_THROW(run(in, {6, 3, 2, 1}), Error);     // more than the start has
  EXPECT_THROW(run(in, {4, 4, 4, 0}), Error);
  EXPECT_THROW(run({in[0], in[0], in[2], in[3]}, kCounts), Error);
  EXPECT_THROW(run({in[1], in[1], in[2], in[1]}, kCounts), Error);
  EXPECT_THROW(run({in[0], in[1], in[2].slice(0, 0, 2), in[3]}, kCounts), Error);
  EXPECT_THROW(run({in[0], in[1].to(DType::f32), in[2], in[3]}, kCounts), Error);
  EXPECT_THROW(run({Tensor(), in[1], in[2], in[3]}, kCounts), Error);
}

INSTANTIATE_TEST_SUITE_P(Cells, RecurrentSequence,
                         testing::Values(Kind{"Gru", 3, 1, gru_sequence},
                                         Kind{"Lstm", 4, 2, lstm_sequence}),
                         [](const auto& kind) { return std::string(kind.param.name); });

// The composition that gru_sequence replaces.
Variable composed_gru(const Inputs& in) {
  Variable h = in[3];
  std::vector<Variable> states;
  int64_t begin = 0;
  for (const int64_t n : kCounts) {
    h = slice(h, 0, 0, n);
    const auto gx = split(slice(in[0], 0, begin, begin + n), {kH, kH, kH});
    const auto gh = split(affine(h, in[1], in[2]), {kH, kH, kH});
    const Variable r = sigmoid(add(gx[0], gh[0])), z = sigmoid(add(gx[1], gh[1]));
    const Variable new_h = tanh(add(gx[2], multiply(r, gh[2])));
    const Variable minus = Tensor::full(new_h.shape(), -1, DType::f64);
    h = add(new_h, multiply(z, add(h, multiply(minus, new_h))));
    states.push_back(h);
    begin += n;
  }
  return concatenate(states);
}

// The composition that lstm_sequence replaces.
Variable composed_lstm(const Inputs& in) {
  Variable state = in[3];
  std::vector<Variable> states;
  int64_t begin = 0;
  for (const int64_t n : kCounts) {
    const auto before = split(slice(state, 0, 0, n), {kH, kH});
    const Variable gates = add(slice(in[0], 0, begin, begin + n), affine(before[0], in[1], in[2]));
    const auto g = split(gates, {kH, kH, kH, kH});
    const Variable c = add(multiply(sigmoid(g[1]), before[1]), multiply(sigmoid(g[0]), tanh(g[2])));
    state = concatenate({multiply(sigmoid(g[3]), tanh(c)), c}, 1);
    states.push_back(state);
    begin += n;
  }
  return concatenate(states);
}

TEST(RecurrentSequences, EqualTheirCompositions) {
  const auto compare = [](const Kind& kind, const Operation& composition) {
    const std::vector<Tensor> in = {
        random_tensor({kN, kind.gates * kH}, 1), random_tensor({kH, kind.gates * kH}, 2),
        random_tensor({kind.gates * kH}, 3), random_tensor({kB, kind.states * kH}, 4)};
    const Derivatives fused = differentiate(
        [&](const Inputs& x) { return kind.run(x[0], x[1], x[2], x[3], kCounts); }, in);
    const Derivatives composed = differentiate(composition, in);
    expect_close(fused.y, composed.y, 1e-13, kind.name);
    for (size_t k = 0; k < in.size(); ++k) {
      expect_close(fused.dx[k], composed.dx[k], 1e-13, "gradient");
    }
  };
  compare({"gru", 3, 1, gru_sequence}, composed_gru);
  compare({"lstm", 4, 2, lstm_sequence}, composed_lstm);
}

}  // namespace
}  // namespace heed::recurrent_sequence_test

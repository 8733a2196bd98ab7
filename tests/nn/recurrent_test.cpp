#include "heed/nn/recurrent.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/ops/concatenate.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

const Rows kRows = Rows::from_lengths({3, 1, 4});
constexpr int64_t kIn = 2;

Operation network(const RecurrentOptions& options, const Pass& pass = {}) {
  return [=](const Inputs& in) {
    Parameters parameters({.seed = 3, .type = in[0].value().dtype()});
    return Recurrent(ParameterScope(parameters), kIn, options)(in[0], kRows, pass).y;
  };
}

TEST(Recurrent, Gradients) {
  for (const CellKind cell : {CellKind::gru, CellKind::lstm}) {
    for (const bool both : {false, true}) {
      check_gradients(network({.cell = cell, .hidden = 3, .layers = 2, .bidirectional = both}),
                      {random_tensor({8, kIn}, 1)});
    }
  }
}

TEST(Recurrent, DropoutBetweenLayers) {
  const RecurrentOptions options = {.hidden = 3, .layers = 2, .dropout = 0.5};
  const Pass training{.training = true, .seed = 5};
  const Tensor x = random_tensor({8, kIn}, 1);
  check_gradients(network(options, training), {x});
  const Tensor dropped = network(options, training)({x}), whole = network(options)({x});
  const Tensor plain = network({.hidden = 3, .layers = 2})({x});
  expect_same_bits(whole, plain, "without training");
  EXPECT_NE(dropped.data<double>()[5], plain.data<double>()[5]);
}

// A few rows at a time, from the state before: the form for decoding.
TEST(Recurrent, StepByStepSameBits) {
  for (const CellKind cell : {CellKind::gru, CellKind::lstm}) {
    Parameters parameters({.seed = 3});
    const Recurrent net(ParameterScope(parameters), kIn, {.cell = cell, .hidden = 37, .layers = 2});
    const Tensor x = random_tensor({4, kIn}, 1, DType::f32);
    const RecurrentResult whole = net(x, Rows::single(4), {});
    std::vector<Variable> state;
    std::vector<Variable> parts;
    for (const auto& [begin, end] : {std::pair{0, 1}, std::pair{1, 1}, std::pair{1, 3}, {3, 4}}) {
      if (begin == end && state.empty()) continue;
      const RecurrentResult part =
          net(x.slice(0, begin, end), Rows::single(end - begin), {}, state);
      state = part.last;
      parts.push_back(part.y);
    }
    expect_same_bits(concatenate(parts), whole.y, "y");
    for (size_t i = 0; i < state.size(); ++i) expect_same_bits(state[i], whole.last[i], "last");
  }
}

TEST(Recurrent, SameBitsAloneAndInCompany) {
  Parameters parameters({.seed = 3});
  const Recurrent net(ParameterScope(parameters), kIn,
                      {.hidden = 37, .layers = 2, .bidirectional = true});
  const Tensor x = random_tensor({8, kIn}, 1, DType::f32);
  const RecurrentResult all = net(x, kRows, {});
  for (int64_t b = 0; b < kRows.count(); ++b) {
    const auto [begin, end] = std::pair{kRows.begin(b), kRows.end(b)};
    const RecurrentResult alone = net(x.slice(0, begin, end), Rows::single(end - begin), {});
    expect_same_bits(alone.y, all.y.value().slice(0, begin, end), "y");
    expect_same_bits(alone.last[3], all.last[3].value().slice(0, b, b + 1), "last");
  }
}

TEST(Recurrent, BadInput) {
  Parameters parameters;
  const ParameterScope root(parameters);
  EXPECT_THROW(Recurrent(root.in("a"), kIn, {.hidden = 3, .layers = 0}), Error);
  EXPECT_THROW(Recurrent(root.in("b"), kIn, {.hidden = 0}), Error);
  const Recurrent net(root.in("c"), kIn, {.hidden = 3});
  EXPECT_THROW(net(Tensor::zeros({7, kIn}), kRows, {}), Error);
  EXPECT_THROW(net(Tensor::zeros({8, kIn + 1}), kRows, {}), Error);
  EXPECT_THROW(net(Tensor::zeros({8, kIn}), kRows, {}, std::vector<Variable>(2)), Error);
}

}  // namespace
}  // namespace heed

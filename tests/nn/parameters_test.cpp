#include "heed/nn/parameters.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/nn/linear.h"

namespace heed {
namespace {

TEST(Parameters, AreNamedInOrder) {
  Parameters parameters({.seed = 1});
  const ParameterScope root(parameters);
  const Linear a(root.in("block", 0), 3, 4), b(root.in("output"), 4, 2, {.bias = false});
  ASSERT_EQ(parameters.list().size(), 3u);
  EXPECT_EQ(parameters.list()[0].name, "block.0.weight");
  EXPECT_EQ(parameters.list()[1].name, "block.0.bias");
  EXPECT_EQ(parameters.list()[2].name, "output.weight");
  EXPECT_EQ(parameters.count(), 12 + 4 + 8);
}

TEST(Parameters, AreAFunctionOfSeedAndName) {
  const auto draw = [](uint64_t seed, const char* before) {
    Parameters parameters({.seed = seed});
    const ParameterScope root(parameters);
    if (*before != 0) root.create(before, {5}, Initializer::normal(1));
    return root.create("w", {3, 2}, Initializer::normal(1)).value();
  };
  const Tensor alone = draw(1, ""), later = draw(1, "other"), other = draw(2, "");
  for (int i = 0; i < 6; ++i) EXPECT_EQ(alone.data<float>()[i], later.data<float>()[i]);
  EXPECT_NE(alone.data<float>()[0], other.data<float>()[0]);
}

TEST(Parameters, HaveTheVarianceAskedFor) {
  Parameters parameters({.seed = 1, .type = DType::f64});
  const ParameterScope root(parameters);
  const auto deviation = [](const Tensor& x) {
    double sum = 0;
    for (int64_t i = 0; i < x.size(); ++i) sum += std::pow(x.data<double>()[i], 2);
    return std::sqrt(sum / static_cast<double>(x.size()));
  };
  EXPECT_NEAR(deviation(root.create("n", {100, 200}, Initializer::normal(0.3))), 0.3, 0.006);
  EXPECT_NEAR(deviation(root.create("g", {100, 200}, Initializer::glorot(100, 200))),
              std::sqrt(2.0 / 300), 0.002);
}

TEST(Parameters, StoredOnesAreTaken) {
  const Tensor stored = Tensor::full({2, 3}, 7);
  const auto find = [&](const std::string& name) { return name == "w" ? stored : Tensor(); };
  Parameters parameters({.stored = find, .frozen = [](const std::string& n) { return n == "w"; }});
  const ParameterScope root(parameters);
  const Variable w = root.create("w", {2, 3}, Initializer::constant(0));
  const Variable v = root.create("v", {4}, Initializer::constant(2));
  EXPECT_EQ(w.value().data<float>()[5], 7);
  EXPECT_FALSE(w.requires_gradient());
  EXPECT_TRUE(v.requires_gradient());
  EXPECT_EQ(parameters.trainable().size(), 1u);
}

TEST(Parameters, Int8WeightsAreTwoTensorsAndAreFoundAgain) {
  Parameters first({.seed = 1, .int8 = true});
  const Linear drawn(ParameterScope(first).in("output"), 20, 6);
  ASSERT_EQ(first.list().size(), 3u);
  EXPECT_EQ(first.list()[0].name, "output.weight");
  EXPECT_EQ(first.list()[0].variable.value().dtype(), DType::i8);
  EXPECT_EQ(first.list()[1].name, "output.weight.scale");
  EXPECT_EQ(first.list()[2].name, "output.bias");
  EXPECT_EQ(first.count(), 20 * 6 + 6);
  EXPECT_TRUE(first.trainable().empty());

  const auto find = [&](const std::string& name) {
    for (const NamedParameter& one : first.list()) {
      if (one.name == name) return one.variable.value();
    }
    return Tensor();
  };
  Parameters second({.stored = find, .must_be_stored = true, .int8 = true});
  const Linear stored(ParameterScope(second).in("output"), 20, 6);
  const Tensor x = Tensor::full({1, 20}, 0.5);
  const Tensor a = drawn(x), b = stored(x);
  for (int j = 0; j < 6; ++j) EXPECT_EQ(a.data<float>()[j], b.data<float>()[j]);

  // Neither another shape, nor float32 weights where int8 ones are stored.
  Parameters wrong({.stored = find, .int8 = true});
  EXPECT_THROW(Linear(ParameterScope(wrong).in("output"), 24, 6), Error);
  Parameters real({.stored = find, .ignore_shape_mismatch = true});
  EXPECT_THROW(Linear(ParameterScope(real).in("output"), 20, 6), Error);
  Parameters wide({.type = DType::f64, .int8 = true});
  EXPECT_THROW(Linear(ParameterScope(wide).in("output"), 20, 6), Error);
}

TEST(Parameters, Mistakes) {
  Parameters parameters(
      {.stored = [](const std::string& n) { return n == "w" ? Tensor::zeros({2}) : Tensor(); },
       .must_be_stored = true});
  EXPECT_THROW(parameters.create("w", {3}, Initializer::constant(0)), Error);
  EXPECT_THROW(parameters.create("missing", {3}, Initializer::constant(0)), Error);
  parameters.create("w", {2}, Initializer::constant(0));
  EXPECT_THROW(parameters.create("w", {2}, Initializer::constant(0)), Error);
}

}  // namespace
}  // namespace heed

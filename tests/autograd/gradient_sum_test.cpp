#include "heed/autograd/gradient_sum.h"

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

// Gradients that are given: those of sum_i <g_i, parameter_i>. An undefined one is not reached.
Gradients gradients_of(const std::vector<Variable>& parameters, const std::vector<Tensor>& given) {
  return backward(record(Tensor::zeros({1}, parameters[0].value().dtype()), parameters,
                         [given](const Tensor&) { return given; }));
}

std::vector<Variable> make_parameters(DType type = DType::f32) {
  return {Variable::parameter(Tensor::zeros({3, 7}, type)),
          Variable::parameter(Tensor::zeros({5}, type)),
          Variable::parameter(Tensor::zeros({211, 401}, type))};
}

std::vector<Tensor> make_given(const std::vector<Variable>& parameters, uint64_t seed) {
  std::vector<Tensor> given;
  for (const Variable& p : parameters) {
    given.push_back(random_tensor(p.shape(), seed++, p.value().dtype()));
  }
  return given;
}

GradientSum leaf_of(const std::vector<Variable>& parameters, const std::vector<Tensor>& given) {
  GradientSum leaf(parameters);
  leaf.add(gradients_of(parameters, given));
  return leaf;
}

double element(const Tensor& x, int64_t i) {
  return x.to(DType::f64).contiguous().data<double>()[i];
}

TEST(GradientSum, AddsInOrder) {
  for (const DType type : {DType::f32, DType::f64}) {
    const auto parameters = make_parameters(type);
    const auto a = make_given(parameters, 10), b = make_given(parameters, 20);
    const auto c = make_given(parameters, 30);
    GradientSum sum(parameters);
    EXPECT_TRUE(sum.empty());
    for (const auto& given : {a, b, c}) sum.add(gradients_of(parameters, given));
    for (size_t k = 0; k < parameters.size(); ++k) {
      const Tensor& total = sum.tensors()[k];
      ASSERT_EQ(total.shape(), parameters[k].shape());
      for (int64_t i = 0; i < total.size(); ++i) {
        if (type == DType::f32) {
          const float first = a[k].data<float>()[i] + b[k].data<float>()[i];
          ASSERT_EQ(total.data<float>()[i], first + c[k].data<float>()[i]);
        } else {
          const double first = a[k].data<double>()[i] + b[k].data<double>()[i];
          ASSERT_EQ(total.data<double>()[i], first + c[k].data<double>()[i]);
        }
      }
    }
    sum.scale(0.25);
    EXPECT_NEAR(element(sum.tensors()[1], 2),
                (element(a[1], 2) + element(b[1], 2) + element(c[1], 2)) / 4, 1e-7);
    sum.clear();
    EXPECT_TRUE(sum.empty());
    EXPECT_THROW(sum.tensors(), Error);
  }
}

TEST(GradientSum, UnreachedParametersHaveZeros) {
  const auto parameters = make_parameters();
  auto given = make_given(parameters, 1);
  given[1] = Tensor();
  GradientSum sum(parameters);
  sum.add(gradients_of(parameters, given));
  EXPECT_EQ(largest(sum.tensors()[1]), 0);
  const auto second = make_given(parameters, 5);
  sum.add(gradients_of(parameters, second));
  expect_same_bits(sum.tensors()[1], second[1], "reached at last");
}

// The caller's handles, other sums and what an operation handed out keep their numbers.
TEST(GradientSum, WritesIntoNothingOfOthers) {
  const auto parameters = make_parameters();
  const auto a = make_given(parameters, 1), b = make_given(parameters, 5);
  const Tensor before = a[0].clone();
  const Gradients kept = gradients_of(parameters, a);
  GradientSum first(parameters), second(parameters);
  first.add(kept);
  second.add(first);
  const Tensor handle = first.tensors()[0];
  first.add(gradients_of(parameters, b));
  second.scale(3);
  for (const Tensor& x : {a[0], kept.of(parameters[0]), handle}) {
    expect_same_bits(x, before, "untouched");
  }
  EXPECT_NE(element(first.tensors()[0], 0), element(before, 0));
}

TEST(GradientSum, NormAgreesWithPlainSum) {
  for (const DType type : {DType::f32, DType::f64}) {
    const auto parameters = make_parameters(type);
    const auto given = make_given(parameters, 3);
    long double exact = 0;
    for (const Tensor& x : given) {
      const Tensor wide = x.to(DType::f64);
      for (int64_t i = 0; i < wide.size(); ++i) {
        exact += static_cast<long double>(wide.data<double>()[i]) * wide.data<double>()[i];
      }
    }
    const double expected = static_cast<double>(std::sqrt(exact));
    EXPECT_NEAR(leaf_of(parameters, given).norm(), expected, 1e-13 * expected);
  }
}

TEST(GradientSum, NormHasTheSameBitsForAnyThreads) {
  const auto parameters = make_parameters();
  const GradientSum sum = leaf_of(parameters, make_given(parameters, 4));
  const double one = [&] {
    const ThreadScope scope(1);
    return sum.norm();
  }();
  for (const int count : {2, 3, 8, 16}) {
    const ThreadScope scope(count);
    EXPECT_EQ(sum.norm(), one) << count;
  }
}

TEST(GradientSum, ReportsWhatIsNotFinite) {
  const auto parameters = make_parameters();
  auto given = make_given(parameters, 4);
  EXPECT_FALSE(leaf_of(parameters, given).first_non_finite());
  given[0].data<float>()[0] = 3e38F;  // large, but finite in double
  EXPECT_TRUE(std::isfinite(leaf_of(parameters, given).norm()));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), HUGE_VALF, -HUGE_VALF}) {
    for (const int64_t place : {0, 400, 211 * 401 - 1}) {
      auto changed = given;
      changed[2] = given[2].clone();
      changed[2].data<float>()[place] = bad;
      const GradientSum sum = leaf_of(parameters, changed);
      EXPECT_FALSE(std::isfinite(sum.norm())) << bad << " at " << place;
      EXPECT_EQ(sum.first_non_finite(), 2u);
    }
  }
}

TEST(GradientSum, Mistakes) {
  EXPECT_THROW(GradientSum({Variable(Tensor::zeros({2}))}), Error);
  GradientSum sum(make_parameters());
  EXPECT_THROW((void)sum.norm(), Error);
  EXPECT_THROW(sum.add(GradientSum({Variable::parameter(Tensor::zeros({2}))})), Error);
  EXPECT_THROW(GradientTree().total(), Error);
}

TEST(GradientTree, AddsPairsOfPairs) {
  const auto parameters = make_parameters();
  std::vector<GradientSum> leaves;
  for (uint64_t i = 0; i < 7; ++i) {
    leaves.push_back(leaf_of(parameters, make_given(parameters, 10 * i)));
  }
  const auto both = [](GradientSum a, const GradientSum& b) {
    a.add(b);
    return a;
  };
  const GradientSum four = both(both(leaves[0], leaves[1]), both(leaves[2], leaves[3]));
  const GradientSum three = both(both(leaves[4], leaves[5]), leaves[6]);
  const GradientSum expected = both(four, three);
  GradientTree tree;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (const GradientSum& leaf : leaves) tree.add(leaf);
    const GradientSum total = tree.total();
    for (size_t k = 0; k < parameters.size(); ++k) {
      expect_same_bits(total.tensors()[k], expected.tensors()[k], "tree");
    }
  }
}

TEST(ClipFactor, LimitsTheNorm) {
  EXPECT_EQ(clip_factor(4, 1), 0.25);
  EXPECT_EQ(clip_factor(1, 1), 1);
  EXPECT_EQ(clip_factor(0, 1), 1);
  EXPECT_EQ(clip_factor(100, 0), 1);
  EXPECT_EQ(clip_factor(HUGE_VAL, 1), 1);
  EXPECT_THROW(clip_factor(1, -1), Error);
}

}  // namespace
}  // namespace heed

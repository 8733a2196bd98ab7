#include "heed/autograd/variable.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/tensor/storage.h"

namespace heed {
namespace {

Variable scalar(double value) { return Variable::parameter(Tensor::full({1}, value, DType::f64)); }

Tensor constant(double value) { return Tensor::full({1}, value, DType::f64); }

// x y, the smallest operation there is. `witness` lives as long as the tape holds the function.
Variable times(const Variable& x, const Variable& y, std::shared_ptr<int> witness = nullptr) {
  const double a = x.value().item(), b = y.value().item();
  return record(constant(a * b), {x, y}, [a, b, witness](const Tensor& dy) -> std::vector<Tensor> {
    return {constant(dy.item() * b), constant(dy.item() * a)};
  });
}

TEST(Variable, Chain) {
  const Variable x = scalar(3), y = scalar(5);
  const Gradients gradients = backward(times(times(x, y), y));  // x y^2
  EXPECT_EQ(gradients.of(x).item(), 25);
  EXPECT_EQ(gradients.of(y).item(), 30);
}

TEST(Variable, UsedTwice) {
  const Variable x = scalar(2);
  const Variable square = times(x, x);
  const Gradients gradients = backward(times(square, square));  // x^4
  EXPECT_EQ(gradients.of(x).item(), 32);
}

// The sum over several uses must not write into a tensor that a backward has handed out twice.
TEST(Variable, SharedGradientIsNotOverwritten) {
  const Variable x = scalar(1), y = scalar(1);
  const auto sum = [](const Variable& a, const Variable& b) {
    return record(constant(a.value().item() + b.value().item()), {a, b},
                  [](const Tensor& dy) -> std::vector<Tensor> {
                    return {dy, dy};
                  });
  };
  const Variable inner = sum(x, y);
  const Gradients gradients = backward(sum(sum(inner, x), sum(x, x)));
  EXPECT_EQ(gradients.of(x).item(), 4);
  EXPECT_EQ(gradients.of(y).item(), 1);
}

// Scaling one gradient in place must not change another, nor what an operation was given.
TEST(Variable, GradientsOwnTheirNumbers) {
  const Variable x = Variable::parameter(Tensor::zeros({2, 3}));
  const Variable y = Variable::parameter(Tensor::zeros({2, 3}));
  const Variable z = Variable::parameter(Tensor::zeros({4, 3}));
  const Tensor weights = Tensor::full({2, 3}, 5);
  const Tensor wide = Tensor::full({4, 3}, 7);
  const auto given = [](const Variable& input, const Tensor& gradient) {
    return record(Tensor::zeros({1}), {input},
                  [gradient](const Tensor&) { return std::vector<Tensor>{gradient}; });
  };
  const auto split = [](const Variable& a, const Variable& b, int64_t last) {
    return record(Tensor::zeros({4, 3}), {a, b}, [last](const Tensor& dy) -> std::vector<Tensor> {
      return {dy.slice(0, 0, 2), dy.slice(0, last - 2, last)};
    });
  };
  for (const int64_t last : {2, 4}) {  // the same rows, and two parts of one storage
    const Gradients gradients = backward(given(split(x, y, last), wide));
    gradients.of(x).fill(1);
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(gradients.of(y).data<float>()[i], 7);
    gradients.of(y).fill(2);
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(gradients.of(x).data<float>()[i], 1);
  }
  backward(given(x, weights)).of(x).fill(1);
  EXPECT_EQ(weights.data<float>()[0], 5);
  backward(given(z, wide)).of(z).fill(1);
  EXPECT_EQ(wide.data<float>()[11], 7);
}

TEST(Variable, Constants) {
  const Variable x = scalar(3);
  const Variable c = constant(7);
  EXPECT_FALSE(c.requires_gradient());
  EXPECT_FALSE(times(c, c).requires_gradient());
  EXPECT_EQ(backward(times(x, c)).of(x).item(), 7);
  EXPECT_THROW(backward(times(c, c)), Error);
}

TEST(Variable, UndefinedGradientIsZero) {
  const Variable x = scalar(3), y = scalar(4);
  const Variable z = record(constant(1), {x, y}, [](const Tensor& dy) -> std::vector<Tensor> {
    return {dy, Tensor()};
  });
  const Gradients gradients = backward(z);
  EXPECT_TRUE(gradients.reached(x));
  EXPECT_FALSE(gradients.reached(y));
  EXPECT_EQ(gradients.of(y).item(), 0);
}

TEST(Variable, NothingIsWrittenIntoParameters) {
  const Variable x = scalar(3), unused = scalar(1);
  const Gradients first = backward(times(x, x)), second = backward(times(x, x));
  EXPECT_EQ(first.of(x).item(), 6);
  EXPECT_EQ(second.of(x).item(), 6);
  EXPECT_EQ(x.value().item(), 3);
  EXPECT_FALSE(first.reached(unused));
  EXPECT_THROW(first.of(constant(1)), Error);
}

TEST(Variable, TheLossMayBeAParameter) {
  const Variable x = scalar(3);
  EXPECT_EQ(backward(x).of(x).item(), 1);
  EXPECT_EQ(backward(x).of(x).item(), 1);
}

TEST(Variable, NoGradRecordsNothing) {
  const Variable x = scalar(3);
  {
    const NoGrad outer;
    { const NoGrad inner; }
    EXPECT_FALSE(will_record({&x}));
    EXPECT_FALSE(times(x, x).requires_gradient());
  }
  EXPECT_TRUE(will_record({&x}));
  EXPECT_TRUE(times(x, x).requires_gradient());
  const Variable c = constant(1);
  EXPECT_FALSE(will_record({&c}));
}

TEST(Variable, SecondBackwardIsAnError) {
  const Variable x = scalar(3);
  const Variable shared = times(x, x);
  const Variable loss = times(shared, x);
  backward(loss);
  EXPECT_THROW(backward(loss), Error);
  EXPECT_THROW(backward(times(shared, x)), Error);  // part of it was used
}

TEST(Variable, BadLossAndBadGradients) {
  const Variable x = Variable::parameter(Tensor::zeros({2}));
  EXPECT_THROW(backward(x), Error);
  EXPECT_THROW(Variable::parameter(Tensor::zeros({2}, DType::i32)), Error);
  EXPECT_THROW(Variable::parameter(Tensor()), Error);
  const Variable y = scalar(1);
  const auto gives = [&](std::vector<Tensor> gradients) {
    return record(constant(1), {y}, [gradients](const Tensor&) { return gradients; });
  };
  EXPECT_THROW(backward(gives({})), Error);
  EXPECT_THROW(backward(gives({Tensor::zeros({2}, DType::f64)})), Error);
  EXPECT_THROW(backward(gives({Tensor::zeros({1})})), Error);
}

// What an operation keeps is freed as soon as backward has passed it, not at the end.
TEST(Variable, FreesDuringBackward) {
  const Variable x = scalar(2);
  auto kept = std::make_shared<int>();
  const std::weak_ptr<int> witness = kept;
  bool freed = false;
  const Variable first = record(constant(1), {x}, [&](const Tensor& dy) {
    freed = witness.expired();
    return std::vector<Tensor>{dy};
  });
  const Variable loss = times(first, first, std::move(kept));
  EXPECT_FALSE(witness.expired());
  backward(loss);
  EXPECT_TRUE(freed);
}

TEST(Variable, FreesTensorsDuringBackward) {
  const size_t before = pool_use().used;
  {
    Variable y = scalar(1);
    const Variable x = y;
    for (int i = 0; i < 100; ++i) {
      const Tensor kept = Tensor::zeros({1 << 12});
      y = record(constant(1), {y}, [kept](const Tensor& dy) { return std::vector<Tensor>{dy}; });
    }
    EXPECT_GE(pool_use().used, before + (100 << 14));
    backward(y);
    EXPECT_LT(pool_use().used, before + (10 << 10));  // though y still exists
  }
  EXPECT_EQ(pool_use().used, before);
}

TEST(Variable, VeryLongChains) {
  const auto chain = [](const Variable& x) {
    Variable y = x;
    for (int i = 0; i < 200000; ++i) {
      y = record(x.value(), {y}, [](const Tensor& dy) { return std::vector<Tensor>{dy}; });
    }
    return y;
  };
  const Variable x = scalar(1);
  { const Variable dropped = chain(x); }  // never differentiated
  EXPECT_EQ(backward(chain(x)).of(x).item(), 1);
}

}  // namespace
}  // namespace heed

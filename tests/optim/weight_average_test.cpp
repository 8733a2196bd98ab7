#include "heed/optim/weight_average.h"

#include "heed/base/error.h"
#include "heed/kernels/lerp.h"
#include "tests/goldens/golden.h"
#include "tests/optim/training_case.h"

namespace heed {
namespace {

TEST(WeightAverage, AgreesWithPyTorch) {
  const Golden golden("average");
  for (const DType type : {DType::f64, DType::f32}) {
    std::vector<Tensor> average = {golden.real("values").select(0, 0).to(type).clone()};
    for (int i = 1; i < 6; ++i) {
      kernels::lerp(average, std::vector<Tensor>{golden.real("values").select(0, i).to(type)},
                    0.25);
      expect_close(average[0], golden.real("averages").select(0, i),
                   type == DType::f64 ? 1e-8 : 1e-6, "average");
    }
  }
}

// Parameters that change between updates: every number is multiplied.
void change(const std::vector<OptimizedParameter>& parameters, float factor) {
  for (const OptimizedParameter& p : parameters) {
    Tensor value = p.variable.value();
    for (int64_t i = 0; i < value.size(); ++i) value.data<float>()[i] *= factor;
  }
}

TEST(WeightAverage, AgreesWithPlainLoops) {
  const auto parameters = make_parameters(DType::f32);
  std::vector<Tensor> expected = copies_of(parameters, DType::f64);
  WeightAverage average(parameters, 0.2);
  const double decays[] = {0.1, 2.0 / 11, 0.2, 0.2};
  for (const double decay : decays) {
    change(parameters, 1.25F);
    average.update();
    const auto state = average.state();
    for (size_t k = 0; k < parameters.size(); ++k) {
      const Tensor value = parameters[k].variable.value().to(DType::f64);
      for (int64_t i = 0; i < value.size(); ++i) {
        double& a = expected[k].data<double>()[i];
        a = decay * a + (1 - decay) * value.data<double>()[i];
      }
      EXPECT_EQ(state[k + 1].name, "average." + parameters[k].name);
      expect_close(state[k + 1].tensor, expected[k], 1e-6, "average");
    }
  }
}

TEST(WeightAverage, SameBitsForAnyThreads) {
  const auto run = [](int threads) {
    const ThreadScope scope(threads);
    const auto parameters = make_parameters(DType::f32);
    WeightAverage average(parameters, 0.9);
    for (int i = 0; i < 3; ++i) {
      change(parameters, 1.1F);
      average.update();
    }
    return frozen(average.state());
  };
  const auto one = run(1);
  for (const int threads : {2, 3, 8, 16}) {
    const auto many = run(threads);
    for (size_t k = 1; k < one.size(); ++k) {
      expect_same_bits(many[k].tensor, one[k].tensor, "average");
    }
  }
}

TEST(WeightAverage, SwapsWithTheModel) {
  for (const DType type : {DType::f32, DType::f64}) {
    const auto parameters = make_parameters(type);
    const auto before = copies_of(parameters, type);
    WeightAverage average(parameters, 0.5);
    for (const OptimizedParameter& p : parameters) Tensor(p.variable.value()).fill(3);
    average.swap();
    for (size_t k = 0; k < before.size(); ++k) {
      expect_same_bits(parameters[k].variable, before[k], "the average");
    }
    average.swap();
    EXPECT_EQ(parameters[3].variable.value().item(), 3);
  }
}

TEST(WeightAverage, GoesOnFromASavedState) {
  const auto parameters = make_parameters(DType::f32), others = make_parameters(DType::f32, 50);
  WeightAverage first(parameters, 0.9), second(others, 0.9);
  change(parameters, 1.5F);
  first.update();
  second.load_state(first.state());
  EXPECT_EQ(second.state()[0].tensor.data<int64_t>()[0], 1);
  expect_same_bits(second.state()[1].tensor, first.state()[1].tensor, "average");
  EXPECT_THROW(second.load_state({}), Error);
  EXPECT_THROW(WeightAverage(parameters, 1), Error);
}

TEST(MeanOfTensors, IsTheMean) {
  for (const DType type : {DType::f32, DType::f64}) {
    const std::vector<Tensor> tensors = {random_tensor({301, 77}, 1, type),
                                         random_tensor({301, 77}, 2, type),
                                         random_tensor({301, 80}, 3, type).slice(1, 3, 80)};
    const Tensor mean = mean_of_tensors(tensors);
    for (const int64_t row : {0, 5, 300}) {
      for (const int64_t column : {0, 76}) {
        const auto at = [&](const Tensor& x) {
          return x.select(0, row).slice(0, column, column + 1).item();
        };
        EXPECT_NEAR(at(mean), (at(tensors[0]) + at(tensors[1]) + at(tensors[2])) / 3, 1e-7);
      }
    }
    const ThreadScope scope(1);
    expect_same_bits(mean_of_tensors(tensors), mean, "mean");
    expect_same_bits(mean_of_tensors(std::vector{tensors[0]}), tensors[0], "of one");
  }
  EXPECT_THROW(mean_of_tensors({}), Error);
  EXPECT_THROW(mean_of_tensors(std::vector{Tensor::zeros({2}), Tensor::zeros({3})}), Error);
}

}  // namespace
}  // namespace heed

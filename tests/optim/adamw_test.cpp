#include "heed/optim/adamw.h"

#include <filesystem>
#include <fstream>

#include "heed/base/error.h"
#include "tests/goldens/golden.h"
#include "tests/optim/training_case.h"

namespace heed {
namespace {

const AdamWOptions kOptions{.beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6, .weight_decay = 0.1};

TEST(AdamW, AgreesWithPyTorch) {
  const Golden golden("adamw");
  for (const DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-8 : 1e-6;
    const Variable matrix = Variable::parameter(golden.real("matrix").to(type).clone());
    const Variable vector = Variable::parameter(golden.real("vector").to(type).clone());
    AdamW optimizer({{"matrix", matrix}, {"vector", vector}}, kOptions);
    for (int i = 0; i < 6; ++i) {
      const std::vector<Tensor> gradients = {golden.real("gradients_matrix").select(0, i).to(type),
                                             golden.real("gradients_vector").select(0, i).to(type)};
      optimizer.step(gradients, {.rate = golden.real("rates").data<double>()[i]});
      expect_close(matrix, golden.real("matrix_after").select(0, i), tolerance, "matrix");
      expect_close(vector, golden.real("vector_after").select(0, i), tolerance, "vector");
    }
  }
}

// The formula of the header, number by number in double.
struct PlainAdamw {
  double m = 0, v = 0;

  void step(double& p, double g, double rate, double decay, int t) {
    m = kOptions.beta1 * m + (1 - kOptions.beta1) * g;
    v = kOptions.beta2 * v + (1 - kOptions.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(kOptions.beta1, t));
    const double v_hat = v / (1 - std::pow(kOptions.beta2, t));
    p -= rate * decay * p + rate * m_hat / (std::sqrt(v_hat) + kOptions.epsilon);
  }
};

void check_plain(DType type, double tolerance) {
  auto parameters = make_parameters(type);
  parameters[0].decay = false;
  parameters[1].decay = true;  // the other two: by their rank
  std::vector<Tensor> expected = copies_of(parameters, DType::f64);
  std::vector<std::vector<PlainAdamw>> plain;
  for (const Tensor& x : expected) plain.emplace_back(static_cast<size_t>(x.size()));
  AdamW optimizer(parameters, kOptions);
  for (int t = 1; t <= 4; ++t) {
    const std::vector<Tensor> gradients = make_gradients(parameters, static_cast<uint64_t>(10 * t));
    const double rate = 0.01 * t, scale = 0.3 * t;
    optimizer.step(gradients, {.rate = rate, .gradient_scale = scale});
    for (size_t k = 0; k < expected.size(); ++k) {
      const Tensor wide = gradients[k].to(DType::f64);
      const double decay = k == 1 || k == 2 ? kOptions.weight_decay : 0;
      for (int64_t i = 0; i < expected[k].size(); ++i) {
        plain[k][i].step(expected[k].data<double>()[i], scale * wide.data<double>()[i], rate, decay,
                         t);
      }
      expect_close(parameters[k].variable, expected[k], tolerance, "p");
    }
  }
  EXPECT_EQ(optimizer.steps(), 4);
}

TEST(AdamW, AgreesWithPlainLoops) {
  check_plain(DType::f64, 1e-14);
  check_plain(DType::f32, 1e-6);
}

TEST(AdamW, SameBitsForAnyThreads) {
  const auto run = [](int threads) {
    const ThreadScope scope(threads);
    const auto parameters = make_parameters(DType::f32);
    AdamW optimizer(parameters);
    for (uint64_t t = 0; t < 3; ++t) {
      optimizer.step(make_gradients(parameters, 10 * t), {.rate = 0.01});
    }
    std::vector<Tensor> all = copies_of(parameters, DType::f32);
    for (const NamedTensor& one : optimizer.state()) {
      if (one.name != "steps") all.push_back(one.tensor);
    }
    return all;
  };
  const std::vector<Tensor> one = run(1);
  for (const int threads : {2, 3, 8, 16}) {
    const std::vector<Tensor> many = run(threads);
    for (size_t k = 0; k < one.size(); ++k)
      expect_same_bits(many[k], one[k], "parameter or moment");
  }
}

// A number's path does not depend on its place in the array: the last ones take other code.
TEST(AdamW, TheEndOfAnArrayIsLikeItsMiddle) {
  for (const DType type : {DType::f32, DType::f64}) {
    const Variable x = Variable::parameter(Tensor::full({37}, 0.7, type));
    AdamW optimizer({{"x", x}});
    for (int t = 0; t < 3; ++t) {
      optimizer.step(std::vector<Tensor>{Tensor::full({37}, 0.3 + t, type)}, {.rate = 0.01});
    }
    expect_same_bits(x, Tensor::full({37}, x.value().slice(0, 0, 1).item(), type), "x");
  }
}

TEST(AdamW, GoesOnFromASavedState) {
  const auto train = [](AdamW& optimizer, uint64_t from, uint64_t to) {
    for (uint64_t t = from; t < to; ++t) {
      optimizer.step(make_gradients(optimizer.parameters(), 10 * t), {.rate = 0.01});
    }
  };
  const auto whole = make_parameters(DType::f32), half = make_parameters(DType::f32);
  AdamW straight(whole), first(half);
  train(straight, 0, 6);
  train(first, 0, 3);
  const std::vector<NamedTensor> state = frozen(first.state());
  EXPECT_EQ(state[0].name, "steps");
  EXPECT_EQ(state[1].name, "m.p0");
  EXPECT_EQ(state[5].name, "v.p0");
  train(first, 50, 51);  // does not reach what was saved

  auto resumed = make_parameters(DType::f32);
  {
    AdamW again(resumed);
    train(again, 0, 3);  // the parameters as they were
  }
  AdamW second(resumed);
  second.load_state(state);
  EXPECT_EQ(second.steps(), 3);
  train(second, 3, 6);
  for (size_t k = 0; k < whole.size(); ++k) {
    expect_same_bits(resumed[k].variable, whole[k].variable, "parameter");
  }
}

TEST(AdamW, RefusesAnotherState) {
  const auto parameters = make_parameters(DType::f32);
  AdamW optimizer(parameters);
  optimizer.step(make_gradients(parameters, 3), {.rate = 0.1});
  const std::vector<NamedTensor> good = frozen(optimizer.state());
  AdamW fresh(parameters);
  auto missing = good;
  missing.pop_back();
  auto renamed = good;
  renamed[2].name = "m.other";
  auto reshaped = good;
  reshaped[8].tensor = Tensor::zeros({2});
  auto more = good;
  more.push_back({"more", Tensor::zeros({1})});
  auto twice = good;
  twice.push_back(good[1]);
  for (const auto& bad : {missing, renamed, reshaped, more, twice}) {
    EXPECT_THROW(fresh.load_state(bad), Error);
    EXPECT_EQ(fresh.steps(), 0);
    EXPECT_EQ(largest(fresh.state()[1].tensor), 0);  // nothing was changed
  }
  fresh.load_state(good);
}

// Rows of an embedding that no longer occur: the moments end at 0, not in denormal numbers.
TEST(AdamW, MomentsDoNotBecomeDenormal) {
  const Variable x = Variable::parameter(Tensor::full({40}, 1));
  AdamW optimizer({{"x", x}});
  optimizer.step(std::vector<Tensor>{Tensor::full({40}, 1e-3)}, {.rate = 1e-3});
  const std::vector<Tensor> zeros = {Tensor::zeros({40})};
  for (int t = 0; t < 1000; ++t) optimizer.step(zeros, {.rate = 1e-3});
  EXPECT_EQ(largest(optimizer.state()[1].tensor), 0);
}

TEST(AdamW, Mistakes) {
  const Variable x = Variable::parameter(Tensor::zeros({4, 3}));
  EXPECT_THROW(AdamW({{"x", x}}, {.beta1 = 1}), Error);
  EXPECT_THROW(AdamW({{"x", x}}, {.epsilon = 0}), Error);
  EXPECT_THROW(AdamW({{"x", x}}, {.weight_decay = -1}), Error);
  EXPECT_THROW(AdamW({{"x", x}, {"x", x}}), Error);
  EXPECT_THROW(AdamW({{"x", Variable(Tensor::zeros({2}))}}), Error);
  EXPECT_THROW(AdamW({{"x", Variable::parameter(Tensor::zeros({4, 3}).slice(1, 0, 2))}}), Error);
  AdamW optimizer({{"x", x}});
  EXPECT_THROW(optimizer.step({}, {.rate = 1}), Error);
  EXPECT_THROW(optimizer.step(std::vector{Tensor::zeros({3, 4})}, {.rate = 1}), Error);
  EXPECT_THROW(optimizer.step(std::vector{Tensor::zeros({4, 3})}, {.rate = -1}), Error);
  EXPECT_THROW(optimizer.step(std::vector{Tensor::zeros({4, 3})}, {.rate = NAN}), Error);
  EXPECT_THROW(
      optimizer.step(std::vector{Tensor::zeros({4, 3})}, {.rate = 1, .gradient_scale = NAN}),
      Error);
  EXPECT_EQ(optimizer.steps(), 0);
}

TEST(AdamW, RefusesParametersInAReadOnlyFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("heed_adamw_" + std::to_string(::getpid()));
  std::ofstream(path) << "16 bytes of data";
  const Tensor mapped = Tensor::view_of(Storage::map_file(path), 0, {4}, DType::f32);
  std::filesystem::remove(path);
  EXPECT_THROW(AdamW({{"x", Variable::parameter(mapped)}}), Error);
}

}  // namespace
}  // namespace heed

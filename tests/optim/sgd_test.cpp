#include "heed/optim/sgd.h"

#include "heed/base/error.h"
#include "tests/goldens/golden.h"
#include "tests/optim/training_case.h"

namespace heed {
namespace {

void check_golden(const std::string& name, const SgdOptions& options) {
  const Golden golden(name);
  for (const DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-8 : 1e-6;
    const Variable matrix = Variable::parameter(golden.real("matrix").to(type).clone());
    const Variable vector = Variable::parameter(golden.real("vector").to(type).clone());
    Sgd optimizer({{"matrix", matrix}, {"vector", vector}}, options);
    for (int i = 0; i < 6; ++i) {
      std::vector<Tensor> gradients = {golden.real("gradients_matrix").select(0, i).to(type),
                                       golden.real("gradients_vector").select(0, i).to(type)};
      for (Tensor& gradient : gradients) {  // four times the gradient, at a quarter
        gradient = gradient.to(DType::f64).clone();
        for (int64_t k = 0; k < gradient.size(); ++k) gradient.data<double>()[k] *= 4;
        gradient = gradient.to(type);
      }
      const double rate = golden.real("rates").data<double>()[i];
      optimizer.step(gradients, {.rate = rate, .gradient_scale = 0.25});
      expect_close(matrix, golden.real("matrix_after").select(0, i), tolerance, "matrix");
      expect_close(vector, golden.real("vector_after").select(0, i), tolerance, "vector");
    }
  }
}

TEST(Sgd, AgreesWithPyTorch) {
  check_golden("sgd", {.momentum = 0.9, .weight_decay = 0.1});
  check_golden("sgd_plain", {.weight_decay = 0.1});
}

TEST(Sgd, SameBitsForAnyThreads) {
  const auto run = [](int threads) {
    const ThreadScope scope(threads);
    const auto parameters = make_parameters(DType::f32);
    Sgd optimizer(parameters, {.momentum = 0.9, .weight_decay = 0.1});
    for (uint64_t t = 0; t < 3; ++t) {
      optimizer.step(make_gradients(parameters, 10 * t), {.rate = 0.01});
    }
    return copies_of(parameters, DType::f32);
  };
  const std::vector<Tensor> one = run(1);
  for (const int threads : {2, 3, 8, 16}) {
    const std::vector<Tensor> many = run(threads);
    for (size_t k = 0; k < one.size(); ++k) expect_same_bits(many[k], one[k], "parameter");
  }
}

TEST(Sgd, KeepsOnlyWhatItNeeds) {
  const auto parameters = make_parameters(DType::f32);
  EXPECT_EQ(Sgd(parameters).state().size(), 1u);
  const auto state = Sgd(parameters, {.momentum = 0.5}).state();
  ASSERT_EQ(state.size(), 5u);
  EXPECT_EQ(state[1].name, "m.p0");
  EXPECT_THROW(Sgd(parameters, {.momentum = 1}), Error);
  EXPECT_THROW(Sgd(parameters, {.weight_decay = -1}), Error);
}

}  // namespace
}  // namespace heed

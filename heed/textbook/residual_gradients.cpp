#include "heed/textbook/residual_gradients.h"

#include "heed/base/fail.h"
#include "heed/ops/add.h"
#include "heed/ops/affine.h"
#include "heed/ops/multiply.h"
#include "heed/ops/sum.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

double norm_of(const Tensor& tensor) {
  double sum = 0;
  for (const double x : numbers_of(tensor)) sum += x * x;
  return std::sqrt(sum);
}

// Adding a parameter of zeros to the input of every layer gives a place to read the gradient at.
std::vector<double> norms(const ResidualOptions& options, bool is_residual) {
  const Shape shape{options.rows, options.width};
  const double deviation = options.gain / std::sqrt(static_cast<double>(options.width));
  std::vector<Variable> places;
  Variable x = normal_numbers(shape, options.seed, 0);
  for (int64_t layer = 0; layer <= options.layers; ++layer) {
    places.push_back(Variable::parameter(Tensor::zeros(shape, DType::f64)));
    x = add(x, places.back());
    if (layer == options.layers) break;
    const Tensor w = normal_numbers({options.width, options.width}, options.seed,
                                    static_cast<uint64_t>(layer) + 2, deviation);
    const Variable f = affine(x, w, {}, {.activation = Activation::tanh});
    x = is_residual ? add(x, f) : f;
  }
  const Gradients gradients = backward(sum(multiply(x, normal_numbers(shape, options.seed, 1))));
  std::vector<double> result;
  result.reserve(places.size());
  for (const Variable& place : places) result.push_back(norm_of(gradients.of(place)));
  return result;
}

}  // namespace

ResidualGradients residual_gradients(const ResidualOptions& options) {
  check(options.layers > 0 && options.width > 0 && options.rows > 0 && options.gain > 0,
        "residual gradients: layers {}, width {}, rows {} and gain {} must be positive",
        options.layers, options.width, options.rows, options.gain);
  return {norms(options, false), norms(options, true)};
}

}  // namespace heed

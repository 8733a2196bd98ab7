// A layer of one's own and the loop that trains it: what two numbers multiplied are, which no
// linear map can tell.
#include <heed/heed.h>

#include <iostream>

namespace {

// y = tanh(x W_v + b_v) * sigmoid(x W_g) W_o, a gated layer of 16 units.
struct GatedLayer {
  heed::Variable value, value_bias, gate, output;

  explicit GatedLayer(heed::ParameterScope scope)
      : value(scope.create("value", {2, 16}, heed::Initializer::glorot(2, 16))),
        value_bias(scope.create("value_bias", {16}, heed::Initializer::constant(0))),
        gate(scope.create("gate", {2, 16}, heed::Initializer::glorot(2, 16))),
        output(scope.create("output", {16, 1}, heed::Initializer::glorot(16, 1))) {}

  heed::Variable operator()(const heed::Variable& x) const {
    const heed::Variable values = heed::tanh(heed::affine(x, value, value_bias));
    const heed::Variable open = heed::sigmoid(heed::matmul(x, gate));
    return heed::matmul(heed::multiply(values, open), output);
  }
};

}  // namespace

int main() {
  constexpr int64_t kExamples = 256;
  std::vector<float> numbers, products;
  const heed::RandomKey key = heed::random_key({.seed = 1});
  for (uint32_t i = 0; i < kExamples; ++i) {
    const float a = 2 * heed::random_uniform(key, 2 * i) - 1;
    const float b = 2 * heed::random_uniform(key, 2 * i + 1) - 1;
    numbers.insert(numbers.end(), {a, b});
    products.push_back(-a * b);
  }
  const heed::Tensor x = heed::Tensor::from(numbers, {kExamples, 2});
  const heed::Tensor minus_y = heed::Tensor::from(products, {kExamples, 1});

  heed::Parameters parameters({.seed = 1});
  const GatedLayer layer{heed::ParameterScope(parameters)};
  std::vector<heed::OptimizedParameter> optimized;
  for (const heed::NamedParameter& p : parameters.list()) optimized.push_back({p.name, p.variable});
  heed::AdamW optimizer(optimized);

  for (int step = 0; step <= 500; ++step) {
    const heed::Variable error = heed::add(layer(x), minus_y);
    const heed::Variable loss = heed::mean(heed::multiply(error, error));
    const float now = loss.value().data<float>()[0];
    if (step % 100 == 0) std::cout << "step " << step << "  loss " << now << "\n";
    const heed::Gradients gradients = heed::backward(loss);
    std::vector<heed::Tensor> each;
    for (const heed::Variable& p : parameters.trainable()) each.push_back(gradients.of(p));
    optimizer.step(each, {.rate = 0.01});
  }
}

#include "heed/textbook/layer_costs.h"

#include <algorithm>
#include <chrono>
#include <functional>

#include "heed/attention/attention.h"
#include "heed/base/fail.h"
#include "heed/nn/conv1d.h"
#include "heed/nn/linear.h"
#include "heed/nn/position_dense.h"
#include "heed/ops/activations.h"
#include "heed/ops/add.h"
#include "heed/ops/affine.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/slice.h"

namespace heed {
namespace {

// A layer that was made: how to run it, and how many multiply-adds a run takes.
struct Built {
  int64_t parameters = 0;
  double operations = 0;
  std::function<void(const Tensor& x)> run;
};

double numbers(const Variable& weight) { return static_cast<double>(weight.value().size()); }

Built build_attention(const LayerSizes& s, Parameters& parameters) {
  const ParameterScope root(parameters);
  const LinearOptions plain{.bias = false};
  const Linear query(root.in("query"), s.width, s.key_width, plain);
  const Linear key(root.in("key"), s.width, s.key_width, plain);
  const Linear value(root.in("value"), s.width, s.value_width, plain);
  const auto L = static_cast<double>(s.length);
  Built built;
  built.operations =
      L * (numbers(query.weight) + numbers(key.weight) + numbers(value.weight)) +
      L * L * static_cast<double>(query.weight.value().dim(1) + value.weight.value().dim(1));
  built.run = [query, key, value](const Tensor& x) {
    const Rows rows = Rows::single(x.dim(0));
    attention(query(x), key(x), value(x), rows, rows);
  };
  return built;
}

// h_t = tanh(x_t W + h_{t-1} U): the plain recurrence, one row after the other.
Built build_recurrence(const LayerSizes& s, Parameters& parameters) {
  const ParameterScope root(parameters);
  const Linear input(root.in("input"), s.width, s.value_width, {.bias = false});
  const Linear recurrent(root.in("recurrent"), s.value_width, s.value_width, {.bias = false});
  Built built;
  built.operations =
      static_cast<double>(s.length) * (numbers(input.weight) + numbers(recurrent.weight));
  built.run = [input, recurrent](const Tensor& x) {
    const Tensor gates = input(x).value();  // [L, d_v]
    Variable h = Tensor::zeros({1, gates.dim(1)});
    for (int64_t t = 0; t < x.dim(0); ++t) h = tanh(add(gates.slice(0, t, t + 1), recurrent(h)));
  };
  return built;
}

Built build_convolution(const LayerSizes& s, Parameters& parameters) {
  const Conv1d layer(ParameterScope(parameters), s.width, s.value_width, s.kernel, {.bias = false});
  Built built;
  built.operations = static_cast<double>(s.length) * numbers(layer.linear.weight);
  built.run = [layer](const Tensor& x) { layer(x, Rows::single(x.dim(0))); };
  return built;
}

// From all L d numbers to `out` of them.
Built build_dense(const LayerSizes& s, int64_t out, Parameters& parameters) {
  const Linear layer(ParameterScope(parameters), s.length * s.width, out, {.bias = false});
  Built built;
  built.operations = numbers(layer.weight);
  built.run = [layer](const Tensor& x) { layer(x.reshape({1, x.size()})); };
  return built;
}

// The layer of heed has L biases, which are not counted here, as in the other rows.
Built build_scalar_dense(const LayerSizes& s, Parameters& parameters) {
  const PositionDense layer(ParameterScope(parameters), s.length);
  Built built;
  built.parameters = layer.weight.value().size();
  built.operations = numbers(layer.weight) * static_cast<double>(s.width);
  built.run = [layer](const Tensor& x) { layer(x, Rows::single(x.dim(0))); };
  return built;
}

// The best of some runs: the others were disturbed.
double seconds_of(const std::function<void(const Tensor&)>& run, const Tensor& x) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  double total = 0;
  for (int i = 0; i < 20 && (i < 3 || total < 0.3); ++i) {
    const Clock::time_point begin = Clock::now();
    run(x);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

void require_sizes(const LayerSizes& s) {
  constexpr int64_t kMax = 1 << 20;
  const auto fits = [](int64_t n) { return n >= 1 && n <= kMax; };
  check(fits(s.length) && fits(s.width) && fits(s.key_width) && fits(s.value_width),
        "layer costs: L = {}, d = {}, d_k = {}, d_v = {}; each must be from 1 to {}", s.length,
        s.width, s.key_width, s.value_width, kMax);
  check(s.kernel >= 1 && s.kernel % 2 == 1 && fits(s.kernel),
        "layer costs: the kernel of a convolution must be odd, got {}", s.kernel);
}

struct Sizes {
  double L, d, dk, dv, k;
};

Sizes as_double(const LayerSizes& s) {
  return {static_cast<double>(s.length), static_cast<double>(s.width),
          static_cast<double>(s.key_width), static_cast<double>(s.value_width),
          static_cast<double>(s.kernel)};
}

}  // namespace

std::vector<LayerCost> layer_costs(const LayerSizes& sizes, const LayerCostOptions& options) {
  require_sizes(sizes);
  const auto [L, d, dk, dv, k] = as_double(sizes);
  using Build = std::function<Built(const LayerSizes&, Parameters&)>;
  const Build dense = [](const LayerSizes& s, Parameters& p) {
    return build_dense(s, s.length * s.value_width, p);
  };
  const Build dense_row = [](const LayerSizes& s, Parameters& p) {
    return build_dense(s, s.value_width, p);
  };
  struct Row {
    LayerCost cost;
    Build build;
  };
  std::vector<Row> rows{
      {{"self-attention", "L d (2 d_k + d_v) + L^2 (d_k + d_v)", "d (2 d_k + d_v)",
        L * d * (2 * dk + dv) + L * L * (dk + dv), d * (2 * dk + dv), L * L * dk,
        d * (2 * dk + dv)},
       build_attention},
      {{"recurrence", "L (d d_v + d_v^2)", "d d_v + d_v^2", L * (d * dv + dv * dv),
        d * dv + dv * dv, L * d * dv, d * dv + dv * dv},
       build_recurrence},
      {{"convolution", "L k d d_v", "k d d_v", L * k * d * dv, k * d * dv, L * k * d * dv,
        k * d * dv},
       build_convolution},
      {{"dense", "L^2 d d_v", "L^2 d d_v", L * L * d * dv, L * L * d * dv, L * L * d * dv,
        L * d * dv},
       dense},
      {{"dense, one row", "L d d_v", "L d d_v", L * d * dv, L * d * dv, 0, 0}, dense_row},
      {{"dense, scalar", "L^2 d", "L^2", L * L * d, L * L, 0, 0}, build_scalar_dense}};
  std::vector<LayerCost> costs;
  const NoGrad no_gradients;
  const Tensor x = Tensor::full({sizes.length, sizes.width}, 0.5);
  for (Row& row : rows) {
    LayerCost& cost = row.cost;
    cost.is_built = cost.parameters <= options.largest && L * d <= options.largest;
    if (cost.is_built) {
      Parameters parameters({.seed = 1});
      const Built built = row.build(sizes, parameters);
      cost.counted_parameters = built.parameters > 0 ? built.parameters : parameters.count();
      cost.counted_operations = built.operations;
      if (options.measure) cost.seconds = seconds_of(built.run, x);
    }
    costs.push_back(cost);
  }
  return costs;
}

// Attention costs L a + L^2 b, the others L c: more from L = (c - a) / b on. Dense layers, whose
// cost grows with L^2 too, have no crossover of this kind.
std::vector<Crossover> attention_crossovers(const LayerSizes& sizes) {
  require_sizes(sizes);
  const auto [L, d, dk, dv, k] = as_double(sizes);
  const double a = d * (2 * dk + dv);
  const double b = dk + dv;
  const auto from = [](double length) { return std::max(0.0, length); };
  return {{"recurrence", from((d * dv + dv * dv - a) / b), d * dv / dk},
          {"convolution", from((k * d * dv - a) / b), k * d * dv / dk}};
}

}  // namespace heed

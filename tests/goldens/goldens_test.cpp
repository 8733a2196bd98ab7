// The operations against PyTorch, in both precisions.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/ops/activations.h"
#include "heed/ops/affine.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/embedding.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/linear_cross_entropy.h"
#include "heed/ops/rms_norm.h"
#include "heed/ops/rotary.h"
#include "heed/ops/softmax.h"
#include "tests/goldens/golden.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

// y and the gradient of every input, given the golden's dy.
void check_golden(const Golden& golden, const std::vector<std::string>& names, const Operation& f) {
  for (DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-8 : 1e-6;
    Inputs inputs;
    for (const std::string& name : names) {
      inputs.push_back(Variable::parameter(golden.real(name).to(type)));
    }
    const Variable y = f(inputs);
    expect_close(y, golden.real("y"), tolerance, "y");
    const Tensor dy = golden.real("dy").to(type);
    const Gradients gradients = backward(
        record(Tensor::zeros({1}, type), {y}, [dy](const Tensor&) { return std::vector{dy}; }));
    for (size_t i = 0; i < names.size(); ++i) {
      expect_close(gradients.of(inputs[i]), golden.real("d" + names[i]), tolerance,
                   ("d" + names[i]).c_str());
    }
  }
}

TEST(Goldens, Gelu) {
  check_golden(Golden("gelu_exact"), {"x"}, [](const Inputs& in) { return gelu(in[0]); });
  check_golden(Golden("gelu_tanh"), {"x"},
               [](const Inputs& in) { return gelu(in[0], Gelu::tanh); });
}

TEST(Goldens, LayerNorm) {
  check_golden(Golden("layer_norm"), {"x", "gain", "bias"},
               [](const Inputs& in) { return layer_norm(in[0], in[1], in[2]); });
}

TEST(Goldens, RmsNorm) {
  check_golden(Golden("rms_norm"), {"x", "gain"},
               [](const Inputs& in) { return rms_norm(in[0], in[1]); });
}

TEST(Goldens, Softmax) {
  check_golden(Golden("softmax"), {"x"}, [](const Inputs& in) { return softmax(in[0]); });
}

TEST(Goldens, CrossEntropy) {
  const Golden golden("cross_entropy");
  check_golden(golden, {"x"}, [&](const Inputs& in) {
    return cross_entropy(in[0], golden.ids("targets"), {.label_smoothing = 0.1});
  });
}

// With the identity as weights, the output layer's logits are its input.
TEST(Goldens, LinearCrossEntropy) {
  const Golden golden("cross_entropy");
  check_golden(golden, {"x"}, [&](const Inputs& in) {
    Tensor identity = Tensor::zeros({7, 7}, in[0].value().dtype());
    for (int64_t i = 0; i < 7; ++i) identity.slice(0, i, i + 1).slice(1, i, i + 1).fill(1);
    return linear_cross_entropy(in[0], identity, {}, golden.ids("targets"),
                                {.loss = {.label_smoothing = 0.1}});
  });
}

TEST(Goldens, Affine) {
  check_golden(Golden("affine"), {"x", "w", "b"}, [](const Inputs& in) {
    return affine(in[0], in[1], in[2], {.weight_layout = WeightLayout::out_in});
  });
}

TEST(Goldens, Embedding) {
  const Golden golden("embedding");
  check_golden(golden, {"table"},
               [&](const Inputs& in) { return embedding(in[0], golden.ids("ids")); });
}

TEST(Goldens, Rotary) {
  for (RotaryPairs pairs : {RotaryPairs::adjacent, RotaryPairs::halves}) {
    const Golden golden(pairs == RotaryPairs::adjacent ? "rotary_adjacent" : "rotary_halves");
    const Tensor ids = golden.ids("positions");
    const std::span<const int64_t> positions(ids.data<int64_t>(), static_cast<size_t>(ids.size()));
    check_golden(golden, {"x"},
                 [&](const Inputs& in) { return rotary_at(in[0], positions, {.pairs = pairs}); });
  }
}

}  // namespace
}  // namespace heed

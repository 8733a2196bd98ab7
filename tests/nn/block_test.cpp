// Blocks against PyTorch's layers, in both precisions: values and every gradient.
#include "heed/nn/block.h"

#include <gtest/gtest.h>

#include "tests/goldens/formula.h"
#include "tests/goldens/golden.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

Rows rows_of(const Golden& golden, const char* name) {
  const Tensor lengths = golden.ids(name);
  return Rows::from_lengths(
      std::span(lengths.data<int64_t>(), static_cast<size_t>(lengths.size())));
}

struct BlockCase {
  const char* golden;
  NormPlace place;
  FeedForwardKind kind;
  bool decoder;
};

void check_block(const BlockCase& c) {
  SCOPED_TRACE(c.golden);
  const Golden golden(c.golden);
  const Rows rows = rows_of(golden, "lengths");
  for (const DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-8 : 5e-6;
    Parameters parameters({.type = type});
    const Block block(ParameterScope(parameters).in("block"), 6,
                      {.hidden = 10,
                       .memory_width = c.decoder ? 6 : 0,
                       .attention = {.heads = 2},
                       .feed_forward = {.kind = c.kind},
                       .norm_place = c.place});
    set_formula_values(parameters);
    const Variable x = Variable::parameter(golden.real("x").to(type));
    Memory memory;
    if (c.decoder) {
      memory = {.states = Variable::parameter(golden.real("memory").to(type)),
                .rows = rows_of(golden, "memory_lengths")};
    }
    const Variable y = block(x, rows, c.decoder ? Mask::causal() : Mask(), memory, {});
    expect_close(y, golden.real("y"), tolerance, "y");
    const Tensor dy = golden.real("dy").to(type);
    const Gradients gradients = backward(
        record(Tensor::zeros({1}, type), {y}, [dy](const Tensor&) { return std::vector{dy}; }));
    expect_close(gradients.of(x), golden.real("dx"), tolerance, "dx");
    if (c.decoder) {
      expect_close(gradients.of(memory.states), golden.real("dmemory"), tolerance, "dmemory");
    }
    for (const NamedParameter& parameter : parameters.list()) {
      const std::string name = "d" + parameter.name;
      expect_close(gradients.of(parameter.variable), golden.real(name), tolerance, name.c_str());
    }
  }
}

TEST(Block, IsTheLayerOfPyTorch) {
  for (const BlockCase& c :
       {BlockCase{"block_encoder_pre_relu", NormPlace::pre, FeedForwardKind::relu, false},
        BlockCase{"block_encoder_post_gelu", NormPlace::post, FeedForwardKind::gelu_exact, false},
        BlockCase{"block_decoder_pre_gelu", NormPlace::pre, FeedForwardKind::gelu_exact, true},
        BlockCase{"block_decoder_post_relu", NormPlace::post, FeedForwardKind::relu, true}}) {
    check_block(c);
  }
}

}  // namespace
}  // namespace heed

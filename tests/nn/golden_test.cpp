// Layers against PyTorch, in both precisions.
#include <gtest/gtest.h>

#include <string>

#include "heed/nn/conv1d.h"
#include "heed/nn/recurrent.h"
#include "heed/ops/add.h"
#include "tests/goldens/golden.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

Rows rows_of(const Golden& golden) {
  const Tensor lengths = golden.ids("lengths");
  return Rows::from_lengths(
      std::span(lengths.data<int64_t>(), static_cast<size_t>(lengths.size())));
}

Gradients gradients_for(const Variable& y, const Tensor& dy) {
  return backward(
      record(Tensor::zeros({1}, dy.dtype()), {y}, [dy](const Tensor&) { return std::vector{dy}; }));
}

// The parameters of layer `index` in PyTorch: "weight_ih_l0_reverse".
std::string torch_name(const char* kind, int64_t index) {
  return std::string(kind) + "_l" + std::to_string(index / 2) + (index % 2 == 1 ? "_reverse" : "");
}

void check_network(const std::string& name, CellKind cell) {
  const Golden golden(name);
  const Rows rows = rows_of(golden);
  for (const DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-8 : 2e-6;
    Parameters parameters({.type = type});
    Recurrent network(ParameterScope(parameters), 5,
                      {.cell = cell, .hidden = 3, .layers = 2, .bidirectional = true});
    for (size_t i = 0; i < network.layers.size(); ++i) {
      RecurrentLayer& layer = network.layers[i];
      const auto at = [&](const char* kind) {
        return golden.real(torch_name(kind, static_cast<int64_t>(i)));
      };
      const auto parameter = [&](const Tensor& x) { return Variable::parameter(x.to(type)); };
      layer.weight = parameter(plain_transpose(at("weight_ih")));
      layer.recurrent = parameter(plain_transpose(at("weight_hh")));
      layer.bias = parameter(at("bias_ih"));
      if (cell == CellKind::gru) {
        layer.recurrent_bias = parameter(at("bias_hh"));
      } else {
        layer.bias = parameter(add(at("bias_ih"), at("bias_hh")).value());
      }
    }
    const Variable x = Variable::parameter(golden.real("x").to(type));
    const RecurrentResult result = network(x, rows, {});
    expect_close(result.y, golden.real("y"), tolerance, "y");
    for (size_t i = 0; i < result.last.size(); ++i) {
      const Tensor last = result.last[i];
      const auto torch_last = [&](const char* what) {
        return golden.real(what).select(0, static_cast<int64_t>(i));
      };
      expect_close(last.slice(1, 0, 3), torch_last("last"), tolerance, "last state");
      if (cell == CellKind::gru) continue;
      expect_close(last.slice(1, 3, 6), torch_last("last_cell"), tolerance, "last cell");
    }
    const Gradients gradients = gradients_for(result.y, golden.real("dy").to(type));
    expect_close(gradients.of(x), golden.real("dx"), tolerance, "dx");
    for (size_t i = 0; i < network.layers.size(); ++i) {
      const RecurrentLayer& layer = network.layers[i];
      const auto expect = [&](const Variable& parameter, const char* kind) {
        const std::string what = "d" + torch_name(kind, static_cast<int64_t>(i));
        const Tensor wanted = golden.real(what);
        expect_close(gradients.of(parameter), wanted.rank() == 2 ? plain_transpose(wanted) : wanted,
                     tolerance, what.c_str());
      };
      expect(layer.weight, "weight_ih");
      expect(layer.recurrent, "weight_hh");
      expect(layer.bias, "bias_ih");
      if (cell == CellKind::gru) expect(layer.recurrent_bias, "bias_hh");
    }
  }
}

TEST(NnGoldens, Gru) { check_network("gru", CellKind::gru); }

TEST(NnGoldens, Lstm) { check_network("lstm", CellKind::lstm); }

// PyTorch's [Out, In, K] as [K In, Out].
Tensor kernel_rows(const Tensor& w) {
  const int64_t Out = w.dim(0), In = w.dim(1), K = w.dim(2);
  Tensor result = Tensor::empty({K * In, Out}, DType::f64);
  for (int64_t o = 0; o < Out; ++o) {
    for (int64_t i = 0; i < In; ++i) {
      for (int64_t k = 0; k < K; ++k) {
        result.data<double>()[(k * In + i) * Out + o] = w.data<double>()[(o * In + i) * K + k];
      }
    }
  }
  return result;
}

TEST(NnGoldens, Conv1d) {
  const Golden golden("conv1d");
  for (const DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-8 : 2e-6;
    Parameters parameters({.type = type});
    Conv1d conv(ParameterScope(parameters), 5, 4, 3);
    conv.linear.weight = Variable::parameter(kernel_rows(golden.real("w")).to(type));
    conv.linear.bias = Variable::parameter(golden.real("b").to(type));
    const Variable x = Variable::parameter(golden.real("x").to(type));
    const Variable y = conv(x, rows_of(golden));
    expect_close(y, golden.real("y"), tolerance, "y");
    const Gradients gradients = gradients_for(y, golden.real("dy").to(type));
    expect_close(gradients.of(x), golden.real("dx"), tolerance, "dx");
    expect_close(gradients.of(conv.linear.weight), kernel_rows(golden.real("dw")), tolerance, "dw");
    expect_close(gradients.of(conv.linear.bias), golden.real("db"), tolerance, "db");
  }
}

}  // namespace
}  // namespace heed

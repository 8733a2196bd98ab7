#include "heed/ops/quantized_affine.h"

#include <algorithm>
#include <cmath>

#include "heed/base/parallel.h"
#include "heed/kernels/int8_gemm.h"
#include "heed/ops/matrix_operand.h"
#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

kernels::Int8Matrix kernel_view(const QuantizedMatrix& w) {
  return {.K = w.in, .N = w.out, .blocks = w.blocks.data<int8_t>(), .scale = w.scale.data<float>()};
}

}  // namespace

Shape QuantizedMatrix::blocks_shape(int64_t in, int64_t out) {
  return {kernels::int8_blocks(out), kernels::int8_groups(in), kernels::kInt8Columns,
          kernels::kInt8Depth};
}

QuantizedMatrix quantize(const Tensor& w, WeightLayout layout) {
  check(w.defined() && w.rank() == 2 && w.dtype() == DType::f32,
        "quantize: the weights must be a float32 matrix, got {}", w);
  const auto view =
      layout == WeightLayout::out_in ? as_matrix<float>(w).transposed() : as_matrix<float>(w);
  const bool out_in = layout == WeightLayout::out_in;
  QuantizedMatrix result{.in = w.dim(out_in ? 1 : 0), .out = w.dim(out_in ? 0 : 1)};
  result.blocks = Tensor::empty(QuantizedMatrix::blocks_shape(result.in, result.out), DType::i8);
  result.scale = Tensor::empty({result.out});
  float* scale = result.scale.data<float>();
  kernels::int8_pack(result.in, result.out, view, result.blocks.data<int8_t>(), scale);
  check(std::all_of(scale, scale + result.out, [](float s) { return std::isfinite(s); }),
        "quantize: there are weights that are not finite");
  return result;
}

Variable quantized_affine(const Variable& x, const QuantizedMatrix& w, const Variable& b,
                          Activation activation) {
  const Tensor& rows = x;
  check(w.defined(), "quantized_affine: there are no weights");
  check(rows.defined() && rows.rank() == 2 && rows.dim(1) == w.in && rows.dtype() == DType::f32,
        "quantized_affine: x must be float32 [N, {}], got {}", w.in, rows);
  check(w.in < kernels::kInt8Longest, "quantized_affine: rows of {} are too long, the most is {}",
        w.in, kernels::kInt8Longest - 1);
  const Tensor& bias = b;
  check(!bias.defined() || (bias.rank() == 1 && bias.dim(0) == w.out && bias.dtype() == DType::f32),
        "quantized_affine: the bias must be float32 [{}], got {}", w.out, bias);
  check(!will_record({&x, &b}),
        "quantized_affine: int8 weights have no gradient; train with float32 weights and quantize "
        "them afterwards");
  Tensor y = Tensor::empty({rows.dim(0), w.out});
  kernels::int8_gemm(
      rows.dim(0), rows.data<float>(), rows.stride(0), kernel_view(w), y.data<float>(), w.out,
      {.bias = bias.defined() ? bias.data<float>() : nullptr, .activation = activation});
  return y;
}

Variable quantized_embedding(const QuantizedMatrix& table, const Tensor& ids) {
  check(table.defined(), "quantized_embedding: there is no table");
  const std::vector<int64_t> rows = read_ids(ids, table.out, "embedding");
  Tensor y = Tensor::empty({static_cast<int64_t>(rows.size()), table.in});
  float* to = y.data<float>();
  const kernels::Int8Matrix view = kernel_view(table);
  parallel_for(y.dim(0), 0.5 * static_cast<double>(y.size()),
               [&](int64_t n) { kernels::int8_column(view, rows[n], to + n * table.in); });
  return y;
}

}  // namespace heed

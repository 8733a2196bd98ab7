// Attention against PyTorch, in both precisions: outputs, gradients and weights.
#include <string>
#include <vector>

#include "tests/attention/attention_case.h"
#include "tests/goldens/golden.h"

namespace heed {
namespace {

AttentionCase case_of(const Golden& golden, const AttentionOptions& options) {
  AttentionCase c;
  c.q = golden.real("q");
  c.k = golden.real("k");
  c.v = golden.real("v");
  c.dy = golden.real("dy");
  const int64_t queries = c.q.dim(0) / 2, keys = c.k.dim(0) / 2;
  c.query_rows = Rows::from_lengths({queries, queries});
  c.key_rows = Rows::from_lengths({keys, keys});
  c.options = options;
  return c;
}

// `more`: the gradients the golden has besides dq, dk and dv.
void check_golden(const std::string& name, const std::vector<std::string>& more,
                  const AttentionOptions& options) {
  SCOPED_TRACE(name);
  const Golden golden("attention_" + name);
  const AttentionCase c = case_of(golden, options);
  std::vector<std::string> names = {"y", "dq", "dk", "dv"};
  names.insert(names.end(), more.begin(), more.end());
  const std::vector<std::pair<Outcome, double>> results = {{run_reference(c), 1e-8},
                                                           {run_engine(c, DType::f64), 1e-8},
                                                           {run_engine(c, DType::f32), 1e-5}};
  for (const auto& [outcome, tolerance] : results) {
    size_t found = 0;
    for (const auto& [array, tensor] : tensors_of(outcome)) {
      if (std::find(names.begin(), names.end(), array) == names.end()) continue;
      expect_close(tensor, golden.real(array), tolerance, array);
      ++found;
    }
    EXPECT_EQ(found, names.size());
  }
  const Tensor weights = golden.real("weights");  // [B, H, T, S]
  const AttentionOptions narrow = ParameterOptions(options, DType::f32).options;
  for (int64_t b = 0; b < weights.dim(0); ++b) {
    for (int64_t h = 0; h < weights.dim(1); ++h) {
      const Tensor w = attention_weights(c.q.to(DType::f32), c.k.to(DType::f32), c.query_rows,
                                         c.key_rows, narrow, {.sequence = b, .head = h});
      expect_close(w, weights.select(0, b).select(0, h), 1e-6, "weights");
    }
  }
}

TEST(AttentionGoldens, Plain) { check_golden("plain", {}, {}); }
TEST(AttentionGoldens, Grouped) { check_golden("grouped", {}, {}); }

TEST(AttentionGoldens, Masks) {
  check_golden("causal", {}, {.mask = Mask::causal()});
  check_golden("causal", {}, {.mask = Mask::dense(Golden("attention_causal").flags("allowed"))});
  check_golden("mask", {}, {.mask = Mask::dense(Golden("attention_mask").flags("allowed"))});
}

TEST(AttentionGoldens, Bias) {
  check_golden("bias", {"dbias"}, {.bias = Golden("attention_bias").real("bias")});
}

TEST(AttentionGoldens, Scores) {
  const Golden additive("attention_additive");
  check_golden(
      "additive", {"dw_q", "dw_k", "dw_v"},
      {.score = Additive{additive.real("w_q"), additive.real("w_k"), additive.real("w_v")}});
  check_golden("bilinear", {"dm"}, {.score = Bilinear{Golden("attention_bilinear").real("m")}});
  for (const char* name : {"gaussian", "gaussian_per_coordinate"}) {
    const Tensor width = Golden(std::string("attention_") + name).real("width");
    check_golden(name, {"dwidth"}, {.score = Gaussian{width}});
  }
}

}  // namespace
}  // namespace heed

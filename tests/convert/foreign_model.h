// Models in the layouts of other programs, with weights from formulas, written to a folder.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "heed/heed.h"
#include "heed/text/train_tokenizer.h"
#include "tests/goldens/formula.h"

namespace heed {

struct Scratch {
  std::string path;
  Scratch() {
    std::string name = std::filesystem::temp_directory_path() / "heed-convert-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string operator/(const std::string& name) const { return path + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name, std::ios::binary) << text;
  }
};

using NamedShape = std::pair<std::string, Shape>;

inline std::vector<NamedTensor> formula_weights(const std::vector<NamedShape>& shapes, DType type) {
  std::vector<NamedTensor> weights;
  for (const auto& [name, shape] : shapes) {
    Tensor value = Tensor::empty(shape, DType::f32);
    set_formula_values(name, value);
    weights.push_back({name, value.to(type)});
  }
  return weights;
}

constexpr int64_t kWidth = 8, kRows = 270, kLayers = 2, kPositionRows = 12;

inline std::vector<NamedShape> gpt2_shapes(int64_t inner, bool tied) {
  constexpr int64_t C = kWidth;
  const std::string t = "transformer.";
  std::vector<NamedShape> shapes{{t + "wte.weight", {kRows, C}},
                                 {t + "wpe.weight", {kPositionRows, C}},
                                 {t + "ln_f.weight", {C}},
                                 {t + "ln_f.bias", {C}}};
  for (int64_t i = 0; i < kLayers; ++i) {
    const std::string h = t + "h." + std::to_string(i) + ".";
    for (const char* norm : {"ln_1", "ln_2"}) {
      shapes.push_back({h + norm + ".weight", {C}});
      shapes.push_back({h + norm + ".bias", {C}});
    }
    const auto conv = [&](const char* name, int64_t in, int64_t out) {
      shapes.push_back({h + name + ".weight", {in, out}});
      shapes.push_back({h + name + ".bias", {out}});
    };
    conv("attn.c_attn", C, 3 * C);
    conv("attn.c_proj", C, C);
    conv("mlp.c_fc", C, inner);
    conv("mlp.c_proj", inner, C);
  }
  if (!tied) shapes.push_back({"lm_head.weight", {kRows, C}});
  return shapes;
}

struct LlamaShape {
  int64_t head = 2;
  bool attention_bias = false, mlp_bias = false, tied = false;
};

inline std::vector<NamedShape> llama_shapes(const LlamaShape& shape) {
  constexpr int64_t C = kWidth, H = 4, K = 2, F = 10;
  const int64_t D = shape.head;
  std::vector<NamedShape> shapes{{"model.embed_tokens.weight", {kRows, C}},
                                 {"model.norm.weight", {C}}};
  for (int64_t i = 0; i < kLayers; ++i) {
    const std::string h = "model.layers." + std::to_string(i) + ".";
    const auto linear = [&](const std::string& name, int64_t in, int64_t out, bool bias) {
      shapes.push_back({h + name + ".weight", {out, in}});
      if (bias) shapes.push_back({h + name + ".bias", {out}});
    };
    shapes.push_back({h + "input_layernorm.weight", {C}});
    shapes.push_back({h + "post_attention_layernorm.weight", {C}});
    linear("self_attn.q_proj", C, H * D, shape.attention_bias);
    linear("self_attn.k_proj", C, K * D, shape.attention_bias);
    linear("self_attn.v_proj", C, K * D, shape.attention_bias);
    linear("self_attn.o_proj", H * D, C, shape.attention_bias);
    linear("mlp.gate_proj", C, F, shape.mlp_bias);
    linear("mlp.up_proj", C, F, shape.mlp_bias);
    linear("mlp.down_proj", F, C, shape.mlp_bias);
  }
  if (!shape.tied) shapes.push_back({"lm_head.weight", {kRows, C}});
  return shapes;
}

// The tokenizer of bytes has 260 tokens: fewer than the table has rows.
inline void write_tokenizer(const Scratch& folder) {
  train_tokenizer({}, {.kind = TokenizerKind::byte})->save(folder.path);
}

// Logits [T, V] of a folder that heed convert has written.
inline Tensor logits_of(const std::string& folder, const std::vector<int32_t>& ids) {
  const LoadedRun run = load_run(folder);
  const auto count = static_cast<int64_t>(ids.size());
  Batch batch;
  batch.target = Tensor::from(ids, {count});
  batch.target_rows = Rows::from_lengths({count});
  return run.model->logits(batch, {}).value();
}

}  // namespace heed

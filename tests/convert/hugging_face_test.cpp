// Folders in the layouts of Hugging Face: the logits of the converted models are those that PyTorch
// computes with the same weights, and what cannot be converted is said by name.

#include "heed/convert/hugging_face.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/convert/foreign_model.h"
#include "tests/goldens/golden.h"

namespace heed::hugging_face_test {
namespace {

using testing::HasSubstr;

constexpr char kGpt2[] =
    R"({"model_type": "gpt2", "n_embd": 8, "n_layer": 2, "n_head": 2, "vocab_size": 270,
        "n_positions": 12)";
constexpr char kLlama[] =
    R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 10, "vocab_size": 270,
        "max_position_embeddings": 12)";

void check_golden(const std::string& folder, const std::string& golden_name, double max) {
  const Golden golden(golden_name);
  const Tensor expected = golden.real("logits");
  std::vector<int32_t> ids;
  const Tensor golden_ids = golden.ids("ids");
  for (int64_t i = 0; i < golden_ids.size(); ++i) {
    ids.push_back(static_cast<int32_t>(golden_ids.data<int64_t>()[i]));
  }
  const Tensor logits = logits_of(folder, ids);
  ASSERT_EQ(logits.shape(), Shape({9, 260}));  // the rows that no token has are gone
  for (int64_t t = 0; t < expected.dim(0); ++t) {
    for (int64_t v = 0; v < expected.dim(1); ++v) {
      ASSERT_NEAR(logits.data<float>()[t * 260 + v], expected.data<double>()[t * 20 + v], max)
          << golden_name << " at " << t << ", " << v;
    }
  }
}

std::string converted(const Scratch& folder) {
  write_converted(convert_hugging_face(folder.path), folder / "heed");
  return folder / "heed";
}

Scratch& prepare(Scratch& folder, const std::string& config, const std::vector<NamedShape>& shapes,
                 DType type = DType::f32) {
  folder.write("config.json", config);
  write_tokenizer(folder);
  write_safetensors(folder / "model.safetensors", formula_weights(shapes, type));
  return folder;
}

std::string complaint(const Scratch& folder) {
  try {
    convert_hugging_face(folder.path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(HuggingFace, Gpt2) {
  Scratch folder;
  prepare(folder, std::string(kGpt2) + "}", gpt2_shapes(32, true));
  check_golden(converted(folder), "convert_gpt2", 2e-5);
}

TEST(HuggingFace, Gpt2WithEveryOption) {
  Scratch folder;
  prepare(folder, std::string(kGpt2) + R"(, "n_inner": 12, "activation_function": "relu",
              "scale_attn_weights": false, "tie_word_embeddings": false,
              "layer_norm_epsilon": 1e-3})",
          gpt2_shapes(12, false));
  check_golden(converted(folder), "convert_gpt2_options", 2e-5);
}

TEST(HuggingFace, Llama) {
  Scratch folder;
  prepare(folder, std::string(kLlama) + "}", llama_shapes({}));
  check_golden(converted(folder), "convert_llama", 2e-5);
}

TEST(HuggingFace, LlamaWithEveryOption) {
  Scratch folder;
  prepare(folder,
          std::string(kLlama) + R"(, "head_dim": 4, "attention_bias": true, "mlp_bias": true,
              "tie_word_embeddings": true, "sliding_window": 3, "rope_theta": 500.0,
              "rms_norm_eps": 1e-4})",
          llama_shapes({.head = 4, .attention_bias = true, .mlp_bias = true, .tied = true}));
  folder.write("tokenizer_config.json", R"({"add_bos_token": false})");
  check_golden(converted(folder), "convert_llama_options", 2e-5);
  EXPECT_EQ(read_run_config(folder / "heed").begin, "");
}

TEST(HuggingFace, ActivationsOfGpt2) {
  const std::pair<const char*, FeedForwardKind> cases[] = {
      {"gelu", FeedForwardKind::gelu_exact},
      {"gelu_new", FeedForwardKind::gelu},
      {"gelu_pytorch_tanh", FeedForwardKind::gelu},
      {"relu", FeedForwardKind::relu}};
  for (const auto& [name, kind] : cases) {
    Scratch folder;
    prepare(folder, std::string(kGpt2) + R"(, "activation_function": ")" + name + "\"}",
            gpt2_shapes(32, true));
    const ConvertedModel model = convert_hugging_face(folder.path);
    EXPECT_EQ(std::get<TransformerConfig>(model.config.model).feed_forward, kind) << name;
  }
  Scratch folder;
  prepare(folder, std::string(kGpt2) + R"(, "activation_function": "swish"})",
          gpt2_shapes(32, true));
  EXPECT_THAT(complaint(folder), HasSubstr("swish"));
}

// The logits of a Llama with these biases, of which those whose names end so are 0.
Tensor logits_with_biases(const LlamaShape& shape, const std::string& zero) {
  Scratch folder;
  prepare(folder,
          fmt::format(R"({}, "attention_bias": {}, "mlp_bias": {}}})", kLlama, shape.attention_bias,
                      shape.mlp_bias),
          llama_shapes(shape));
  std::vector<NamedTensor> weights = formula_weights(llama_shapes(shape), DType::f32);
  for (NamedTensor& weight : weights) {
    const bool is_bias = weight.name.ends_with("proj.bias");
    if (is_bias && weight.name.find(zero) != std::string::npos) {
      weight.tensor = Tensor::zeros(weight.tensor.shape());
    }
  }
  write_safetensors(folder / "model.safetensors", weights);
  return logits_of(converted(folder), {1, 70, 3, 255, 12});
}

bool are_same(const Tensor& a, const Tensor& b) {
  return std::equal(a.data<float>(), a.data<float>() + a.size(), b.data<float>());
}

TEST(HuggingFace, BiasesInSomeMapsOnly) {
  const LlamaShape attention{.attention_bias = true}, mlp{.mlp_bias = true},
      both{.attention_bias = true, .mlp_bias = true};
  EXPECT_TRUE(are_same(logits_with_biases(attention, "self_attn"), logits_with_biases({}, "-")));
  EXPECT_TRUE(are_same(logits_with_biases(mlp, "mlp"), logits_with_biases({}, "-")));
  EXPECT_TRUE(are_same(logits_with_biases(attention, "-"), logits_with_biases(both, "mlp")));
  EXPECT_TRUE(are_same(logits_with_biases(mlp, "-"), logits_with_biases(both, "self_attn")));
  EXPECT_FALSE(are_same(logits_with_biases(attention, "-"), logits_with_biases({}, "-")));
}

double rotary_base_with(const std::string& options) {
  Scratch folder;
  prepare(folder, std::string(kLlama) + options + "}", llama_shapes({}));
  return std::get<TransformerConfig>(convert_hugging_face(folder.path).config.model).rotary_base;
}

TEST(HuggingFace, RotaryPositionsAsOlderAndNewerFilesSayThem) {
  EXPECT_EQ(rotary_base_with(""), 10000);
  EXPECT_EQ(rotary_base_with(R"(, "rope_theta": 500, "rope_scaling": null)"), 500);
  EXPECT_EQ(rotary_base_with(R"(, "rope_theta": 500, "rope_scaling": {"type": "default"})"), 500);
  EXPECT_EQ(rotary_base_with(R"(, "rope_scaling": {"rope_type": "default"})"), 10000);
  EXPECT_EQ(
      rotary_base_with(R"(, "rope_parameters": {"rope_theta": 500000, "rope_type": "default"})"),
      500000);
  EXPECT_EQ(rotary_base_with(R"(, "rope_parameters": {"rope_theta": 700})"), 700);
}

TEST(HuggingFace, HalfPrecisionBecomesFloat) {
  for (const DType type : {DType::f16, DType::bf16}) {
    Scratch folder;
    prepare(folder, std::string(kLlama) + "}", llama_shapes({}), type);
    check_golden(converted(folder), "convert_llama", type == DType::f16 ? 5e-3 : 4e-2);
  }
}

TEST(HuggingFace, ShardsWithAnIndex) {
  Scratch folder;
  prepare(folder, std::string(kLlama) + "}", llama_shapes({}));
  std::filesystem::remove(folder / "model.safetensors");
  std::vector<NamedTensor> all = formula_weights(llama_shapes({}), DType::f32);
  const std::vector<NamedTensor> first(all.begin(), all.begin() + 5),
      rest(all.begin() + 5, all.end());
  write_safetensors(folder / "a.safetensors", first);
  write_safetensors(folder / "b.safetensors", rest);
  folder.write("model.safetensors.index.json",
               R"({"weight_map": {"x": "a.safetensors", "y": "b.safetensors"}})");
  check_golden(converted(folder), "convert_llama", 2e-5);
}

TEST(HuggingFace, WhatHeedDoesNotHaveIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("rope_scaling": {"type": "linear"})", "rope_scaling"},
      {R"("rope_scaling": {"factor": 2})", "rope_scaling"},
      {R"("rope_scaling": "linear")", "rope_scaling"},
      {R"("rope_parameters": {"rope_type": "llama3", "rope_theta": 5, "factor": 8})", "llama3"},
      {R"("rope_parameters": {"full_attention": {"rope_theta": 5}})", "full_attention"},
      {R"("rope_parameters": {"partial_rotary_factor": 0.5})", "partial_rotary_factor"},
      {R"("rope_parameters": {"rope_theta": "x"})", "rope_theta"},
      {R"("hidden_act": "gelu")", "hidden_act"},
      {R"("quantization_config": {"bits": 4})", "quantization_config"},
      {R"("num_key_value_heads": -2)", "num_key_value_heads"},
      {R"("rope_theta": "x")", "rope_theta"},
      {R"("hidden_size": 1e30)", "hidden_size"},
  };
  for (const auto& [option, name] : cases) {
    Scratch folder;
    prepare(folder, std::string(kLlama) + ", " + option + "}", llama_shapes({}));
    EXPECT_THAT(complaint(folder), HasSubstr(name)) << option;
  }
}

TEST(HuggingFace, FoldersThatAreNoModels) {
  Scratch folder;
  EXPECT_THAT(complaint(folder), HasSubstr("no config.json"));
  folder.write("config.json", "[1]");
  EXPECT_THAT(complaint(folder), HasSubstr("not a JSON object"));
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  folder.write("config.json", R"({"model_type": )" + deep + "}");
  EXPECT_THAT(complaint(folder), HasSubstr("nested deeper"));
  folder.write("config.json", R"({"model_type": "t5"})");
  EXPECT_THAT(complaint(folder), HasSubstr("\"t5\" is not supported"));
  folder.write("config.json", std::string(kLlama) + "}");
  folder.write("pytorch_model.bin", "x");
  EXPECT_THAT(complaint(folder), HasSubstr("safetensors"));
  folder.write("model.safetensors.index.json", R"({"weight_map": {"x": "../secret"}})");
  EXPECT_THAT(complaint(folder), HasSubstr("not the name of a file"));
}

TEST(HuggingFace, WeightsThatDoNotFit) {
  Scratch folder;
  std::vector<NamedShape> shapes = llama_shapes({});
  shapes.push_back({"model.layers.0.self_attn.q_norm.weight", {8}});
  prepare(folder, std::string(kLlama) + "}", shapes);
  EXPECT_THAT(complaint(folder), HasSubstr("q_norm"));
  shapes.pop_back();
  shapes.erase(shapes.begin() + 5);
  prepare(folder, std::string(kLlama) + "}", shapes);
  EXPECT_THAT(complaint(folder), HasSubstr("have no"));
  prepare(folder, std::string(kLlama) + R"(, "intermediate_size": 11})", llama_shapes({}));
  EXPECT_THAT(complaint(folder), HasSubstr("[10, 8]"));
}

}  // namespace
}  // namespace heed::hugging_face_test

// Models of llama2.c: the same model in Hugging Face's layout gives the same logits; the real
// stories260K, if HEED_DATA names a folder that has it, writes its text byte for byte.

#include "heed/convert/llama2c.h"
#include "heed/train/prepare_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "heed/convert/hugging_face.h"
#include "tests/convert/foreign_model.h"

namespace heed {
namespace {

using testing::HasSubstr;

template <typename T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string tokenizer_file(int32_t pieces) {
  std::string file = bytes_of(int32_t{8});
  const auto add = [&](float score, const std::string& text) {
    file += bytes_of(score) + bytes_of(static_cast<int32_t>(text.size())) + text;
  };
  add(0, "<unk>");
  add(0, "\n<s>\n");
  add(0, "\n</s>\n");
  const char* digits = "0123456789ABCDEF";
  for (int i = 0; i < 256; ++i) {
    add(0, std::string("<0x") + digits[i / 16] + digits[i % 16] + ">");
  }
  for (int32_t i = 259; i < pieces; ++i) {
    add(-static_cast<float>(i - 258),
        i == 259 ? " a" : std::string(1, static_cast<char>(i - 260 + 'a')));
  }
  return file;
}

// Rows of q or k, from halves of a head to pairs that are neighbours.
Tensor interleaved(const Tensor& halves, int64_t head) {
  Tensor result = halves.clone();
  const int64_t width = halves.dim(1);
  for (int64_t r = 0; r < halves.dim(0); ++r) {
    const int64_t at = r % head, from = r - at + (at % 2) * (head / 2) + at / 2;
    std::copy_n(halves.data<float>() + from * width, width, result.data<float>() + r * width);
  }
  return result;
}

// The weights of the Llama layout in the order of llama2.c.
std::string model_file(const std::vector<NamedTensor>& weights, bool tied, int32_t vocabulary) {
  constexpr int32_t C = kWidth, F = 10, L = kLayers, H = 4, K = 2, context = kPositionRows;
  std::string file;
  for (const int32_t number : {C, F, L, H, K, tied ? vocabulary : -vocabulary, context}) {
    file += bytes_of(number);
  }
  const auto find = [&](const std::string& name) {
    for (const NamedTensor& weight : weights) {
      if (weight.name == name) return weight.tensor;
    }
    throw Error(name);
  };
  const auto append = [&](const Tensor& tensor, int64_t count) {
    file.append(reinterpret_cast<const char*>(tensor.data<float>()),
                static_cast<size_t>(count) * sizeof(float));
  };
  const auto per_layer = [&](const std::string& name, bool turned = false) {
    for (int64_t i = 0; i < L; ++i) {
      Tensor tensor = find("model.layers." + std::to_string(i) + "." + name + ".weight");
      if (turned) tensor = interleaved(tensor, C / H);
      append(tensor, tensor.size());
    }
  };
  append(find("model.embed_tokens.weight"), vocabulary * C);
  per_layer("input_layernorm");
  per_layer("self_attn.q_proj", true);
  per_layer("self_attn.k_proj", true);
  per_layer("self_attn.v_proj");
  per_layer("self_attn.o_proj");
  per_layer("post_attention_layernorm");
  per_layer("mlp.gate_proj");
  per_layer("mlp.down_proj");
  per_layer("mlp.up_proj");
  append(find("model.norm.weight"), C);
  file.append(context * (C / H) * sizeof(float), '\0');
  if (!tied) append(find("lm_head.weight"), vocabulary * C);
  return file;
}

TEST(Llama2c, EqualsTheSameModelInHuggingFacesLayout) {
  for (const bool tied : {false, true}) {
    Scratch folder;
    const auto weights = formula_weights(llama_shapes({.tied = tied}), DType::f32);
    folder.write("config.json",
                 std::string(R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2,
                     "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 10,
                     "vocab_size": 270, "max_position_embeddings": 12, "rms_norm_eps": 1e-5,
                     "tie_word_embeddings": )") +
                     (tied ? "true}" : "false}"));
    write_tokenizer(folder);
    write_safetensors(folder / "model.safetensors", weights);
    write_converted(convert_hugging_face(folder.path), folder / "hf");
    folder.write("model.bin", model_file(weights, tied, 270));
    folder.write("tok.bin", tokenizer_file(270));
    write_converted(convert_llama2c(folder / "model.bin", folder / "tok.bin"), folder / "c");
    const std::vector<int32_t> ids{1, 70, 3, 255, 259, 12};
    const Tensor a = logits_of(folder / "hf", ids), b = logits_of(folder / "c", ids);
    for (int64_t t = 0; t < a.dim(0); ++t) {
      for (int64_t v = 0; v < a.dim(1); ++v) {
        ASSERT_NEAR(a.data<float>()[t * a.dim(1) + v], b.data<float>()[t * b.dim(1) + v], 1e-6);
      }
    }
  }
}

TEST(Llama2c, TheTokenizer) {
  Scratch folder;
  folder.write("model.bin",
               model_file(formula_weights(llama_shapes({.tied = true}), DType::f32), true, 262));
  folder.write("tok.bin", tokenizer_file(262));
  write_converted(convert_llama2c(folder / "model.bin", folder / "tok.bin"), folder / "run");
  const LoadedRun run = load_run(folder / "run");
  EXPECT_EQ(run.config.begin, "<s>");
  EXPECT_EQ(run.tokenizer->specials().bos, 1);
  EXPECT_EQ(run.tokenizer->specials().eos, 1);  // a story ends where the next begins
  EXPECT_EQ(run.tokenizer->encode("ab\n"), (std::vector<int32_t>{259, 261, 3 + '\n'}));
  EXPECT_EQ(run.tokenizer->decode(std::vector<int32_t>{1, 259, 261, 3 + '\n'}), "ab\n");
}

// The begin of a story is the end of the one before: it stands between two once.
TEST(Llama2c, StoriesInTwoFiles) {
  Scratch folder;
  folder.write("model.bin",
               model_file(formula_weights(llama_shapes({.tied = true}), DType::f32), true, 262));
  folder.write("tok.bin", tokenizer_file(262));
  write_converted(convert_llama2c(folder / "model.bin", folder / "tok.bin"), folder / "run");
  folder.write("one.txt", "ab");
  folder.write("two.txt", "ab");
  const LoadedRun run = load_run(folder / "run");
  std::vector<std::string> notes;
  const auto data =
      prepare_evaluation(run, {.files = {folder / "one.txt", folder / "two.txt"}}, notes);
  EXPECT_EQ(data->evaluate(*run.model, {}).find("tokens"), 5);  // <s> and two pieces, twice
}

std::string complaint(const std::string& model, const std::string& tokenizer) {
  try {
    convert_llama2c(model, tokenizer);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Llama2c, DamagedFiles) {
  Scratch folder;
  const std::string good =
      model_file(formula_weights(llama_shapes({.tied = true}), DType::f32), true, 262);
  const std::string tokens = tokenizer_file(262);
  folder.write("tok.bin", tokens);
  for (const size_t size : {size_t{0}, size_t{5}, size_t{28}, good.size() / 2, good.size() - 1}) {
    folder.write("m.bin", good.substr(0, size));
    EXPECT_THAT(complaint(folder / "m.bin", folder / "tok.bin"), HasSubstr("llama2.c")) << size;
  }
  folder.write("m.bin", good + "x");
  EXPECT_THAT(complaint(folder / "m.bin", folder / "tok.bin"), HasSubstr("more in it"));
  for (size_t at = 0; at < 7; ++at) {
    for (const int32_t number : {0, -7, 1 << 23, INT32_MAX, INT32_MIN}) {
      if (at == 5 && number == -7) continue;
      std::string bad = good;
      std::memcpy(bad.data() + 4 * at, &number, sizeof number);
      folder.write("m.bin", bad);
      EXPECT_THAT(complaint(folder / "m.bin", folder / "tok.bin"), testing::Ne("no error"))
          << at << " " << number;
    }
  }
  folder.write("m.bin", good);
  folder.write("tok.bin", tokens.substr(0, tokens.size() - 1));
  EXPECT_THAT(complaint(folder / "m.bin", folder / "tok.bin"), HasSubstr("cut short"));
  folder.write("tok.bin", tokenizer_file(261));
  EXPECT_THAT(complaint(folder / "m.bin", folder / "tok.bin"), HasSubstr("261 pieces"));
}

TEST(Llama2c, Stories260KWritesItsText) {
  const char* data = std::getenv("HEED_DATA");
  if (data == nullptr) GTEST_SKIP() << "HEED_DATA is not set";
  const std::string from = std::string(data) + "/weights/";
  Scratch folder;
  write_converted(convert_llama2c(from + "stories260K.bin", from + "tok512.bin"), folder / "run");
  const LoadedRun run = load_run(folder / "run");
  const GenerationRequest request{.prompt = {*run.tokenizer->specials().bos}};
  const auto generated = Generator(*run.model)
                             .generate(std::span(&request, 1),
                                       {.max_tokens = 200, .end = *run.tokenizer->specials().eos});
  std::ifstream file(from + "stories260K.greedy200.txt", std::ios::binary);
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(run.tokenizer->decode(generated[0].ids), expected.str());
}

}  // namespace
}  // namespace heed

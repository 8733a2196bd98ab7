// Which tokens begin and end the texts of a model of Hugging Face, by what its files say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/convert/hugging_face.h"
#include "heed/text/sentencepiece_bpe.h"
#include "heed/text/train_tokenizer.h"
#include "tests/convert/foreign_model.h"

namespace heed::special_tokens_test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

constexpr int32_t kImEnd = 262, kStart = 260, kStop = 261;  // in the tokenizer.json below

struct Files {
  Json config = Json::object();  // added to config.json
  Json generation = {};          // null: there is none
  Json tokenizer_config = {};    // null: there is none
  Json post_processor = {};      // of tokenizer.json
  bool has_pieces = false;       // tokenizer.model instead of a byte-level BPE
};

struct Converted {
  std::string begin, bos, eos;
  std::vector<std::string> notes;
};

std::string token_name(const Tokenizer& tokenizer, const std::optional<int32_t>& id) {
  return id ? tokenizer.token(*id) : "";
}

// A byte-level BPE without merges and with the tokens of chats, as others write it.
Json byte_level_bpe() {
  const std::string_view text = "a";
  const auto tokenizer = train_tokenizer({&text, 1}, {.kind = TokenizerKind::bpe});
  Json file = Json::parse(tokenizer->file_contents());
  const char* names[] = {"<|unused_a|>", "<|unused_b|>",  "<|unused_c|>", "<|endoftext|>",
                         "<|im_start|>", "<|endofturn|>", "<|im_end|>"};
  Json& added = file["added_tokens"] = Json::array();
  Json& vocabulary = file["model"]["vocab"];
  for (int id = 256; id < 256 + 7; ++id) {
    added.push_back({{"id", id}, {"content", names[id - 256]}, {"special", true}});
  }
  for (auto item = vocabulary.begin(); item != vocabulary.end();) {
    item = item.value().get<int>() >= 256 ? vocabulary.erase(item) : std::next(item);
  }
  return file;
}

Json template_with(const std::string& token) {
  Json form = Json::parse(R"({"type": "TemplateProcessing", "special_tokens": {},
      "single": [{"SpecialToken": {"id": "?", "type_id": 0}},
                 {"Sequence": {"id": "A", "type_id": 0}}]})");
  form["single"][0]["SpecialToken"]["id"] = token;
  if (token.empty()) form["single"].erase(0);
  return form;
}

Converted convert(const Files& files) {
  Scratch folder;
  Json config = Json::parse(R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2,
      "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 10,
      "vocab_size": 270, "max_position_embeddings": 12})");
  config.update(files.config);
  folder.write("config.json", config.dump());
  if (!files.generation.is_null()) {
    folder.write("generation_config.json", files.generation.dump());
  }
  if (!files.tokenizer_config.is_null()) {
    folder.write("tokenizer_config.json", files.tokenizer_config.dump());
  }
  if (files.has_pieces) {
    std::vector<ScoredPiece> pieces{{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {"a", -1}, {"b", -2}};
    folder.write("tokenizer.model", sentencepiece_bpe_tokenizer(pieces, "pieces")->file_contents());
  }
  if (!files.has_pieces || !files.post_processor.is_null()) {
    Json tokenizer = byte_level_bpe();
    tokenizer["post_processor"] = files.post_processor;
    folder.write("tokenizer.json", tokenizer.dump());
  }
  write_safetensors(folder / "model.safetensors", formula_weights(llama_shapes({}), DType::f32));
  const ConvertedModel converted = convert_hugging_face(folder.path);
  write_converted(converted, folder / "heed");
  const LoadedRun run = load_run(folder / "heed");
  const SpecialIds& ids = run.tokenizer->specials();
  return {run.config.begin, token_name(*run.tokenizer, ids.bos),
          token_name(*run.tokenizer, ids.eos), converted.notes};
}

TEST(SpecialTokens, WhetherABeginStandsBeforeATextIsSaid) {
  // By nothing: SentencePiece puts one there, a byte-level BPE does not.
  EXPECT_EQ(convert({}).begin, "");
  EXPECT_EQ(convert({.has_pieces = true}).begin, "<s>");
  // By the post_processor.
  EXPECT_EQ(convert({.post_processor = template_with("<|im_start|>")}).begin, "<|im_start|>");
  EXPECT_EQ(convert({.post_processor = template_with("")}).begin, "");
  EXPECT_EQ(convert({.post_processor = template_with(""), .has_pieces = true}).begin, "");
  Json sequence = Json::parse(R"({"type": "Sequence", "processors": [{"type": "ByteLevel"}]})");
  sequence["processors"].push_back(template_with("<|im_start|>"));
  EXPECT_EQ(convert({.post_processor = sequence}).begin, "<|im_start|>");
  EXPECT_EQ(convert({.post_processor = {{"type", "ByteLevel"}}}).begin, "");
  // By tokenizer_config.json, before all others.
  EXPECT_EQ(convert({.tokenizer_config = {{"add_bos_token", false}},
                     .post_processor = template_with("<|im_start|>")})
                .begin,
            "");
  EXPECT_EQ(convert({.tokenizer_config = {{"add_bos_token", false}}, .has_pieces = true}).begin,
            "");
  EXPECT_EQ(
      convert({.tokenizer_config = {{"add_bos_token", true}, {"bos_token", "<|im_end|>"}}}).begin,
      "<|im_end|>");
  EXPECT_EQ(convert({.tokenizer_config = {{"add_bos_token", nullptr}},
                     .post_processor = template_with("<|im_start|>")})
                .begin,
            "<|im_start|>");
}

TEST(SpecialTokens, WhichTokensAreBeginAndEnd) {
  // The usual names.
  EXPECT_EQ(convert({}).eos, "<|endoftext|>");
  // The ids of the model; those for writing come first, and of a list the first.
  const Converted by_config =
      convert({.config = {{"bos_token_id", kStart}, {"eos_token_id", kImEnd}}});
  EXPECT_EQ(by_config.bos, "<|im_start|>");
  EXPECT_EQ(by_config.eos, "<|im_end|>");
  EXPECT_TRUE(by_config.notes.size() == 1) << testing::PrintToString(by_config.notes);
  const Converted by_list = convert(
      {.config = {{"eos_token_id", kStart}}, .generation = {{"eos_token_id", {kImEnd, kStop}}}});
  EXPECT_EQ(by_list.eos, "<|im_end|>");
  EXPECT_THAT(by_list.notes, testing::Contains(HasSubstr("<|endofturn|>")));
  EXPECT_EQ(convert({.config = {{"eos_token_id", 999}}}).eos, "<|endoftext|>");
  // tokenizer_config.json comes before all others.
  EXPECT_EQ(convert({.config = {{"eos_token_id", kStart}},
                     .tokenizer_config = {{"eos_token", "<|im_end|>"}}})
                .eos,
            "<|im_end|>");
  EXPECT_EQ(convert({.config = {{"eos_token_id", kStart}},
                     .tokenizer_config = {{"eos_token", {{"content", "<|im_end|>"}}}}})
                .eos,
            "<|im_end|>");
  EXPECT_EQ(convert({.config = {{"eos_token_id", 3}}, .has_pieces = true}).eos, "a");
}

TEST(SpecialTokens, WhatCannotBeDoneIsSaid) {
  const auto complaint = [](const Files& files) -> std::string {
    try {
      convert(files);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(complaint({.tokenizer_config = {{"add_bos_token", "yes"}}}),
              HasSubstr("add_bos_token"));
  EXPECT_THAT(complaint({.post_processor = template_with("<none>")}), HasSubstr("<none>"));
  Json two = template_with("<|im_start|>");
  two["single"].insert(two["single"].begin(), two["single"][0]);
  EXPECT_THAT(complaint({.post_processor = two}), HasSubstr("one token"));
  EXPECT_THAT(complaint({.post_processor = {{"type", "TemplateProcessing"}}}), HasSubstr("single"));
}

}  // namespace
}  // namespace heed::special_tokens_test

// Folders of BERT: states and classes are those that PyTorch computes with the same weights, and
// the converted models answer texts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heed/convert/hugging_face.h"
#include "heed/train/prepare_run.h"
#include "tests/convert/foreign_model.h"
#include "tests/goldens/golden.h"

namespace heed::bert_test {
namespace {

using testing::HasSubstr;

// 26 tokens for a table of 30 rows.
constexpr char kVocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\nred\ncar\nwalk\n##ing\n##ed\na\nblue\nhouse\n,\n.\n"
    "##s\nold\ntown\nsee\ntree\nand\nin\nof\ngreen\n!\n";

constexpr char kBert[] =
    R"({"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 3, "num_attention_heads": 4,
        "intermediate_size": 10, "vocab_size": 30, "max_position_embeddings": 12,
        "type_vocab_size": 5)";

// Which head the weights have.
enum class Head : uint8_t { none, sentence, tokens };

std::vector<NamedShape> bert_shapes(Head head) {
  constexpr int64_t C = 8, F = 10;
  const std::string root = head == Head::none ? "" : "bert.", e = root + "embeddings.";
  std::vector<NamedShape> shapes{{e + "word_embeddings.weight", {30, C}},
                                 {e + "position_embeddings.weight", {12, C}},
                                 {e + "token_type_embeddings.weight", {5, C}}};
  const auto linear = [&](const std::string& name, int64_t in, int64_t out) {
    shapes.push_back({name + ".weight", {out, in}});
    shapes.push_back({name + ".bias", {out}});
  };
  const auto norm = [&](const std::string& name) {
    shapes.push_back({name + ".weight", {C}});
    shapes.push_back({name + ".bias", {C}});
  };
  norm(e + "LayerNorm");
  for (int64_t i = 0; i < 3; ++i) {
    const std::string h = root + "encoder.layer." + std::to_string(i) + ".";
    for (const char* part : {"query", "key", "value"}) linear(h + "attention.self." + part, C, C);
    linear(h + "attention.output.dense", C, C);
    norm(h + "attention.output.LayerNorm");
    linear(h + "intermediate.dense", C, F);
    linear(h + "output.dense", F, C);
    norm(h + "output.LayerNorm");
  }
  if (head != Head::tokens) linear(root + "pooler.dense", C, C);
  if (head != Head::none) linear("classifier", C, head == Head::sentence ? 6 : 7);
  return shapes;
}

std::string labels(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + std::string("\"") + std::to_string(i) + "\": \"" +
            std::string(1, static_cast<char>('Z' - i)) + "\"";
  }
  return "\"id2label\": {" + text + "}";
}

const std::string kSentence = R"(, "architectures": ["BertForSequenceClassification"], )";
const std::string kTokens = R"(, "architectures": ["BertForTokenClassification"], )";

void prepare(const Scratch& folder, const std::string& options, Head head) {
  folder.write("config.json", kBert + options + "}");
  folder.write("vocab.txt", kVocabulary);
  write_safetensors(folder / "model.safetensors", formula_weights(bert_shapes(head), DType::f32));
}

ConvertedModel convert(const Scratch& folder) {
  ConvertedModel model = convert_hugging_face(folder.path);
  write_converted(model, folder / "heed");
  return model;
}

void check_golden(const Scratch& folder, const std::string& name, bool is_states = false) {
  const Golden golden(name);
  const LoadedRun run = load_run(folder / "heed");
  const Tensor expected = golden.real("output"), ids = golden.ids("ids").to(DType::i32);
  Batch batch;
  batch.source = ids;
  batch.source_rows = Rows::single(ids.size());
  const Tensor found =
      (is_states ? run.model->features(batch, {}) : run.model->logits(batch, {})).value();
  ASSERT_EQ(found.shape(), expected.shape());
  for (int64_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found.data<float>()[i], expected.data<double>()[i], 2e-5) << name << " at " << i;
  }
}

TEST(ConvertBert, States) {
  const Scratch folder;
  prepare(folder, "", Head::none);
  const ConvertedModel model = convert(folder);
  EXPECT_THAT(model.notes.front(), HasSubstr("left out 2 weights of heads"));
  check_golden(folder, "convert_bert", true);
  const RunConfig config = read_run_config(folder / "heed");
  EXPECT_EQ(config.begin, "[CLS]");
  EXPECT_EQ(config.end, "[SEP]");
  EXPECT_EQ(config.settings.task, Task::embed);
}

TEST(ConvertBert, OldNamesOfNorms) {
  const Scratch folder;
  prepare(folder, R"(, "architectures": ["BertForMaskedLM"])", Head::none);
  std::vector<NamedTensor> weights = formula_weights(bert_shapes(Head::none), DType::f32);
  for (NamedTensor& weight : weights) {
    const size_t at = weight.name.find("LayerNorm.");
    if (at == std::string::npos) continue;
    weight.name = weight.name.substr(0, at) +
                  (weight.name.ends_with("weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
  }
  weights.push_back({"cls.predictions.bias", Tensor::zeros({30})});
  weights.push_back({"embeddings.position_ids", Tensor::zeros({1, 12}, DType::i64)});
  write_safetensors(folder / "model.safetensors", weights);
  convert(folder);
  check_golden(folder, "convert_bert", true);
}

TEST(ConvertBert, ClassesOfSentences) {
  const Scratch folder;
  prepare(folder, kSentence + labels(6) + R"(, "hidden_act": "gelu_new", "layer_norm_eps": 1e-3)",
          Head::sentence);
  convert(folder);
  check_golden(folder, "convert_bert_classes");
}

TEST(ConvertBert, ClassesOfTokens) {
  const Scratch folder;
  prepare(folder, kTokens + labels(7) + R"(, "hidden_act": "relu")", Head::tokens);
  convert(folder);
  check_golden(folder, "convert_bert_tags");
}

// What the model makes of "[CLS] text [SEP]".
Tensor framed_logits(const Pipeline& pipeline, const std::string& text) {
  const auto ids = pipeline.tokenizer().encode("[CLS]" + text + "[SEP]");
  Batch batch;
  batch.source_rows = Rows::single(static_cast<int64_t>(ids.size()));
  batch.source = Tensor::from(ids, {static_cast<int64_t>(ids.size())});
  return pipeline.run().model->logits(batch, {}).value();
}

TEST(ConvertBert, ClassifiesTexts) {
  const Scratch folder;
  prepare(folder, kSentence + labels(6), Head::sentence);
  convert(folder);
  const Pipeline pipeline = load(folder / "heed");
  const ClassifiedText answer = pipeline.classify("The red cars, walking");
  const Tensor logits = framed_logits(pipeline, "the red cars, walking");
  double sum = 0;
  for (int64_t k = 0; k < 6; ++k) sum += std::exp(logits.data<float>()[k]);
  for (int64_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(answer.probabilities[k], std::exp(logits.data<float>()[k]) / sum, 1e-6);
  }
  EXPECT_EQ(pipeline.embed("a tree", {.pool = EmbedPool::cls}).shape(), Shape({8}));
  // 10 tokens of a text have room; the names of the labels are not in the order of the alphabet.
  EXPECT_TRUE(pipeline.classify("a a a a a a a a a a a").cut);
  folder.write("data.tsv", answer.label + "\tThe red cars, walking\n");
  std::vector<std::string> notes;
  const auto data = prepare_evaluation(pipeline.run(), {.files = {folder / "data.tsv"}}, notes);
  EXPECT_EQ(data->evaluate(*pipeline.run().model, {}).find("accuracy"), 100);
}

TEST(ConvertBert, TagsWords) {
  const Scratch folder;
  prepare(folder, kTokens + labels(7), Head::tokens);
  convert(folder);
  const Pipeline pipeline = load(folder / "heed");
  const auto words = pipeline.tag("Walking, the car");
  ASSERT_EQ(words.size(), 4u);
  const Tensor logits = framed_logits(pipeline, "walking, the car");
  const int64_t rows[] = {1, 3, 4, 5};  // [CLS] walk ##ing , the car [SEP]
  std::string conll;
  for (size_t w = 0; w < 4; ++w) {
    const float* row = logits.data<float>() + rows[w] * 7;
    const auto best = std::max_element(row, row + 7) - row;
    EXPECT_EQ(words[w].tag, std::string(1, static_cast<char>('Z' - best)));
    conll += words[w].word + "\t" + words[w].tag + "\n";
  }
  folder.write("data.conll", conll);
  std::vector<std::string> notes;
  const auto data = prepare_evaluation(pipeline.run(), {.files = {folder / "data.conll"}}, notes);
  EXPECT_EQ(data->evaluate(*pipeline.run().model, {}).find("accuracy"), 100);
}

TEST(ConvertBert, EmbedsAndShowsAttention) {
  const Scratch folder;
  prepare(folder, "", Head::none);
  convert(folder);
  const Pipeline pipeline = load(folder / "heed");
  const Tensor rows =
      pipeline.embed("the red car", {.layers = {kEmbeddingLayer, 2}, .pool = EmbedPool::none});
  EXPECT_EQ(rows.shape(), Shape({2, 5, 8}));
  const Tensor cls = pipeline.embed("the red car", {.pool = EmbedPool::cls});
  for (int64_t c = 0; c < 8; ++c) {
    EXPECT_EQ(cls.data<float>()[c], rows.data<float>()[5 * 8 + c]);
  }
  const AttentionMap map = pipeline.attention("the red car");
  EXPECT_THAT(map.keys, testing::ElementsAre("[CLS]", "the", "red", "car", "[SEP]"));
  EXPECT_EQ(map.layers.size(), 3u);
  EXPECT_THROW(pipeline.classify("a"), Error);
  std::vector<std::string> notes;
  EXPECT_THROW(prepare_evaluation(pipeline.run(), {.files = {"x"}}, notes), Error);
}

std::string complaint(const Scratch& folder) {
  try {
    convert_hugging_face(folder.path);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ConvertBert, WhatHeedDoesNotHaveIsNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("hidden_act": "silu")", "hidden_act"},
      {R"("position_embedding_type": "relative_key")", "position_embedding_type"},
      {R"("is_decoder": true)", "is_decoder"},
      {R"("architectures": ["BertForQuestionAnswering"])", "BertForQuestionAnswering"},
      {R"("architectures": "x")", "architectures"},
      {R"("max_position_embeddings": 2)", "no room"},
  };
  for (const auto& [option, name] : cases) {
    const Scratch folder;
    prepare(folder, std::string(", ") + option, Head::none);
    EXPECT_THAT(complaint(folder), HasSubstr(name)) << option;
  }
  for (const auto& [option, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"("problem_type": "multi_label_classification")", "problem_type"},
           {R"("num_labels": 1)", "regression"},
           {R"("id2label": {"0": "a", "2": "b"})", "id2label"},
           {R"("num_labels": 4)", "classifier.weight"}}) {
    const Scratch folder;
    prepare(folder, kSentence + option, Head::sentence);
    EXPECT_THAT(complaint(folder), HasSubstr(name)) << option;
  }
  const Scratch folder;
  prepare(folder, "", Head::none);
  folder.write("vocab.txt", "[UNK]\na\n");
  EXPECT_THAT(complaint(folder), HasSubstr("[CLS]"));
}

// A converted language model reads its begin before a text, also when it scores.
TEST(ConvertLlama, ScoresWithItsBegin) {
  const Scratch folder;
  folder.write("config.json",
               R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 10,
                   "vocab_size": 270, "max_position_embeddings": 12})");
  write_tokenizer(folder);
  folder.write("tokenizer_config.json", R"({"add_bos_token": true})");
  write_safetensors(folder / "model.safetensors", formula_weights(llama_shapes({}), DType::f32));
  convert(folder);
  const Pipeline pipeline = load(folder / "heed");
  const std::string text = "heed";
  const auto scored = pipeline.score(std::span(&text, 1));
  ASSERT_EQ(scored[0].log_probabilities.size(), 4u);  // its first byte too
  const int32_t bos = *pipeline.tokenizer().specials().bos;
  const Tensor logits = logits_of(folder / "heed", {bos, 'h', 'e', 'e'});
  double sum = 0;
  for (int64_t v = 0; v < 260; ++v) sum += std::exp(logits.data<float>()[v]);
  EXPECT_NEAR(scored[0].log_probabilities[0], logits.data<float>()[size_t{'h'}] - std::log(sum),
              1e-5);
  folder.write("text.txt", text);
  std::vector<std::string> notes;
  const auto data = prepare_evaluation(pipeline.run(), {.files = {folder / "text.txt"}}, notes);
  const Evaluation found = data->evaluate(*pipeline.run().model, {});
  EXPECT_EQ(found.find("tokens"), 4);
  EXPECT_NEAR(*found.find("loss"), -scored[0].log_probability / 4, 1e-5);
}

}  // namespace
}  // namespace heed::bert_test

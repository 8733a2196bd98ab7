#include "heed/tuning/dialogue_corpus.h"

#include <gtest/gtest.h>

#include <numbers>

#include "heed/models/transformer.h"
#include "heed/text/train_tokenizer.h"

namespace heed::dialogue_corpus_test {
namespace {

std::shared_ptr<const Tokenizer> bytes() {
  const std::string_view text = "abc";
  return train_tokenizer(std::vector<std::string_view>{text}, {.kind = TokenizerKind::byte});
}

const std::vector<std::vector<ChatMessage>> kTalks = {
    {{"user", "ab"}, {"assistant", "c"}},
    {{"user", "q"}, {"assistant", "xyz"}, {"user", "r"}, {"assistant", "w"}},
    {{"system", "be"}, {"user", "long question"}, {"assistant", "answer"}}};

DialogueCorpus corpus(int64_t max_length = 0) {
  const auto tokenizer = bytes();
  DialogueBuilder builder(default_chat_template(*tokenizer), tokenizer, max_length, "");
  for (const auto& talk : kTalks) builder.add(talk);
  return builder.finish();
}

Transformer small_model() {
  TransformerConfig config;
  config.vocabulary = bytes()->size();
  config.decoder_layers = 2;
  config.width = 16;
  config.hidden = 16;
  config.heads = 2;
  config.context = 64;
  config.positions = PositionKind::rotary;
  return Transformer(config, {.seed = 4});
}

TEST(DialogueCorpus, OnlyAnswersAreLabels) {
  const DialogueCorpus all = corpus();
  const std::vector<int64_t> items = {1};
  const Batch batch = all.evaluation_batch(items);
  const SpecialIds ids = bytes()->specials();
  // bos q sep x y z eos bos r sep w eos
  const std::vector<int32_t> expected = {-1, -1, 'x', 'y', 'z',     *ids.eos,
                                         -1, -1, -1,  'w', *ids.eos};
  const int32_t* labels = batch.labels.data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(labels, labels + batch.labels.size()), expected);
  EXPECT_EQ(batch.label_count, 6);
}

TEST(DialogueCorpus, PackedIsSeparate) {
  const Transformer model = small_model();
  const DialogueCorpus all = corpus();
  const std::vector<int64_t> together = {0, 1, 2};
  const Batch batch = all.evaluation_batch(together);
  const Tensor packed = model.logits(batch, {}).value();
  for (int64_t i = 0; i < 3; ++i) {
    const std::vector<int64_t> one = {i};
    const Tensor alone = model.logits(all.evaluation_batch(one), {}).value();
    const int64_t begin = batch.target_rows.begin(i);
    for (int64_t n = 0; n < alone.dim(0); ++n) {
      for (int64_t v = 0; v < alone.dim(1); ++v) {
        ASSERT_EQ(alone.data<float>()[n * alone.dim(1) + v],
                  packed.data<float>()[(begin + n) * alone.dim(1) + v]);
      }
    }
  }
}

TEST(DialogueCorpus, WhatIsTooLongIsCutOrLeftOut) {
  const auto tokenizer = bytes();
  DialogueBuilder builder(default_chat_template(*tokenizer), tokenizer, 8, "");
  for (const auto& talk : kTalks) builder.add(talk);
  EXPECT_EQ(builder.count(), 2);
  EXPECT_EQ(builder.cut(), 1);
  EXPECT_EQ(builder.left_out(), 1);
  const DialogueCorpus cut = builder.finish();
  EXPECT_EQ(cut.ids(1).size(), 9u);
}

// The ends of answers are predicted but are no text.
TEST(DialogueData, BitsPerByteOfTheAnswers) {
  const auto tokenizer = bytes();
  const DialogueData data(corpus(), default_chat_template(*tokenizer), tokenizer, {});
  const Evaluation result = data.evaluate(small_model(), {.bits_per_byte = true});
  const double nats = *result.find("loss") * *result.find("tokens");
  EXPECT_EQ(result.find("tokens"), 2 + 6 + 7);
  EXPECT_NEAR(*result.find("bits_per_byte"), nats / std::numbers::ln2 / (1 + 4 + 6), 1e-12);
  EXPECT_EQ(data.evaluate(small_model(), {}).find("bits_per_byte"), std::nullopt);
}

}  // namespace
}  // namespace heed::dialogue_corpus_test

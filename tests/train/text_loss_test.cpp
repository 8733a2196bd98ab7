// Bits per byte, whatever the tokens of a model are.
#include "heed/train/text_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "heed/models/transformer.h"
#include "heed/text/train_tokenizer.h"
#include "heed/train/task_data.h"

namespace heed::text_loss_test {
namespace {

const std::string kText =
    "the cat sees the dog, the dog sees the cat.\nStra\xc3\x9f"
    "e: the \xe2\x82\xac cat\n";

std::shared_ptr<const Tokenizer> learned(TokenizerKind kind, int64_t size = 0) {
  const std::string_view text = kText;
  return train_tokenizer(std::span(&text, 1), {.kind = kind, .vocab_size = size});
}

Transformer model_for(const Tokenizer& tokenizer) {
  TransformerConfig config;
  config.kind = TransformerKind::decoder;
  config.vocabulary = tokenizer.size();
  config.decoder_layers = 1;
  config.width = 8;
  config.hidden = 16;
  config.heads = 2;
  config.context = 16;
  return Transformer(config, {.seed = 4});
}

Evaluation evaluated(const std::vector<int32_t>& ids, std::shared_ptr<const Tokenizer> tokenizer,
                     bool bits_per_byte = true) {
  TokenStoreBuilder builder(tokenizer->size());
  builder.append(ids);
  const Transformer model = model_for(*tokenizer);
  const StreamData data({builder.finish(), 0, static_cast<int64_t>(ids.size())}, 16, 1, tokenizer);
  return data.evaluate(model, {.batch = {.budget = 32}, .bits_per_byte = bits_per_byte});
}

// The labels of a row of ids: each token after the first.
int64_t bytes_of(const std::vector<int32_t>& ids, const Tokenizer& tokenizer) {
  Batch batch;
  const auto rows = static_cast<int64_t>(ids.size()) - 1;
  batch.target = Tensor::from(std::vector<int32_t>(ids.begin(), ids.end() - 1), {rows});
  batch.labels = Tensor::from(std::vector<int32_t>(ids.begin() + 1, ids.end()), {rows});
  return label_bytes(batch, tokenizer);
}

TEST(TextLoss, OfBytesItIsTheLossInBits) {
  const auto tokenizer = learned(TokenizerKind::byte);
  const std::vector<int32_t> ids = tokenizer->encode(kText);
  const Evaluation result = evaluated(ids, tokenizer);
  EXPECT_EQ(result.find("tokens"), static_cast<double>(kText.size() - 1));
  EXPECT_EQ(result.find("bits_per_byte"), *result.find("loss") / std::numbers::ln2);
}

TEST(TextLoss, OnlyIfItIsAskedFor) {
  const auto tokenizer = learned(TokenizerKind::byte);
  const Evaluation plain = evaluated(tokenizer->encode(kText), tokenizer, false);
  EXPECT_EQ(plain.find("bits_per_byte"), std::nullopt);
  EXPECT_EQ(plain.find("loss"), evaluated(tokenizer->encode(kText), tokenizer).find("loss"));
}

TEST(TextLoss, OfBpeItCountsTheBytesOfTheTokens) {
  const auto tokenizer = learned(TokenizerKind::bpe, 300);
  const std::vector<int32_t> ids = tokenizer->encode(kText);
  ASSERT_LT(ids.size(), kText.size());
  const size_t first = tokenizer->decode(std::span(ids).first(1)).size();
  const auto bytes = static_cast<double>(kText.size() - first);
  const Evaluation result = evaluated(ids, tokenizer);
  const double nats = *result.find("loss") * *result.find("tokens");
  EXPECT_NEAR(*result.find("bits_per_byte"), nats / std::numbers::ln2 / bytes, 1e-12);
}

TEST(TextLoss, EveryKindCountsTheTextThatItKeeps) {
  for (const TokenizerKind kind :
       {TokenizerKind::byte, TokenizerKind::character, TokenizerKind::bpe, TokenizerKind::unigram,
        TokenizerKind::sentencepiece_bpe}) {
    const bool has_size = kind != TokenizerKind::byte && kind != TokenizerKind::character;
    const auto tokenizer = learned(kind, has_size ? 290 : 0);
    const std::vector<int32_t> ids = tokenizer->encode(kText);
    const size_t first = tokenizer->decode(std::span(ids).first(1)).size();
    const auto kept = static_cast<int64_t>(tokenizer->decode(ids).size() - first);
    EXPECT_EQ(bytes_of(ids, *tokenizer), kept) << name(kind);
  }
}

TEST(TextLoss, WordsComeWithTheSpaceBeforeThem) {
  const auto tokenizer = learned(TokenizerKind::word);
  EXPECT_EQ(bytes_of(tokenizer->encode("the dog sees\nthe cat."), *tokenizer), 18);
  // What training never saw is lost, but not the space behind it.
  EXPECT_EQ(bytes_of(tokenizer->encode("the bird sees"), *tokenizer), 5);
}

TEST(TextLoss, EndsHaveNoBytes) {
  for (const TokenizerKind kind : {TokenizerKind::byte, TokenizerKind::bpe, TokenizerKind::word}) {
    const auto tokenizer = learned(kind, kind == TokenizerKind::bpe ? 300 : 0);
    const int32_t end = *tokenizer->specials().eos;
    std::vector<int32_t> ids = {*tokenizer->specials().bos};
    for (int i = 0; i < 2; ++i) {
      const std::vector<int32_t> text = tokenizer->encode("the cat");
      ids.insert(ids.end(), text.begin(), text.end());
      ids.push_back(end);
    }
    EXPECT_EQ(bytes_of(ids, *tokenizer), 14) << name(kind);
    const Evaluation nothing = evaluated({end, end, end}, tokenizer);
    EXPECT_EQ(nothing.find("tokens"), 2);
    EXPECT_EQ(nothing.find("bits_per_byte"), std::nullopt);
  }
}

}  // namespace
}  // namespace heed::text_loss_test

#include "heed/generate/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/models/model_config.h"
#include "heed/models/transformer.h"

namespace heed::generator_test {
namespace {

constexpr int64_t kVocabulary = 19;

TransformerConfig small(TransformerKind kind) {
  return {.kind = kind,
          .vocabulary = kVocabulary,
          .encoder_layers = kind == TransformerKind::encoder_decoder ? 1 : 0,
          .decoder_layers = 2,
          .width = 16,
          .hidden = 24,
          .heads = 4,
          .kv_heads = 2,
          .context = 300};
}

std::vector<int32_t> ids(int64_t count, uint64_t seed) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < count; ++i) {
    const RandomKey key = random_key({.seed = seed, .position = static_cast<uint64_t>(i)});
    values.push_back(static_cast<int32_t>(random_bits(key, 0) % kVocabulary));
  }
  return values;
}

Tensor tensor_of(const std::vector<int32_t>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

std::vector<TransformerConfig> kinds() {
  std::vector<TransformerConfig> result;
  for (const auto kind :
       {TransformerKind::decoder, TransformerKind::encoder_decoder, TransformerKind::prefix}) {
    for (const auto positions : {PositionKind::sinusoidal, PositionKind::rotary,
                                 PositionKind::learned, PositionKind::hybrid}) {
      TransformerConfig config = small(kind);
      config.positions = positions;
      result.push_back(config);
    }
    const auto changed = [&](const auto& change) {
      result.push_back(small(kind));
      change(result.back());
    };
    changed([](TransformerConfig& c) { c.positions = PositionKind::none; });
    changed([](TransformerConfig& c) { c.position_mode = PositionMode::append; });
    changed([](TransformerConfig& c) { c.window = 7; });
    changed([](TransformerConfig& c) { c.score = ScoreKind::dot; });
    changed([](TransformerConfig& c) { c.norm_place = NormPlace::post; });
    changed([](TransformerConfig& c) {
      c.norm = NormKind::rms;
      c.feed_forward = FeedForwardKind::silu_gated;
    });
  }
  result.push_back(small(TransformerKind::encoder_decoder));
  result.back().score = ScoreKind::additive;
  result.push_back(small(TransformerKind::encoder_decoder));
  result.back().score = ScoreKind::bilinear;
  return result;
}

// Greedy without a cache: the whole sequence through the model for each token.
Generation generated_slowly(const Transformer& model, const GenerationRequest& request,
                            int64_t count) {
  const NoGrad no_grad;
  std::vector<int32_t> all = request.prompt;
  Generation generated;
  for (int64_t n = 0; n < count; ++n) {
    Batch batch;
    if (model.config().has_encoder()) {
      batch.source = tensor_of(request.source);
      batch.source_rows = Rows::single(static_cast<int64_t>(request.source.size()));
    }
    batch.target = tensor_of(all);
    batch.target_rows = Rows::single(static_cast<int64_t>(all.size()));
    if (model.config().kind == TransformerKind::prefix) {
      batch.prefixes = {static_cast<int64_t>(request.prompt.size())};
    }
    const Tensor logits = model.logits(batch, {});
    const float* row = logits.data<float>() + (logits.dim(0) - 1) * kVocabulary;
    const auto best = static_cast<int32_t>(std::max_element(row, row + kVocabulary) - row);
    double sum = 0;
    for (int64_t v = 0; v < kVocabulary; ++v) sum += std::exp(static_cast<double>(row[v]));
    all.push_back(best);
    generated.ids.push_back(best);
    generated.log_probabilities.push_back(static_cast<double>(row[best]) - std::log(sum));
  }
  return generated;
}

TEST(Generator, CacheChangesNothing) {
  for (const TransformerConfig& config : kinds()) {
    SCOPED_TRACE(to_json(config));
    const Transformer model(config, {.seed = 3});
    std::vector<GenerationRequest> requests;
    for (const int64_t length : {5, 130, 1}) {
      GenerationRequest request{.prompt = ids(length, 1)};
      if (config.has_encoder()) request.source = ids(length + 2, 2);
      requests.push_back(request);
    }
    const auto together = Generator(model).generate(requests, {.max_tokens = 8});
    for (size_t i = 0; i < requests.size(); ++i) {
      const Generation expected = generated_slowly(model, requests[i], 8);
      EXPECT_EQ(together[i].ids, expected.ids);
      // A model may write one token over and over; how likely it is differs.
      ASSERT_EQ(together[i].log_probabilities.size(), expected.log_probabilities.size());
      for (size_t n = 0; n < expected.log_probabilities.size(); ++n) {
        EXPECT_NEAR(together[i].log_probabilities[n], expected.log_probabilities[n], 1e-5);
      }
    }
  }
}

// The logits themselves, bit for bit, in pieces of any size.
TEST(Generator, PiecesGiveTheSameLogits) {
  const Transformer model(small(TransformerKind::decoder), {.seed = 3});
  const std::vector<int32_t> all = ids(140, 1);
  Batch batch;
  batch.target = tensor_of(all);
  batch.target_rows = Rows::single(140);
  const NoGrad no_grad;
  const Tensor whole = model.logits(batch, {});
  const auto decoding = model.decoding();
  Batch one;
  one.source_rows = Rows::from_lengths({0});
  const std::vector<int64_t> slots = decoding->begin(one);
  int64_t at = 0;
  for (const int64_t piece : {1, 60, 66, 1, 1, 11}) {
    const Tensor part = tensor_of(all).slice(0, at, at + piece);
    const Tensor logits = decoding->advance(slots, Rows::single(piece), part, {});
    at += piece;
    EXPECT_EQ(std::memcmp(logits.data<float>(), whole.data<float>() + (at - 1) * kVocabulary,
                          kVocabulary * sizeof(float)),
              0)
        << at;
  }
}

TEST(Generator, CompanyAndThreadsChangeNothing) {
  const Transformer model(small(TransformerKind::encoder_decoder), {.seed = 3});
  std::vector<GenerationRequest> requests;
  for (int64_t i = 0; i < 9; ++i) {
    requests.push_back({.source = ids(3 + i * 2, static_cast<uint64_t>(i)), .prompt = {1}});
  }
  const auto generate = [&](int64_t at_once, int threads) {
    const ThreadScope scope(threads);
    return Generator(model).generate(requests, {.max_tokens = 12, .end = 4, .sequences = at_once});
  };
  const auto expected = generate(64, 1);
  for (const int64_t at_once : {1, 2, 5}) {
    const auto found = generate(at_once, 3);
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(found[i].ids, expected[i].ids);
      EXPECT_EQ(found[i].log_probability, expected[i].log_probability);
      EXPECT_EQ(found[i].ended(), expected[i].ended());
    }
  }
}

// A model that ends at once, and one that runs into the learned positions.
TEST(Generator, Ends) {
  TransformerConfig config = small(TransformerKind::decoder);
  config.positions = PositionKind::learned;
  config.context = 6;
  const Transformer model(config, {.seed = 3});
  const GenerationRequest request{.prompt = {1, 2}};
  const auto free = Generator(model).generate(std::span(&request, 1), {.max_tokens = 50});
  EXPECT_EQ(free[0].ids.size(), 5u);  // six positions can be read, so the seventh is generated last
  EXPECT_FALSE(free[0].ended());
  EXPECT_TRUE(free[0].at_context);
  const auto few = Generator(model).generate(std::span(&request, 1), {.max_tokens = 5});
  EXPECT_EQ(few[0].ids, free[0].ids);
  EXPECT_FALSE(few[0].at_context);
  const auto ended =
      Generator(model).generate(std::span(&request, 1), {.max_tokens = 50, .end = free[0].ids[0]});
  EXPECT_TRUE(ended[0].ids.empty());
  EXPECT_TRUE(ended[0].ended());
  EXPECT_LT(ended[0].log_probability, 0);
}

TEST(Generator, Mistakes) {
  const Transformer model(small(TransformerKind::decoder), {.seed = 3});
  const GenerationRequest empty;
  EXPECT_THROW(Generator(model).generate(std::span(&empty, 1)), Error);
  const GenerationRequest unknown{.prompt = {kVocabulary}};
  EXPECT_THROW(Generator(model).generate(std::span(&unknown, 1)), Error);
  EXPECT_TRUE(Generator(model).generate({}).empty());
}

}  // namespace
}  // namespace heed::generator_test

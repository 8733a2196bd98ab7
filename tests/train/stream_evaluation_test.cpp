// The loss of a language model over consecutive windows of a stream, against log-probabilities that
// are summed one by one in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heed/base/random.h"
#include "heed/models/transformer.h"
#include "heed/train/task_data.h"
#include "tests/train/small_run.h"

namespace heed::stream_evaluation_test {
namespace {

std::vector<int32_t> random_stream(int64_t length) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < length; ++i) {
    const RandomKey key = random_key({.seed = 11, .position = static_cast<uint64_t>(i)});
    tokens.push_back(static_cast<int32_t>(random_bits(key, 0) % kVocabulary));
  }
  return tokens;
}

// Two sequences of a store, with other tokens before and after that must not count.
StreamRange range_of(const std::vector<int32_t>& tokens) {
  constexpr int64_t kBefore = 5;
  const size_t half = tokens.size() / 2;
  TokenStoreBuilder builder(kVocabulary);
  builder.append(std::vector<int32_t>{1, 2, 3, 4, 5});
  builder.append(std::span(tokens).first(half));
  builder.append(std::span(tokens).subspan(half));
  builder.append(std::vector<int32_t>{8, 7, 6});
  return {builder.finish(), kBefore, kBefore + static_cast<int64_t>(tokens.size())};
}

// The nats of all predictions: every window alone, from its logits.
double nats_of(const Model& model, const std::vector<int32_t>& tokens, int64_t context) {
  const NoGrad no_grad;
  const auto predictions = static_cast<int64_t>(tokens.size()) - 1;
  double sum = 0;
  for (int64_t begin = 0; begin < predictions; begin += context) {
    const int64_t length = std::min(context, predictions - begin);
    const auto first = tokens.begin() + begin;
    Batch window;
    window.target = Tensor::from(std::vector<int32_t>(first, first + length), {length});
    window.target_rows = Rows::single(length);
    const Tensor logits = model.logits(window, {}).value().to(DType::f64);
    for (int64_t i = 0; i < length; ++i) {
      const double* row = logits.data<double>() + i * kVocabulary;
      double total = 0;
      for (int64_t v = 0; v < kVocabulary; ++v) total += std::exp(row[v]);
      sum += std::log(total) - row[first[i + 1]];
    }
  }
  return sum;
}

TEST(StreamEvaluation, IsTheLossOfEveryWindow) {
  struct Case {
    int64_t tokens, context;
  };
  // A short last window, none, less than one window, one prediction, windows of one token.
  const Case cases[] = {{102, 12}, {97, 12}, {8, 12}, {2, 12}, {30, 1}};
  // All windows in one batch, as heed eval has it; alone; some; some, by their tokens.
  const BatchOptions batches[] = {
      {.budget = 4096}, {.sequences = 1}, {.sequences = 3}, {.budget = 30}};
  for (const DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-10 : 1e-5;
    const Transformer model(small_config(TransformerKind::decoder), {.seed = 5, .type = type});
    for (const auto& [tokens, context] : cases) {
      const std::vector<int32_t> stream = random_stream(tokens);
      const auto predictions = static_cast<double>(tokens - 1);
      const double loss = nats_of(model, stream, context) / predictions;
      const StreamData data(range_of(stream), context, 1, nullptr);
      for (const BatchOptions& batch : batches) {
        SCOPED_TRACE(testing::Message() << tokens << " tokens, context " << context << ", budget "
                                        << batch.budget << ", sequences " << batch.sequences);
        const Evaluation found = data.evaluate(model, {.batch = batch});
        EXPECT_EQ(found.find("tokens"), predictions);
        EXPECT_NEAR(found.find("loss").value_or(0), loss, tolerance * loss);
        EXPECT_NEAR(found.find("perplexity").value_or(0) / std::exp(loss), 1, 2 * tolerance * loss);
      }
    }
  }
}

}  // namespace
}  // namespace heed::stream_evaluation_test

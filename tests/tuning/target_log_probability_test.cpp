#include "heed/tuning/target_log_probability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/models/transformer.h"
#include "heed/ops/cross_entropy.h"
#include "tests/ops/gradient_check.h"

namespace heed::target_log_probability_test {
namespace {

constexpr int64_t kN = 4, kV = 6;
const Tensor kTargets = Tensor::from<int32_t>({5, 0, -1, 2}, {kN});

TEST(TargetLogProbability, IsThatOfCrossEntropy) {
  for (const DType type : {DType::f32, DType::f64}) {
    const Tensor x = random_tensor({kN, kV}, 1, type, -3, 3);
    const Tensor expected = token_log_probabilities(x, kTargets).to(DType::f64);
    const Tensor got = target_log_probability(x, kTargets).value().to(DType::f64);
    for (int i = 0; i < kN; ++i) EXPECT_EQ(got.data<double>()[i], expected.data<double>()[i]);
  }
}

TEST(TargetLogProbability, Gradients) {
  const Operation f = [](const Inputs& in) { return target_log_probability(in[0], kTargets); };
  const std::vector<Tensor> x = {random_tensor({kN, kV}, 1, DType::f64, -3, 3)};
  check_gradients(f, x);
  check_float32(f, x);
}

TEST(TargetLogProbability, ARowWithoutTargetHasExactlyNoGradient) {
  const Variable x = Variable::parameter(random_tensor({kN, kV}, 1, DType::f32));
  const Tensor dx =
      backward(sequence_sums(target_log_probability(x, kTargets), Rows::from_lengths({kN}))).of(x);
  EXPECT_EQ(largest(dx.slice(0, 2, 3)), 0);
  EXPECT_GT(largest(dx.slice(0, 3, 4)), 0);
}

TEST(SequenceSums, Gradients) {
  const Rows rows = Rows::from_lengths({2, 0, 3});
  check_gradients([&](const Inputs& in) { return sequence_sums(in[0], rows); },
                  {random_tensor({5}, 1)});
  EXPECT_EQ(sequence_sums(random_tensor({5}, 1), rows).value().data<double>()[1], 0);
}

// A decoder over words; an answer's log-probability and the gradient of what the others read.
TransformerConfig small_decoder() {
  TransformerConfig config;
  config.kind = TransformerKind::decoder;
  config.vocabulary = 11;
  config.decoder_layers = 2;
  config.width = 8;
  config.hidden = 12;
  config.heads = 2;
  config.context = 16;
  config.positions = PositionKind::rotary;
  return config;
}

Batch chat_batch(const std::vector<std::vector<int32_t>>& sequences, int64_t prompt) {
  std::vector<int32_t> ids, labels;
  std::vector<int64_t> lengths;
  for (const std::vector<int32_t>& s : sequences) {
    const auto T = static_cast<int64_t>(s.size()) - 1;
    for (int64_t t = 0; t < T; ++t) {
      ids.push_back(s[t]);
      labels.push_back(t + 1 < prompt ? -1 : s[static_cast<size_t>(t) + 1]);
    }
    lengths.push_back(T);
  }
  Batch batch;
  batch.target = Tensor::from(ids, {static_cast<int64_t>(ids.size())});
  batch.labels = Tensor::from(labels, {static_cast<int64_t>(labels.size())});
  batch.target_rows = Rows::from_lengths(lengths);
  return batch;
}

TEST(AnswerLogs, PackedIsSeparate) {
  const Transformer model(small_decoder(), {.seed = 3});
  const std::vector<std::vector<int32_t>> talks = {
      {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 1, 2}, {3, 3, 1, 0}};
  const AnswerLogs packed = answer_logs(model, chat_batch(talks, 3), {});
  const Tensor sums = sequence_sums(packed.tokens, packed.rows);
  for (size_t i = 0; i < talks.size(); ++i) {
    const AnswerLogs alone = answer_logs(model, chat_batch({talks[i]}, 3), {});
    EXPECT_EQ(sequence_sums(alone.tokens, alone.rows).value().data<float>()[0],
              sums.data<float>()[i]);
  }
}

// The last answer token is a label only: nothing reads it, so that its embedding gets no gradient.
TEST(AnswerLogs, MaskedTokensCarryNoGradient) {
  TransformerConfig config = small_decoder();
  config.tied = false;
  const Transformer model(config, {.seed = 3});
  const AnswerLogs logs = answer_logs(model, chat_batch({{1, 2, 3, 4, 5}}, 3), {});
  EXPECT_EQ(logs.rows.total(), 2);
  const Gradients gradients = backward(sequence_sums(logs.tokens, logs.rows));
  for (const NamedParameter& parameter : model.parameters().list()) {
    if (parameter.name != "tokens.table") continue;
    const Tensor d = gradients.of(parameter.variable);
    EXPECT_EQ(largest(d.slice(0, 5, 6)), 0);
    EXPECT_GT(largest(d.slice(0, 1, 2)), 0);
  }
}

}  // namespace
}  // namespace heed::target_log_probability_test

#include "heed/models/rnn_seq2seq.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "heed/attention/weights.h"
#include "heed/autograd/gradient_sum.h"
#include "heed/base/error.h"
#include "heed/optim/adamw.h"
#include "heed/run/task_names.h"
#include "tests/ops/gradient_check.h"

namespace heed {
namespace {

Tensor ids_of(const std::vector<int32_t>& ids) {
  return Tensor::from(ids, {static_cast<int64_t>(ids.size())});
}

// Three pairs; the targets are not in the order of their lengths.
Batch batch_of_three() {
  Batch batch;
  batch.source = ids_of({1, 2, 3, 4, 5, 6, 7, 1, 3});
  batch.source_rows = Rows::from_lengths({4, 2, 3});
  batch.target = ids_of({1, 2, 1, 5, 4, 3, 1, 6, 6});
  batch.target_rows = Rows::from_lengths({2, 4, 3});
  batch.labels = ids_of({2, 0, 5, 4, 3, 0, 6, 6, 0});
  batch.label_count = 9;
  return batch;
}

// Twenty pairs, one with a long source and one with a long target: more sequences than the kernel
// for few rows takes, more rows than that for some hundred, and two blocks of keys.
Batch batch_of_twenty() {
  std::vector<int64_t> sources, targets;
  for (int64_t b = 0; b < 20; ++b) {
    sources.push_back(b == 3 ? 150 : 20 + b * 7 % 13);
    targets.push_back(b == 11 ? 140 : 32 - b * 5 % 13);
  }
  const auto words = [](int64_t count, int64_t divisor) {
    std::vector<int32_t> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<int32_t>(i * i / divisor % 7));
    return ids_of(values);
  };
  Batch batch;
  batch.source_rows = Rows::from_lengths(sources);
  batch.source = words(batch.source_rows.total(), 3);
  batch.target_rows = Rows::from_lengths(targets);
  batch.target = batch.labels = words(batch.target_rows.total(), 5);
  batch.label_count = batch.target_rows.total();
  return batch;
}

// Pair b alone.
Batch alone(const Batch& all, int64_t b) {
  Batch batch;
  const Rows& from = all.source_rows;
  const Rows& to = all.target_rows;
  batch.source = all.source.slice(0, from.begin(b), from.end(b));
  batch.source_rows = Rows::single(from.length(b));
  batch.target = all.target.slice(0, to.begin(b), to.end(b));
  batch.target_rows = Rows::single(to.length(b));
  batch.labels = all.labels.slice(0, to.begin(b), to.end(b));
  return batch;
}

// Every pair has the logits that it has alone.
void expect_company_does_not_matter(const RnnSeq2seq& model, const Batch& batch) {
  const Tensor all = model.logits(batch, {});
  const Rows& rows = batch.target_rows;
  for (int64_t b = 0; b < rows.count(); ++b) {
    SCOPED_TRACE(b);
    const Tensor one = model.logits(alone(batch, b), {});
    expect_same_bits(one, all.slice(0, rows.begin(b), rows.end(b)), "logits");
  }
}

using Kind = std::tuple<RnnAttention, CellKind>;

class RnnModel : public testing::TestWithParam<Kind> {
 protected:
  static RnnConfig config() {
    RnnConfig c;
    c.source_vocabulary = 8;
    c.target_vocabulary = 7;
    c.embedding = 5;
    c.width = 6;
    c.encoder_layers = c.decoder_layers = 2;
    std::tie(c.attention, c.cell) = GetParam();
    if (c.attention != RnnAttention::dot) c.encoder_width = 4;
    return c;
  }
};

TEST_P(RnnModel, Gradients) {
  RnnConfig c = config();
  c.dropout = 0.3;
  const RnnSeq2seq model(c, {.seed = 3, .type = DType::f64});
  const Batch batch = batch_of_three();
  const Pass pass{.training = true, .seed = 4};
  const LossOptions options{.label_smoothing = 0.1};
  const Gradients gradients = backward(model.loss(batch, options, pass));
  const NoGrad no_grad;
  for (const NamedParameter& parameter : model.parameters().list()) {
    Tensor value = parameter.variable;
    const Tensor gradient = gradients.of(parameter.variable);
    for (const int64_t i : {int64_t{0}, value.size() / 2, value.size() - 1}) {
      double& x = value.data<double>()[i];
      const double x0 = x, step = 1e-5;
      x = x0 + step;
      const double above = model.loss(batch, options, pass).value().item();
      x = x0 - step;
      const double below = model.loss(batch, options, pass).value().item();
      x = x0;
      EXPECT_NEAR(gradient.data<double>()[i], (above - below) / (2 * step), 1e-8)
          << parameter.name << " " << i;
    }
  }
}

TEST_P(RnnModel, Float32) {
  const Batch batch = batch_of_three();
  const Tensor narrow = RnnSeq2seq(config(), {.seed = 3}).logits(batch, {});
  const Tensor wide = RnnSeq2seq(config(), {.seed = 3, .type = DType::f64}).logits(batch, {});
  expect_close(narrow, wide, 1e-5, "logits");
}

TEST_P(RnnModel, OverfitsOneBatch) {
  RnnConfig c = config();
  c.width = c.embedding = 24;
  c.encoder_width = c.attention == RnnAttention::dot ? 12 : 16;
  c.tied_output = true;
  const RnnSeq2seq model(c, {.seed = 3});
  std::vector<OptimizedParameter> optimized;
  for (const NamedParameter& p : model.parameters().list()) {
    optimized.push_back({p.name, p.variable});
  }
  AdamW optimizer(optimized);
  GradientSum sum(model.parameters().trainable());
  double loss = 0;
  for (int i = 0; i < 120; ++i) {
    const Variable y = model.loss(batch_of_three(), {}, {.training = true});
    loss = y.value().item();
    sum.clear();
    sum.add(backward(y));
    optimizer.step(sum.tensors(), {.rate = 0.01});
  }
  EXPECT_LT(loss, 0.02);
}

TEST_P(RnnModel, CompanyDoesNotMatter) {
  const RnnSeq2seq model(config(), {.seed = 3});
  expect_company_does_not_matter(model, batch_of_three());
  expect_company_does_not_matter(model, batch_of_twenty());
}

TEST_P(RnnModel, SameBitsForAnyThreads) {
  RnnConfig c = config();
  c.width = 96;
  c.encoder_width = 48;
  const RnnSeq2seq model(c, {.seed = 3});
  std::vector<int32_t> ids(480);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * 31 % 7);
  std::vector<int64_t> lengths(48, 10);
  Batch batch;
  batch.source = batch.target = batch.labels = ids_of(ids);
  batch.source_rows = batch.target_rows = Rows::from_lengths(lengths);
  const auto run = [&](int count) {
    const ThreadScope scope(count);
    const Variable loss = model.loss(batch, {}, {.training = true});
    GradientSum sum(model.parameters().trainable());
    sum.add(backward(loss));
    return std::pair(loss.value(), sum.tensors());
  };
  const auto [loss, gradients] = run(1);
  for (const int count : {2, 3}) {
    const auto [other_loss, others] = run(count);
    expect_same_bits(other_loss, loss, "loss");
    for (size_t i = 0; i < gradients.size(); ++i) {
      expect_same_bits(others[i], gradients[i], "gradient");
    }
  }
}

TEST_P(RnnModel, DecodingEqualsTheWhole) {
  const RnnSeq2seq model(config(), {.seed = 3});
  const Batch batch = batch_of_three();
  const Rows& rows = batch.target_rows;
  const Tensor whole = model.logits(batch, {});
  const std::unique_ptr<Decoding> decoding = model.decoding();
  const std::vector<int64_t> slots = decoding->begin(batch);
  ASSERT_EQ(slots.size(), 3u);
  const auto token = [&](int64_t b, int64_t t) {
    return batch.target.data<int32_t>()[rows.begin(b) + t];
  };
  const auto expect_row = [&](const Tensor& logits, int64_t row, int64_t b, int64_t t) {
    const int64_t at = rows.begin(b) + t;
    expect_same_bits(logits.slice(0, row, row + 1), whole.slice(0, at, at + 1), "logits");
  };
  // All three in another order, the second with two tokens; then the longer two.
  const std::vector<int64_t> order = {slots[2], slots[1], slots[0]};
  Tensor logits =
      decoding->advance(order, Rows::from_lengths({1, 2, 1}),
                        ids_of({token(2, 0), token(1, 0), token(1, 1), token(0, 0)}), {});
  expect_row(logits, 0, 2, 0);
  expect_row(logits, 1, 1, 1);
  expect_row(logits, 2, 0, 0);
  EXPECT_EQ(decoding->length(slots[1]), 2);
  // A fork goes its own way.
  const int64_t copy = decoding->fork(slots[1]);
  decoding->advance(std::vector{slots[1]}, Rows::single(1), ids_of({0}), {});
  logits = decoding->advance(std::vector{copy, slots[2]}, Rows::from_lengths({1, 1}),
                             ids_of({token(1, 2), token(2, 1)}), {});
  expect_row(logits, 0, 1, 2);
  expect_row(logits, 1, 2, 1);
  decoding->remove(slots[0]);
  EXPECT_THROW(decoding->length(slots[0]), Error);
  logits = decoding->advance(std::vector{slots[2], copy}, Rows::from_lengths({1, 1}),
                             ids_of({token(2, 2), token(1, 3)}), {});
  expect_row(logits, 0, 2, 2);
  expect_row(logits, 1, 1, 3);
  EXPECT_EQ(decoding->length(copy), 4);
  EXPECT_THROW(decoding->advance(std::vector{copy}, Rows::from_lengths({0}), ids_of({}), {}),
               Error);
  EXPECT_THROW(
      decoding->advance(std::vector{copy, copy}, Rows::from_lengths({1, 1}), ids_of({1, 2}), {}),
      Error);
}

class Seen : public Observer {
 public:
  void value(std::string_view name, const Variable& x, const Rows&) override {
    values[std::string(name)] = x.value();
  }
  void attention(std::string_view name, const AttentionCall& call) override {
    calls[std::string(name)] = call;
  }
  std::map<std::string, Tensor> values;
  std::map<std::string, AttentionCall> calls;
};

// The weights that the observer can recompute are those that gave the contexts.
TEST_P(RnnModel, WeightsCanBeRecomputed) {
  const RnnSeq2seq model(config(), {.seed = 3, .type = DType::f64});
  const Batch batch = batch_of_three();
  Seen seen;
  model.features(batch, {.observer = &seen});
  EXPECT_EQ(seen.values.at("encoder").dim(0), 9);
  EXPECT_EQ(seen.values.at("decoder.state").shape(), Shape({9, 6}));
  EXPECT_EQ(seen.values.count("decoder.readout"), 1u);
  if (config().attention == RnnAttention::none) {
    EXPECT_TRUE(seen.calls.empty());
    return;
  }
  const AttentionCall& call = seen.calls.at("decoder.cross");
  for (int64_t b = 0; b < 3; ++b) {
    const Tensor weights = attention_weights(call.q, call.k, call.query_rows, call.key_rows,
                                             call.options, {.sequence = b});  // [T, S]
    EXPECT_EQ(weights.dim(0), batch.target_rows.length(b));
    const Rows& keys = batch.source_rows;
    const Tensor states = seen.values.at("encoder").slice(0, keys.begin(b), keys.end(b));
    const Tensor contexts = seen.values.at("decoder.context")
                                .slice(0, batch.target_rows.begin(b), batch.target_rows.end(b));
    expect_close(plain_product(weights, states.contiguous()), contexts, 1e-12, "context");
  }
}

std::string name_of(const testing::TestParamInfo<Kind>& kind) {
  static const char* const attention[] = {"None", "Additive", "Dot", "General"};
  return std::string(attention[static_cast<int>(std::get<0>(kind.param))]) +
         (std::get<1>(kind.param) == CellKind::gru ? "Gru" : "Lstm");
}

INSTANTIATE_TEST_SUITE_P(Kinds, RnnModel,
                         testing::Combine(testing::Values(RnnAttention::none,
                                                          RnnAttention::additive, RnnAttention::dot,
                                                          RnnAttention::general),
                                          testing::Values(CellKind::gru, CellKind::lstm)),
                         name_of);

// Products whose sums have more than one slice.
TEST(RnnSeq2seq, CompanyDoesNotMatterToAWideModel) {
  RnnConfig c;
  c.source_vocabulary = 8;
  c.target_vocabulary = 7;
  c.embedding = c.width = 400;
  c.encoder_width = 200;
  const NoGrad no_grad;
  expect_company_does_not_matter(RnnSeq2seq(c, {.seed = 3}), batch_of_twenty());
}

TEST(RnnSeq2seq, ReadsRowsOfFloats) {
  RnnConfig c;
  c.target_vocabulary = 7;
  c.source_width = 3;
  c.embedding = 4;
  c.width = 6;
  const RnnSeq2seq model(c, {.seed = 3});
  Batch batch = batch_of_three();
  EXPECT_THROW(model.features(batch, {}), Error);
  batch.source = random_tensor({9, 3}, 1, DType::f32);
  EXPECT_EQ(model.logits(batch, {}).shape(), Shape({9, 7}));
}

TEST(RnnSeq2seq, SharedAndTiedTables) {
  RnnConfig c;
  c.source_vocabulary = c.target_vocabulary = 9;
  c.embedding = 4;
  c.width = 6;
  c.shared_embedding = c.tied_output = true;
  const RnnSeq2seq model(c, {.seed = 3});
  int tables = 0;
  for (const NamedParameter& p : model.parameters().list()) {
    tables += p.variable.shape()[0] == 9 && p.variable.value().rank() == 2 ? 1 : 0;
  }
  EXPECT_EQ(tables, 1);
  EXPECT_EQ(model.logits(batch_of_three(), {}).shape(), Shape({9, 9}));
}

TEST(RnnSeq2seq, BadConfigurations) {
  RnnConfig good;
  good.source_vocabulary = 8;
  good.target_vocabulary = 7;
  good.width = good.embedding = 4;
  const auto refuses = [&](const auto& change) {
    RnnConfig c = good;
    change(c);
    EXPECT_THROW(RnnSeq2seq{c}, Error);
  };
  refuses([](RnnConfig& c) { c.source_vocabulary = 0; });
  refuses([](RnnConfig& c) { c.target_vocabulary = 0; });
  refuses([](RnnConfig& c) { c.width = 0; });
  refuses([](RnnConfig& c) { c.encoder_layers = 0; });
  refuses([](RnnConfig& c) { c.dropout = 1; });
  refuses([](RnnConfig& c) { c.shared_embedding = true; });
  refuses([](RnnConfig& c) { c.attention = RnnAttention::dot, c.encoder_width = 4; });
  refuses([](RnnConfig& c) { c.attention = RnnAttention::dot, c.width = 5; });
  const RnnSeq2seq model(good);
  Batch batch = batch_of_three();
  batch.target_rows = Rows::from_lengths({4, 5});
  EXPECT_THROW(model.features(batch, {}), Error);
}

}  // namespace
}  // namespace heed

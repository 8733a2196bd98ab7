#include "heed/models/transformer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "heed/autograd/gradient_sum.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/models/model_config.h"

namespace heed {
namespace {

constexpr int64_t kVocabulary = 13;

TransformerConfig small(TransformerKind kind) {
  TransformerConfig config{.kind = kind,
                           .vocabulary = kVocabulary,
                           .encoder_layers = 1,
                           .decoder_layers = 2,
                           .width = 8,
                           .hidden = 12,
                           .heads = 2,
                           .context = 16};
  if (kind == TransformerKind::encoder) {
    config.head = HeadKind::token_classes;
    config.classes = 3;
  }
  return config;
}

Tensor ids(int64_t count, uint64_t seed, int64_t below = kVocabulary) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < count; ++i) {
    const RandomKey key = random_key({.seed = seed, .position = static_cast<uint64_t>(i)});
    values.push_back(static_cast<int32_t>(random_bits(key, 0) % static_cast<uint32_t>(below)));
  }
  return Tensor::from(values, {count});
}

// Sequences of these lengths, on the sides that the model reads.
Batch batch_of_lengths(const TransformerConfig& config, const std::vector<int64_t>& sources,
                       const std::vector<int64_t>& targets, const std::vector<int64_t>& prefixes) {
  Batch batch;
  if (config.has_encoder()) {
    batch.source_rows = Rows::from_lengths(sources);
    batch.source = ids(batch.source_rows.total(), 1, config.vocabulary);
  }
  if (config.has_decoder()) {
    batch.target_rows = Rows::from_lengths(targets);
    batch.target = ids(batch.target_rows.total(), 2, config.vocabulary);
    batch.labels = ids(batch.target_rows.total(), 3, config.vocabulary);
  } else {
    const Rows& rows = batch.source_rows;
    const bool per_token = config.head == HeadKind::token_classes;
    batch.labels = ids(per_token ? rows.total() : rows.count(), 3, config.classes);
  }
  if (config.kind == TransformerKind::prefix) batch.prefixes = prefixes;
  return batch;
}

// Three sequences: sources of 4, 2 and 3 tokens, targets of 3, 5 and 2.
Batch batch_for(const TransformerConfig& config) {
  return batch_of_lengths(config, {4, 2, 3}, {3, 5, 2}, {2, 1, 2});
}

// Five sequences. Products of all their rows, of a long one and of a short one take different
// kernels, and the long ones have several blocks of keys.
Batch long_batch_for(const TransformerConfig& config) {
  return batch_of_lengths(config, {300, 12, 260, 1, 45}, {7, 330, 40, 260, 1}, {3, 200, 1, 100, 1});
}

// Sequence b of a batch, without labels.
Batch sequence_alone(const Batch& all, int64_t b) {
  Batch batch;
  if (all.source.defined()) {
    const Rows& rows = all.source_rows;
    batch.source_rows = Rows::single(rows.length(b));
    batch.source = all.source.slice(0, rows.begin(b), rows.end(b));
  }
  if (all.target.defined()) {
    const Rows& rows = all.target_rows;
    batch.target_rows = Rows::single(rows.length(b));
    batch.target = all.target.slice(0, rows.begin(b), rows.end(b));
  }
  if (!all.prefixes.empty()) batch.prefixes = {all.prefixes[b]};
  return batch;
}

std::vector<TransformerConfig> all_kinds() {
  std::vector<TransformerConfig> configs;
  for (const auto kind : {TransformerKind::encoder, TransformerKind::decoder,
                          TransformerKind::encoder_decoder, TransformerKind::prefix}) {
    configs.push_back(small(kind));
  }
  for (const Pool pool : {Pool::mean, Pool::first, Pool::last}) {
    TransformerConfig config = small(TransformerKind::encoder);
    config.head = HeadKind::sentence_classes;
    config.pool = pool;
    configs.push_back(config);
  }
  TransformerConfig rotary = small(TransformerKind::decoder);
  rotary.positions = PositionKind::rotary;
  rotary.kv_heads = 1;
  rotary.norm = NormKind::rms;
  rotary.feed_forward = FeedForwardKind::silu_gated;
  rotary.bias = false;
  rotary.window = 2;
  configs.push_back(rotary);
  TransformerConfig appended = small(TransformerKind::encoder_decoder);
  appended.position_mode = PositionMode::append;
  appended.norm_place = NormPlace::post;
  appended.score = ScoreKind::additive;
  configs.push_back(appended);
  TransformerConfig hybrid = small(TransformerKind::decoder);
  hybrid.positions = PositionKind::hybrid;
  hybrid.score = ScoreKind::bilinear;
  hybrid.feed_forward = FeedForwardKind::gelu;
  hybrid.tied = false;
  configs.push_back(hybrid);
  TransformerConfig learned = small(TransformerKind::encoder_decoder);
  learned.positions = PositionKind::learned;
  learned.score = ScoreKind::dot;
  learned.key_width = 3;
  learned.value_width = 5;
  configs.push_back(learned);
  return configs;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.data<float>(), b.data<float>(), static_cast<size_t>(a.size()) * 4) == 0;
}

// Every parameter, by central differences in double.
TEST(Transformer, Gradients) {
  const ThreadScope one(1);
  for (TransformerConfig config : all_kinds()) {
    SCOPED_TRACE(static_cast<int>(config.kind));
    config.dropout = 0.2;
    config.attention_dropout = 0.1;
    const Transformer model(config, {.seed = 4, .type = DType::f64});
    const Batch batch = batch_for(config);
    const Pass pass{.training = true, .seed = 5, .step = 6};
    const LossOptions options{.label_smoothing = 0.1};
    const Gradients gradients = backward(model.loss(batch, options, pass));
    const NoGrad no_grad;
    for (const NamedParameter& parameter : model.parameters().list()) {
      Tensor value = parameter.variable.value();
      const Tensor gradient = gradients.of(parameter.variable);
      for (int64_t i = 0; i < value.size(); i += std::max<int64_t>(1, value.size() / 5)) {
        double& x = value.data<double>()[i];
        const double before = x, h = 1e-6;
        x = before + h;
        const double above = model.loss(batch, options, pass).value().item();
        x = before - h;
        const double below = model.loss(batch, options, pass).value().item();
        x = before;
        EXPECT_NEAR(gradient.data<double>()[i], (above - below) / (2 * h), 1e-7)
            << parameter.name << " " << i;
      }
    }
  }
}

// The loss after this many steps of plain gradient descent on one batch.
double descended_loss(const Transformer& model, const Batch& batch, int steps) {
  const std::vector<Variable> parameters = model.parameters().trainable();
  double loss = 0;
  for (int step = 0; step < steps; ++step) {
    const Variable y = model.loss(batch, {}, {});
    loss = y.value().item();
    GradientSum sum(parameters);
    sum.add(backward(y));
    const double rate = 0.2 * clip_factor(sum.norm(), 1);
    for (size_t p = 0; p < parameters.size(); ++p) {
      Tensor value = parameters[p].value();
      const Tensor& gradient = sum.tensors()[p];
      for (int64_t i = 0; i < value.size(); ++i) {
        value.data<float>()[i] -= static_cast<float>(rate) * gradient.data<float>()[i];
      }
    }
  }
  return loss;
}

// Plain gradient descent on one batch brings the loss near 0, for every kind of model.
TEST(Transformer, OverfitsOneBatch) {
  const ThreadScope one(1);
  for (const TransformerConfig& config : all_kinds()) {
    SCOPED_TRACE(static_cast<int>(config.kind));
    const Transformer model(config, {.seed = 4});
    const Batch batch = batch_for(config);
    const double loss = descended_loss(model, batch, 600);
    EXPECT_LT(loss, config.kind == TransformerKind::decoder && config.window > 0 ? 0.5 : 0.2);
  }
}

// Every sequence has the logits that it has alone.
void expect_company_changes_nothing(const TransformerConfig& config, const Batch& batch) {
  SCOPED_TRACE(to_json(config));
  const Transformer model(config, {.seed = 4});
  const Tensor together = model.logits(batch, {});
  const Rows& rows = config.has_decoder() ? batch.target_rows : batch.source_rows;
  const bool is_pooled = config.head == HeadKind::sentence_classes;
  for (int64_t b = 0; b < rows.count(); ++b) {
    const Tensor own =
        is_pooled ? together.slice(0, b, b + 1) : together.slice(0, rows.begin(b), rows.end(b));
    EXPECT_TRUE(same_bits(model.logits(sequence_alone(batch, b), {}), own)) << "sequence " << b;
  }
}

TEST(Transformer, CompanyDoesNotChangeLogits) {
  for (const TransformerConfig& config : all_kinds()) {
    expect_company_changes_nothing(config, batch_for(config));
  }
}

TEST(Transformer, LongCompanyDoesNotChangeLogits) {
  std::vector<TransformerConfig> configs = all_kinds();
  configs.push_back(small(TransformerKind::encoder_decoder));
  TransformerConfig& wide = configs.back();
  wide.decoder_layers = 1;
  wide.width = wide.hidden = 400;  // sums of more than one slice
  for (TransformerConfig config : configs) {
    config.context = 330;  // learned positions
    expect_company_changes_nothing(config, long_batch_for(config));
  }
}

TEST(Transformer, ThreadsDoNotChangeGradients) {
  const TransformerConfig two_stacks = small(TransformerKind::encoder_decoder);
  TransformerConfig modern = small(TransformerKind::decoder);
  modern.positions = PositionKind::rotary;
  modern.norm = NormKind::rms;
  modern.feed_forward = FeedForwardKind::silu_gated;
  for (TransformerConfig config : {two_stacks, modern}) {
    SCOPED_TRACE(static_cast<int>(config.kind));
    // So large that every part is worth a second thread, the embedding and the loss too.
    config.width = config.hidden = 128;
    config.vocabulary = 96;
    config.decoder_layers = 1;
    config.dropout = config.attention_dropout = 0.1;
    const Transformer model(config, {.seed = 4});
    const Batch batch = long_batch_for(config);
    const auto loss_and_gradients = [&](int threads) {
      const ThreadScope scope(threads);
      const Variable loss = model.loss(batch, {}, {.training = true});
      std::vector<Tensor> result{loss.value()};
      GradientSum sum(model.parameters().trainable());
      sum.add(backward(loss));
      result.insert(result.end(), sum.tensors().begin(), sum.tensors().end());
      return result;
    };
    const std::vector<Tensor> expected = loss_and_gradients(1);
    for (const int threads : {2, 3, 8}) {
      const std::vector<Tensor> found = loss_and_gradients(threads);
      for (size_t i = 0; i < expected.size(); ++i) {
        EXPECT_TRUE(same_bits(expected[i], found[i])) << "tensor " << i << ", threads " << threads;
      }
    }
  }
}

// Changing a later token changes no earlier logit of a causal model, bit for bit.
TEST(Transformer, TheFutureIsNotSeen) {
  const TransformerConfig config = small(TransformerKind::decoder);
  const Transformer model(config, {.seed = 4});
  Batch batch;
  batch.target_rows = Rows::single(6);
  batch.target = ids(6, 1);
  const Tensor before = model.logits(batch, {});
  batch.target = batch.target.clone();
  int32_t& changed = batch.target.data<int32_t>()[4];
  changed = static_cast<int32_t>((changed + 1) % kVocabulary);
  const Tensor after = model.logits(batch, {});
  EXPECT_TRUE(same_bits(before.slice(0, 0, 4), after.slice(0, 0, 4)));
  EXPECT_FALSE(same_bits(before.slice(0, 4, 6), after.slice(0, 4, 6)));
}

// The same words in another order are the same to an encoder without positions (as a set).
TEST(Transformer, OrderNeedsPositions) {
  TransformerConfig config = small(TransformerKind::encoder);
  config.head = HeadKind::sentence_classes;
  const auto differ = [&](PositionKind positions) {
    config.positions = positions;
    const Transformer model(config, {.seed = 4});
    Batch batch{.source = Tensor::from<int32_t>({1, 2, 3, 3, 2, 1}, {6}),
                .source_rows = Rows::from_lengths({3, 3}),
                .target = {},
                .target_rows = {}};
    const Tensor logits = model.logits(batch, {});
    return std::abs(logits.data<float>()[0] - logits.data<float>()[3]) > 1e-4f;
  };
  EXPECT_FALSE(differ(PositionKind::none));
  EXPECT_TRUE(differ(PositionKind::sinusoidal));
}

// R83: two words in both orders. A class that depends on the order is learned with positions, added
// or appended, and cannot be without: the loss of a guess, log 2, remains. A class that depends on
// the words alone is learned either way: training may use positions, and may ignore them.
TEST(Transformer, TrainingMayUsePositionsOrIgnoreThem) {
  const ThreadScope one(1);
  TransformerConfig config = small(TransformerKind::encoder);
  config.head = HeadKind::sentence_classes;
  config.classes = 2;
  const auto loss = [&](PositionKind positions, PositionMode mode, std::vector<int32_t> classes) {
    config.positions = positions;
    config.position_mode = mode;
    const Transformer model(config, {.seed = 4});
    Batch batch{.source = Tensor::from<int32_t>({1, 2, 2, 1, 3, 4, 4, 3}, {8}),
                .source_rows = Rows::from_lengths({2, 2, 2, 2}),
                .target = {},
                .target_rows = {}};
    batch.labels = Tensor::from(classes, {4});
    return descended_loss(model, batch, 300);
  };
  const std::vector<int32_t> by_order{0, 1, 0, 1}, by_words{0, 0, 1, 1};
  for (const PositionMode mode : {PositionMode::add, PositionMode::append}) {
    EXPECT_LT(loss(PositionKind::sinusoidal, mode, by_order), 0.1);
    EXPECT_LT(loss(PositionKind::sinusoidal, mode, by_words), 0.1);
  }
  EXPECT_LT(loss(PositionKind::learned, PositionMode::add, by_order), 0.1);
  EXPECT_GT(loss(PositionKind::none, PositionMode::add, by_order), 0.69);
  EXPECT_LT(loss(PositionKind::none, PositionMode::add, by_words), 0.1);
}

TEST(Transformer, ReadsRowsOfFloats) {
  TransformerConfig config = small(TransformerKind::encoder);
  config.source_width = 5;
  config.vocabulary = 0;
  const Transformer model(config, {.seed = 4});
  const Batch batch{.source = Tensor::full({3, 5}, 0.5),
                    .source_rows = Rows::single(3),
                    .target = {},
                    .target_rows = {}};
  EXPECT_EQ(model.logits(batch, {}).shape(), (Shape{3, 3}));
}

TEST(Transformer, ObserverSeesEveryPart) {
  struct Names final : Observer {
    std::vector<std::string> values, attentions;
    void value(std::string_view name, const Variable&, const Rows&) override {
      values.emplace_back(name);
    }
    void attention(std::string_view name, const AttentionCall&) override {
      attentions.emplace_back(name);
    }
  } names;
  const TransformerConfig config = small(TransformerKind::encoder_decoder);
  const Transformer model(config, {.seed = 4});
  model.features(batch_for(config), {.observer = &names});
  const std::vector<std::string> attentions = {"encoder.0.attention", "decoder.0.attention",
                                               "decoder.0.cross", "decoder.1.attention",
                                               "decoder.1.cross"};
  EXPECT_EQ(names.attentions, attentions);
  EXPECT_EQ(names.values.front(), "encoder.tokens");
  EXPECT_EQ(names.values[1], "encoder.embedding");
  EXPECT_EQ(names.values.back(), "decoder");
}

// Hypotheses of one sentence share its source, which lives as long as the last of them.
TEST(Transformer, ForksShareTheirSource) {
  const TransformerConfig config = small(TransformerKind::encoder_decoder);
  const Transformer model(config, {.seed = 5});
  const Batch batch = batch_for(config);
  const auto decoding = model.decoding();
  const auto advance = [&](const std::vector<int64_t>& slots, const std::vector<int32_t>& tokens) {
    const auto count = static_cast<int64_t>(tokens.size());
    return decoding->advance(slots, Rows::from_lengths(std::vector<int64_t>(slots.size(), 1)),
                             Tensor::from(tokens, {count}), {});
  };
  // The logits after these tokens of sequence b, alone.
  const auto alone = [&](int64_t b, const std::vector<int32_t>& tokens) {
    Batch one;
    one.source_rows = Rows::single(batch.source_rows.length(b));
    one.source = batch.source.slice(0, batch.source_rows.begin(b), batch.source_rows.end(b));
    const auto fresh = model.decoding();
    return fresh->advance(fresh->begin(one), Rows::single(static_cast<int64_t>(tokens.size())),
                          Tensor::from(tokens, {static_cast<int64_t>(tokens.size())}), {});
  };
  const auto row = [](const Tensor& logits, int64_t i) { return logits.slice(0, i, i + 1); };

  const std::vector<int64_t> slots = decoding->begin(batch);
  advance(slots, {1, 2, 3});
  const int64_t fork = decoding->fork(slots[0]);
  const int64_t other = decoding->fork(fork);
  Tensor logits = advance({slots[0], fork, slots[1], other, slots[2]}, {4, 5, 6, 7, 8});
  EXPECT_TRUE(same_bits(row(logits, 0), alone(0, {1, 4})));
  EXPECT_TRUE(same_bits(row(logits, 1), alone(0, {1, 5})));
  EXPECT_TRUE(same_bits(row(logits, 2), alone(1, {2, 6})));
  EXPECT_TRUE(same_bits(row(logits, 3), alone(0, {1, 7})));
  EXPECT_TRUE(same_bits(row(logits, 4), alone(2, {3, 8})));

  decoding->remove(slots[0]);
  decoding->remove(slots[1]);
  const int64_t late = decoding->begin(batch)[1];  // in places that are free again
  logits = advance({other, fork, late}, {9, 10, 2});
  EXPECT_TRUE(same_bits(row(logits, 0), alone(0, {1, 7, 9})));
  EXPECT_TRUE(same_bits(row(logits, 1), alone(0, {1, 5, 10})));
  EXPECT_TRUE(same_bits(row(logits, 2), alone(1, {2})));
}

TEST(Transformer, Mistakes) {
  TransformerConfig config = small(TransformerKind::decoder);
  config.heads = 3;
  EXPECT_THROW(Transformer(config, {}), Error);
  config = small(TransformerKind::decoder);
  config.vocabulary = 0;
  EXPECT_THROW(Transformer(config, {}), Error);
  config = small(TransformerKind::encoder);
  EXPECT_THROW(Transformer(config, {}).decoding(), Error);
  config.head = HeadKind::next_token;
  EXPECT_THROW(Transformer(config, {}), Error);
}

}  // namespace
}  // namespace heed

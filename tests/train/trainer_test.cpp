#include "heed/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/models/model_config.h"
#include "tests/train/small_run.h"

namespace heed {
namespace {

std::vector<float> trained(int64_t steps, const TrainerOptions& options, int threads = 1,
                           const ModelConfig& config = small_config(),
                           const PairCorpus& corpus = reversal_corpus(50)) {
  const ThreadScope scope(threads);
  const std::unique_ptr<Model> model = make_model(config, {.seed = 5});
  Trainer trainer(*model, corpus, options);
  for (int64_t i = 0; i < steps; ++i) trainer.step();
  return weights_of(*model);
}

TEST(Trainer, Learns) {
  const ThreadScope scope(1);
  const Transformer model(small_config(), {.seed = 5});
  const PairCorpus corpus = reversal_corpus(50);
  Trainer trainer(model, corpus, small_options(300));
  const double first = trainer.step().loss;
  double last = 0;
  while (!trainer.finished()) last = trainer.step().loss;
  EXPECT_GT(first, 1.5);
  EXPECT_LT(last, 0.5);
  EXPECT_THROW(trainer.step(), Error);
}

// At this width 500 rows are worth a second thread in products, norms and attention, and so is the
// optimizer; with a vocabulary as large, though the corpus has fewer tokens, the loss is too.
constexpr int64_t kShared = 96;

TransformerConfig wide_config(TransformerKind kind) {
  TransformerConfig config = small_config(kind);
  config.vocabulary = config.width = config.hidden = kShared;
  return config;
}

TEST(Trainer, ThreadsChangeNothing) {
  const RnnConfig recurrent{.source_vocabulary = kShared,
                            .target_vocabulary = kShared,
                            .embedding = kShared,
                            .width = kShared,
                            .encoder_width = kShared / 2,
                            .dropout = 0.1};
  RnnConfig fixed = recurrent, luong = recurrent;
  fixed.attention = RnnAttention::none;
  luong.attention = RnnAttention::general;
  luong.cell = CellKind::lstm;
  struct Case {
    ModelConfig config;
    PairLayout layout;
    int64_t steps;
  };
  const Case cases[] = {
      {wide_config(TransformerKind::encoder_decoder), PairLayout::encoder_decoder, 50},
      {wide_config(TransformerKind::decoder), PairLayout::one_stack, 10},
      {wide_config(TransformerKind::prefix), PairLayout::one_stack, 10},
      {recurrent, PairLayout::encoder_decoder, 10},
      {luong, PairLayout::encoder_decoder, 10},
      {fixed, PairLayout::encoder_decoder, 10}};
  for (const auto& [config, layout, steps] : cases) {
    SCOPED_TRACE(to_json(config));
    // Two batches an epoch, one of the shorter pairs and one of the longer.
    const bool two_stacks = layout == PairLayout::encoder_decoder;
    const PairCorpus corpus = reversal_corpus(two_stacks ? 375 : 190, layout);
    TrainerOptions options = small_options(steps);
    options.batch = {.budget = two_stacks ? 1600 : 800, .seed = 3};
    options.schedule.peak = 1e-3;
    for (const std::vector<int64_t>& items : corpus.plan(options.batch, 0)) {
      ASSERT_GE(corpus.batch(items, 0).target_rows.total(), 500);
    }
    const std::vector<float> one = trained(steps, options, 1, config, corpus);
    EXPECT_TRUE(same_bits(one, trained(steps, options, 2, config, corpus)));
  }
}

// With every kind of state: moments, averages, shards, the middle of an epoch.
TEST(Trainer, AResumedRunIsTheUninterruptedOne) {
  for (const OptimizerKind optimizer : {OptimizerKind::adamw, OptimizerKind::sgd}) {
    const ThreadScope scope(1);
    TrainerOptions options = small_options(40);
    options.optimizer = optimizer;
    options.average = 0.9;
    options.shards = 2;
    options.accumulate = 2;
    const PairCorpus corpus = reversal_corpus(50);
    const Transformer whole(small_config(), {.seed = 5});
    Trainer uninterrupted(whole, corpus, options);
    for (int i = 0; i < 17; ++i) uninterrupted.step();
    std::vector<NamedTensor> state;
    for (const NamedTensor& t : uninterrupted.state()) state.push_back({t.name, t.tensor.clone()});
    const TrainerPosition position = uninterrupted.position();
    while (!uninterrupted.finished()) uninterrupted.step();

    const Transformer other(small_config(), {.seed = 99});
    Trainer resumed(other, corpus, options);
    resumed.load_state(state, position);
    while (!resumed.finished()) resumed.step();
    EXPECT_TRUE(same_bits(weights_of(whole), weights_of(other)));
    uninterrupted.swap_average();
    resumed.swap_average();
    EXPECT_TRUE(same_bits(weights_of(whole), weights_of(other)));
  }
}

// Two batches of 4 are one batch of 8, up to rounding: losses are divided by the labels of both.
TEST(Trainer, AccumulationIsTheBigBatch) {
  TrainerOptions big = small_options(3);
  big.optimizer = OptimizerKind::sgd;  // Adam would blow up the rounding of gradients that are 0
  big.batch.shuffle = false;
  TrainerOptions small = big;
  small.batch.sequences = 4;
  small.accumulate = 2;
  const std::vector<float> a = trained(3, big), b = trained(3, small);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6);
}

TEST(Trainer, ShardsAddUpToTheSame) {
  TrainerOptions options = small_options(3);
  options.optimizer = OptimizerKind::sgd;
  const std::vector<float> one = trained(3, options);
  options.shards = 4;
  const std::vector<float> four = trained(3, options);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], four[i], 1e-6);
}

TEST(Trainer, EpochsBecomeSteps) {
  const Transformer model(small_config(), {.seed = 5});
  const PairCorpus corpus = reversal_corpus(50);
  TrainerOptions options = small_options(0);
  options.epochs = 3;
  EXPECT_EQ(Trainer(model, corpus, options).total_steps(), 3 * 7);
  options.accumulate = 2;
  EXPECT_EQ(Trainer(model, corpus, options).total_steps(), 11);
}

TEST(Trainer, ANanStopsAndLeavesTheParameters) {
  const Transformer model(small_config(), {.seed = 5});
  const PairCorpus corpus = reversal_corpus(50);
  Trainer trainer(model, corpus, small_options(10));
  trainer.step();
  Tensor value = model.parameters().list()[3].variable.value();
  value.data<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> before = weights_of(model);
  try {
    trainer.step();
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("step 2"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(same_bits(before, weights_of(model)));
  EXPECT_EQ(trainer.position().step, 1);
}

TEST(Trainer, FrozenParametersStay) {
  const ParameterSource source{
      .seed = 5, .frozen = [](const std::string& name) { return name.starts_with("encoder"); }};
  const Transformer model(small_config(), source);
  const PairCorpus corpus = reversal_corpus(50);
  const auto part = [&](const std::string& prefix) {
    std::vector<float> all;
    for (const NamedParameter& p : model.parameters().list()) {
      if (!p.name.starts_with(prefix)) continue;
      const Tensor& value = p.variable.value();
      all.insert(all.end(), value.data<float>(), value.data<float>() + value.size());
    }
    return all;
  };
  const std::vector<float> encoder = part("encoder"), decoder = part("decoder");
  Trainer trainer(model, corpus, small_options(3));
  trainer.step();
  EXPECT_TRUE(same_bits(encoder, part("encoder")));
  EXPECT_FALSE(same_bits(decoder, part("decoder")));
}

}  // namespace
}  // namespace heed

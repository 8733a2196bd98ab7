// Twenty steps of training against PyTorch: the same weights, batch and settings give the same loss
// and the same norm of the gradient at every step.
#include <gtest/gtest.h>

#include "heed/base/parallel.h"
#include "heed/models/model_config.h"
#include "heed/train/trainer.h"
#include "tests/goldens/formula.h"
#include "tests/goldens/golden.h"

namespace heed {
namespace {

constexpr int64_t kIds = 11;

Tensor joined(const std::vector<std::vector<int32_t>>& sequences) {
  std::vector<int32_t> all;
  for (const auto& ids : sequences) all.insert(all.end(), ids.begin(), ids.end());
  return Tensor::from(all, {static_cast<int64_t>(all.size())});
}

Tensor three_sequences(int64_t salt, int64_t a, int64_t b, int64_t c) {
  return joined(
      {formula_ids(salt, a, kIds), formula_ids(salt + 1, b, kIds), formula_ids(salt + 2, c, kIds)});
}

// The same three sequences at every step.
class OneBatch final : public Corpus {
 public:
  explicit OneBatch(bool with_source) {
    if (with_source) {
      batch_.source_rows = Rows::from_lengths({4, 2, 3});
      batch_.source = three_sequences(0, 4, 2, 3);
    }
    batch_.target_rows = Rows::from_lengths({3, 5, 2});
    batch_.target = three_sequences(10, 3, 5, 2);
    batch_.labels = three_sequences(20, 3, 5, 2);
    batch_.label_count = 10;
  }

  int64_t size() const override { return 1; }
  BatchPlan plan(const BatchOptions&, uint64_t) const override { return {{0}}; }
  Batch batch(std::span<const int64_t>, uint64_t) const override { return batch_; }
  BatchPlan evaluation_plan(const BatchOptions&) const override { return {{0}}; }
  Batch evaluation_batch(std::span<const int64_t>) const override { return batch_; }
  uint64_t fingerprint() const override { return 0; }

 private:
  Batch batch_;
};

void check_training(const char* file, const ModelConfig& config) {
  SCOPED_TRACE(file);
  const ThreadScope scope(1);
  const Golden golden(file);
  const Tensor losses = golden.real("losses"), norms = golden.real("norms");
  const auto* transformer = std::get_if<TransformerConfig>(&config);
  const OneBatch corpus(transformer == nullptr || transformer->has_encoder());
  for (const DType type : {DType::f64, DType::f32}) {
    const double tolerance = type == DType::f64 ? 1e-7 : 1e-4;
    const std::unique_ptr<Model> model = make_model(config, {.type = type});
    set_formula_values(model->parameters());
    Trainer trainer(*model, corpus,
                    {.steps = 20,
                     .adamw = {.beta1 = 0.9, .beta2 = 0.98, .weight_decay = 0.05},
                     .schedule = {.kind = ScheduleKind::constant, .peak = 0.005, .warmup = 4},
                     .clip = 1,
                     .label_smoothing = 0.1});
    for (int64_t i = 0; i < 20; ++i) {
      const StepReport report = trainer.step();
      const double loss = losses.data<double>()[i], norm = norms.data<double>()[i];
      EXPECT_NEAR(report.loss, loss, tolerance * loss) << "step " << i << ", " << name(type);
      EXPECT_NEAR(report.gradient_norm, norm, 10 * tolerance * norm)
          << "step " << i << ", " << name(type);
    }
  }
}

TransformerConfig encoder_decoder() {
  return {.kind = TransformerKind::encoder_decoder,
          .vocabulary = kIds,
          .encoder_layers = 1,
          .decoder_layers = 2,
          .width = 6,
          .hidden = 10,
          .heads = 2,
          .context = 8};
}

TransformerConfig decoder() {
  return {.kind = TransformerKind::decoder,
          .vocabulary = kIds,
          .decoder_layers = 2,
          .width = 6,
          .hidden = 10,
          .heads = 2,
          .context = 8,
          .positions = PositionKind::learned,
          .feed_forward = FeedForwardKind::gelu,
          .tied = false,
          .scaled_embedding = false};
}

TEST(PyTorch, TrainsAnEncoderDecoderInTheSameWay) {
  check_training("training_encoder_decoder", encoder_decoder());
}

TEST(PyTorch, TrainsPostNormBlocksInTheSameWay) {
  TransformerConfig config = encoder_decoder();
  config.norm_place = NormPlace::post;
  config.feed_forward = FeedForwardKind::gelu_exact;
  check_training("training_encoder_decoder_post", config);
}

TEST(PyTorch, TrainsADecoderInTheSameWay) { check_training("training_decoder", decoder()); }

TEST(PyTorch, TrainsAModernDecoderInTheSameWay) {
  TransformerConfig config = decoder();
  config.width = 8;
  config.kv_heads = 1;
  config.positions = PositionKind::rotary;
  config.norm = NormKind::rms;
  config.feed_forward = FeedForwardKind::silu_gated;
  config.bias = false;
  config.tied = true;
  check_training("training_modern", config);
}

RnnConfig recurrent(RnnAttention attention, CellKind cell) {
  return {.source_vocabulary = kIds,
          .target_vocabulary = kIds,
          .cell = cell,
          .attention = attention,
          .embedding = 5,
          .width = 4,
          .encoder_width = 3};
}

TEST(PyTorch, TrainsBahdanausModelInTheSameWay) {
  check_training("training_bahdanau", recurrent(RnnAttention::additive, CellKind::gru));
}

TEST(PyTorch, TrainsLuongsModelInTheSameWay) {
  check_training("training_luong", recurrent(RnnAttention::general, CellKind::lstm));
}

TEST(PyTorch, TrainsAFixedContextInTheSameWay) {
  check_training("training_fixed_context", recurrent(RnnAttention::none, CellKind::gru));
}

}  // namespace
}  // namespace heed

// Whole training steps: forward, backward, norm of the gradient, clipping and AdamW, by the code
// that `heed train` runs, on random tokens and without dropout.
//
//   train-lm         decoder: 6 layers, C = 384, 6 heads, F = 1536, gelu, 16 x 256 tokens, V = 8192
//   train-translate  encoder-decoder: 3 + 3 layers, C = 256, 4 heads, F = 1024, V = 8000,
//                    64 pairs of 24 + 24 tokens
//   train-bahdanau   both directions of a GRU, then a GRU with additive attention; 256 units each,
//                    embeddings of 256, the same batch
//   train-chars      decoder: 4 layers, C = 128, 4 heads, F = 512, gelu, 12 x 64 tokens, V = 65
//
// A step is counted as 6 operations for each weight of a matrix and each token that it is
// multiplied with (2 forward, 4 backward), the output layer included, and attention as in the suite
// of that name. Tokens are those to predict. Each row's peak of memory is its own.
#include <string>
#include <utility>
#include <vector>

#include "bench/attention_flops.h"
#include "bench/random_data.h"
#include "bench/resident.h"
#include "bench/suite.h"
#include "heed/models/rnn_seq2seq.h"
#include "heed/models/transformer.h"
#include "heed/train/corpus.h"
#include "heed/train/trainer.h"

namespace heed::bench {
namespace {

constexpr int64_t kManySteps = 1 << 20;  // more than are run

// Batches that are ready, all of one size, in order.
class ReadyBatches final : public Corpus {
 public:
  explicit ReadyBatches(std::vector<Batch> batches) : batches_(std::move(batches)) {}

  int64_t size() const override { return static_cast<int64_t>(batches_.size()); }
  BatchPlan plan(const BatchOptions&, uint64_t) const override {
    BatchPlan result;
    for (int64_t i = 0; i < size(); ++i) result.push_back({i});
    return result;
  }
  Batch batch(std::span<const int64_t> items, uint64_t) const override {
    return batches_[items[0]];
  }
  BatchPlan evaluation_plan(const BatchOptions& options) const override { return plan(options, 0); }
  Batch evaluation_batch(std::span<const int64_t> items) const override { return batch(items, 0); }
  uint64_t fingerprint() const override { return 0; }

 private:
  std::vector<Batch> batches_;
};

// The data of a step.
struct TrainingWork {
  int64_t sequences = 0;
  int64_t source = 0;  // tokens of a sequence that an encoder reads
  int64_t target = 0;  // tokens of a sequence to predict
  int64_t vocabulary = 0;

  ReadyBatches batches() const {
    const auto rows_of = [&](int64_t length) {
      return Rows::from_lengths(std::vector<int64_t>(static_cast<size_t>(sequences), length));
    };
    std::vector<Batch> result(4);
    for (size_t i = 0; i < result.size(); ++i) {
      Batch& batch = result[i];
      if (source > 0) {
        batch.source = random_ids(sequences * source, vocabulary, 3 * i);
        batch.source_rows = rows_of(source);
      }
      batch.label_count = sequences * target;
      batch.target = random_ids(batch.label_count, vocabulary, 3 * i + 1);
      batch.target_rows = rows_of(target);
      batch.labels = random_ids(batch.label_count, vocabulary, 3 * i + 2).to(DType::i32);
    }
    return ReadyBatches(std::move(result));
  }
};

// How many times a matrix is used for one sequence.
int64_t uses_of(const std::string& name, const TrainingWork& work) {
  const auto contains = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (name.ends_with(".table") || name.starts_with("output.")) return 0;
  if (contains("decoder.start.")) return 1;  // the first state of a recurrent decoder
  // Keys and values of cross attention come from the source.
  const bool of_source =
      name.starts_with("encoder.") || contains(".keys_values.") || contains(".w_k");
  return of_source ? work.source : work.target;
}

// The operations of all weights in products, for one sequence.
double product_flops(const Model& model, const TrainingWork& work) {
  double flops = 6 * static_cast<double>(work.target * model.output().weight.value().size());
  for (const NamedParameter& parameter : model.parameters().list()) {
    const Tensor& value = parameter.variable.value();
    if (value.rank() != 2) continue;
    flops += 6 * static_cast<double>(uses_of(parameter.name, work) * value.size());
  }
  return flops;
}

// Those of all attention of a transformer, for one sequence.
double attention_flops_of(const TransformerConfig& config, const TrainingWork& work) {
  const auto layer = [&](int64_t queries, int64_t keys, bool causal) {
    return attention_flops(
        {.T = queries, .S = keys, .H = config.heads, .D = config.width / config.heads}, causal,
        true);
  };
  double flops = static_cast<double>(config.decoder_layers) * layer(work.target, work.target, true);
  if (config.has_encoder()) {
    flops += static_cast<double>(config.encoder_layers) * layer(work.source, work.source, false) +
             static_cast<double>(config.decoder_layers) * layer(work.target, work.source, false);
  }
  return flops;
}

Row run_steps(const Model& model, TrainingWork work, double flops_of_sequence,
              const Effort& effort) {
  if (effort.small_products) work.sequences = 2;
  const ReadyBatches batches = work.batches();
  Trainer trainer(model, batches, {.steps = kManySteps});
  const Timing timing = measure([&] { trainer.step(); }, effort.timing);
  const auto sequences = static_cast<double>(work.sequences);
  return {.timing = timing,
          .flops = sequences * flops_of_sequence,
          .tokens = sequences * static_cast<double>(work.target),
          .peak_rss_bytes = peak_resident_bytes()};
}

Row run_transformer(const TransformerConfig& config, TrainingWork work, const Effort& effort) {
  work.vocabulary = config.vocabulary;
  const Transformer model(config);
  return run_steps(model, work, product_flops(model, work) + attention_flops_of(config, work),
                   effort);
}

TransformerConfig language_model() {
  return {.kind = TransformerKind::decoder,
          .positions = PositionKind::learned,
          .feed_forward = FeedForwardKind::gelu,
          .scaled_embedding = false};
}

Row run_lm(const Effort& effort) {
  TransformerConfig config = language_model();
  config.vocabulary = 8192;
  config.decoder_layers = 6;
  config.width = 384;
  config.hidden = 1536;
  config.heads = 6;
  config.context = 256;
  return run_transformer(config, {.sequences = 16, .target = 256}, effort);
}

Row run_chars(const Effort& effort) {
  TransformerConfig config = language_model();
  config.vocabulary = 65;
  config.decoder_layers = 4;
  config.width = 128;
  config.hidden = 512;
  config.heads = 4;
  config.context = 64;
  return run_transformer(config, {.sequences = 12, .target = 64}, effort);
}

Row run_translate(const Effort& effort) {
  const TransformerConfig config{.kind = TransformerKind::encoder_decoder,
                                 .vocabulary = 8000,
                                 .encoder_layers = 3,
                                 .decoder_layers = 3,
                                 .width = 256,
                                 .hidden = 1024,
                                 .heads = 4,
                                 .context = 24};
  return run_transformer(config, {.sequences = 64, .source = 24, .target = 24}, effort);
}

// Of additive attention, the sums over hidden units and over values are counted.
Row run_bahdanau(const Effort& effort) {
  const RnnConfig config{.source_vocabulary = 8000, .target_vocabulary = 8000};
  const TrainingWork work{.sequences = 64, .source = 24, .target = 24, .vocabulary = 8000};
  const RnnSeq2seq model(config);
  const double sums = 6 * static_cast<double>(work.target * work.source * 3 * config.width);
  return run_steps(model, work, product_flops(model, work) + sums, effort);
}

Case train_case(const char* name, Row (*run)(const Effort&)) {
  return {name, [run](const Effort& effort) {
            reset_peak_resident();
            return run(effort);
          }};
}

}  // namespace

Suite train_suite() {
  return {train_case("train-lm", run_lm), train_case("train-translate", run_translate),
          train_case("train-bahdanau", run_bahdanau), train_case("train-chars", run_chars)};
}

}  // namespace heed::bench

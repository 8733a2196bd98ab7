// Small models with random weights, of every kind that writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/generate/generator.h"
#include "heed/models/rnn_seq2seq.h"
#include "heed/models/transformer.h"

namespace heed {

struct SmallModel {
  std::string name;
  std::unique_ptr<Model> model;
  bool has_encoder;
  bool is_prefix = false;
};

inline std::vector<SmallModel> small_models(int64_t vocabulary) {
  const auto transformer = [&](TransformerKind kind, bool int8 = false) {
    const bool two = kind == TransformerKind::encoder_decoder;
    return std::make_unique<Transformer>(TransformerConfig{.kind = kind,
                                                           .vocabulary = vocabulary,
                                                           .encoder_layers = two ? 1 : 0,
                                                           .decoder_layers = 2,
                                                           .width = 16,
                                                           .hidden = 24,
                                                           .heads = 4,
                                                           .kv_heads = 2,
                                                           .context = 300},
                                         ParameterSource{.seed = 3, .int8 = int8});
  };
  std::vector<SmallModel> models;
  models.push_back({"decoder", transformer(TransformerKind::decoder), false});
  models.push_back({"encoder-decoder", transformer(TransformerKind::encoder_decoder), true});
  models.push_back({"prefix", transformer(TransformerKind::prefix), false, true});
  models.push_back({"recurrent",
                    std::make_unique<RnnSeq2seq>(RnnConfig{.source_vocabulary = vocabulary,
                                                           .target_vocabulary = vocabulary,
                                                           .embedding = 8,
                                                           .width = 10},
                                                 ParameterSource{.seed = 3}),
                    true});
  models.push_back({"int8 decoder", transformer(TransformerKind::decoder, true), false});
  models.push_back(
      {"int8 encoder-decoder", transformer(TransformerKind::encoder_decoder, true), true});
  return models;
}

inline std::vector<int32_t> random_ids(int64_t count, int64_t vocabulary, uint64_t seed) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < count; ++i) {
    const RandomKey key = random_key({.seed = seed, .position = static_cast<uint64_t>(i)});
    values.push_back(static_cast<int32_t>(random_bits(key, 0) % static_cast<uint64_t>(vocabulary)));
  }
  return values;
}

// A request for a model of this kind, of a length that differs with the index.
inline GenerationRequest small_request(const SmallModel& model, int64_t vocabulary,
                                       uint64_t index) {
  const int64_t length = 2 + static_cast<int64_t>(index * 7 % 11);
  if (!model.has_encoder) return {.prompt = random_ids(length, vocabulary, index), .id = index};
  return {.source = random_ids(length, vocabulary, index), .prompt = {1}, .id = index};
}

// The logits after the prompt and these tokens, without any cache: the whole sequence at once.
inline std::vector<float> plain_logits(const SmallModel& model, const GenerationRequest& request,
                                       const std::vector<int32_t>& generated) {
  const NoGrad no_grad;
  const auto tensor = [](const std::vector<int32_t>& ids) {
    return Tensor::from(ids, {static_cast<int64_t>(ids.size())});
  };
  std::vector<int32_t> all = request.prompt;
  all.insert(all.end(), generated.begin(), generated.end());
  Batch batch;
  if (model.has_encoder) {
    batch.source = tensor(request.source);
    batch.source_rows = Rows::single(static_cast<int64_t>(request.source.size()));
  }
  batch.target = tensor(all);
  batch.target_rows = Rows::single(static_cast<int64_t>(all.size()));
  if (model.is_prefix) batch.prefixes = {static_cast<int64_t>(request.prompt.size())};
  const Tensor logits = model.model->logits(batch, {});
  const int64_t V = logits.dim(1);
  const float* row = logits.data<float>() + (logits.dim(0) - 1) * V;
  return {row, row + V};
}

}  // namespace heed

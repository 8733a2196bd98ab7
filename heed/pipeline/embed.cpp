// Pipeline::embed.

#include <algorithm>
#include <map>
#include <numeric>

#include "heed/base/fail.h"
#include "heed/models/rnn_seq2seq.h"
#include "heed/models/transformer.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/mean.h"
#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/read.h"

namespace heed {
namespace {

// Keeps the states with these names.
class StateRecorder final : public Observer {
 public:
  explicit StateRecorder(const std::vector<std::string>& names) {
    for (const std::string& name : names) states_[name] = Tensor();
  }
  void value(std::string_view name, const Variable& x, const Rows& /*rows*/) override {
    const auto found = states_.find(std::string(name));
    if (found != states_.end()) found->second = x.value();
  }
  const Tensor& state(const std::string& name) const {
    const Tensor& state = states_.at(name);
    check(state.defined(), "embed: the model has no state {}", name);
    return state;
  }

 private:
  std::map<std::string, Tensor> states_;
};

void look(const Model& model, const Rows& rows, const Tensor& ids, Observer& observer) {
  const Pass pass{.observer = &observer};
  if (const auto* recurrent = dynamic_cast<const RnnSeq2seq*>(&model)) {
    recurrent->encode(ids, rows, pass);
    return;
  }
  const auto* transformer = dynamic_cast<const Transformer*>(&model);
  check(transformer != nullptr, "embed: this kind of model has no states to look at");
  if (transformer->config().has_encoder()) {
    transformer->encode(ids, rows, pass);
    return;
  }
  Batch batch;
  batch.target = ids;
  batch.target_rows = rows;
  for (int64_t b = 0; b < rows.count(); ++b) batch.prefixes.push_back(rows.length(b));
  transformer->decode(batch, {}, pass);
}

std::vector<std::string> state_names(const Model& model, int64_t blocks,
                                     const std::vector<int64_t>& layers) {
  const auto* transformer = dynamic_cast<const Transformer*>(&model);
  const bool is_decoder = transformer != nullptr && !transformer->config().has_encoder();
  const std::string stack = is_decoder ? "decoder" : "encoder";
  if (layers.empty()) return {stack};
  check(transformer != nullptr, "embed: a recurrent model shows its last states only");
  std::vector<std::string> names;
  for (const int64_t layer : layers) {
    check(layer >= kEmbeddingLayer && layer < blocks,
          "embed: the model has layers 0 to {} and the embedding before them, there is no layer {}",
          blocks - 1, layer);
    names.push_back(layer == kEmbeddingLayer ? stack + ".embedding"
                                             : fmt::format("{}.{}", stack, layer));
  }
  return names;
}

// The rows [T, C] of one text as they are wanted.
Tensor pooled(const Tensor& rows, EmbedPool pool, bool cls_is_last) {
  switch (pool) {
    case EmbedPool::none: return rows.clone();
    case EmbedPool::mean:
      return sequence_mean(rows, Rows::single(rows.dim(0))).value().reshape({rows.dim(1)});
    case EmbedPool::cls: {
      const int64_t at = cls_is_last ? rows.dim(0) - 1 : 0;
      return rows.slice(0, at, at + 1).clone().reshape({rows.dim(1)});
    }
  }
  return rows;
}

Tensor stacked(const std::vector<Tensor>& parts) {
  std::vector<Variable> all;
  for (const Tensor& part : parts) {
    std::vector<int64_t> sizes = {1};
    for (int axis = 0; axis < part.rank(); ++axis) sizes.push_back(part.dim(axis));
    all.emplace_back(part.reshape(Shape(sizes)));
  }
  return concatenate(all, 0).value();
}

}  // namespace

int64_t Pipeline::blocks() const {
  const auto* transformer = dynamic_cast<const Transformer*>(run_->model.get());
  if (transformer == nullptr) return 0;
  const TransformerConfig& config = transformer->config();
  return config.has_encoder() ? config.encoder_layers : config.decoder_layers;
}

std::vector<int64_t> Pipeline::all_layers() const {
  std::vector<int64_t> layers(static_cast<size_t>(blocks() + 1));
  std::iota(layers.begin(), layers.end(), kEmbeddingLayer);
  return layers;
}

std::vector<Tensor> embed_ids(const Pipeline& pipeline,
                              std::span<const std::vector<int32_t>> sequences,
                              const EmbedOptions& options) {
  const Model& model = *pipeline.run().model;
  const bool cls_is_last = pipeline.run().config.settings.pool == Pooling::cls_end;
  const std::vector<std::string> names = state_names(model, pipeline.blocks(), options.layers);
  std::vector<Tensor> result(sequences.size());
  const NoGrad no_grad;
  for_each_batch(sequences,
                 [&](std::span<const size_t> items, const Rows& rows, const Tensor& ids) {
                   StateRecorder recorder(names);
                   look(model, rows, ids, recorder);
                   for (size_t i = 0; i < items.size(); ++i) {
                     const auto b = static_cast<int64_t>(i);
                     std::vector<Tensor> parts;
                     for (const std::string& name : names) {
                       const Tensor own = recorder.state(name).slice(0, rows.begin(b), rows.end(b));
                       parts.push_back(pooled(own, options.pool, cls_is_last));
                     }
                     result[items[i]] = options.layers.empty() ? parts[0] : stacked(parts);
                     check_finite(result[items[i]], "embed");
                   }
                 });
  return result;
}

std::vector<Tensor> Pipeline::embed(std::span<const std::string> texts,
                                    const EmbedOptions& options) const {
  const bool has_cls = (task() == Task::classify || task() == Task::embed) &&
                       run_->config.settings.pool != Pooling::mean;
  check(options.pool != EmbedPool::cls || has_cls,
        "embed: the model was trained without a class token, so there is no row of it; pool by the "
        "mean, or not at all");
  std::vector<std::vector<int32_t>> sequences;
  for (const std::string& text : texts) {
    ReadText read = read_source(*this, text);
    if (read.cut && options.on_cut) options.on_cut(sequences.size());
    sequences.push_back(std::move(read.ids));
  }
  return embed_ids(*this, sequences, options);
}

}  // namespace heed

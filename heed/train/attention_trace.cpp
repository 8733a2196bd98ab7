#include "heed/train/attention_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "heed/base/fail.h"
#include "heed/generate/alignment.h"
#include "heed/nn/attention_recorder.h"
#include "heed/train/choose_settings.h"

namespace heed {
namespace {

constexpr int64_t kMaxRows = 40;  // of each side: a map that can be read
constexpr int64_t kFewRows = 5;   // of the longer side: too little to see
constexpr int64_t kTried = 64;    // examples

int64_t longest_side(const Batch& batch) {
  const auto side = [](const Rows& rows) { return rows.count() > 0 ? rows.length(0) : 0; };
  return std::max(side(batch.source_rows), side(batch.target_rows));
}

// The first example of a good length; if there is none, the first that is not too long, or the
// first.
Batch choose_example(const Corpus& corpus) {
  check(corpus.size() > 0, "probe: there is no validation data to take an example from");
  int64_t chosen = -1;
  for (int64_t i = 0; i < std::min(corpus.size(), kTried); ++i) {
    const int64_t rows = longest_side(corpus.evaluation_batch(std::span(&i, 1)));
    if (rows == 0 || rows > kMaxRows) continue;
    if (chosen < 0) chosen = i;
    if (rows < kFewRows) continue;
    chosen = i;
    break;
  }
  chosen = std::max<int64_t>(chosen, 0);
  return corpus.evaluation_batch(std::span(&chosen, 1));
}

std::string json_list(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_rows(const Tensor& weights) {
  std::string text = "[";
  for (int64_t t = 0; t < weights.dim(0); ++t) {
    text += t == 0 ? "[" : ",[";
    for (int64_t s = 0; s < weights.dim(1); ++s) {
      const float weight = weights.data<float>()[t * weights.stride(0) + s * weights.stride(1)];
      text += fmt::format("{}{}", s == 0 ? "" : ",", weight);
    }
    text += "]";
  }
  return text + "]";
}

}  // namespace

AttentionTrace::AttentionTrace(const RunConfig& config, std::shared_ptr<const Tokenizer> tokenizer,
                               const Corpus& corpus)
    : config_(config), tokenizer_(std::move(tokenizer)) {
  const std::vector<std::string>& texts = config_.settings.probe;
  if (texts.empty()) {
    example_ = task_input(choose_example(corpus), tokenizer_.get(), kMaxRows);
    return;
  }
  const int64_t width =
      std::visit([](const auto& model) { return model.source_width; }, config_.model);
  check(tokenizer_ != nullptr && width == 0, "`probe`: this model reads rows of floats, not text");
  const size_t max_texts = is_pair_task(config_.settings.task) ? 2 : 1;
  check(texts.size() <= max_texts, "`probe`: expected {}, got {} texts",
        max_texts == 2 ? "a source and a target" : "one text", texts.size());
  check(!tokenizer_->encode(texts[0], SpecialNames::are_text).empty(),
        "`probe`: the text is empty");
}

TaskInput AttentionTrace::input(const Model& model) const {
  if (example_) return *example_;
  const std::vector<std::string>& texts = config_.settings.probe;
  return task_input(
      {.config = config_, .tokenizer = *tokenizer_, .model = model, .max_tokens = kMaxRows},
      texts[0], texts.size() > 1 ? texts[1] : std::string());
}

bool AttentionTrace::has_attention(const Model& model) const {
  const NoGrad no_grad;
  AttentionRecorder recorder;
  model.features(input(model).batch, {.observer = &recorder});
  return !recorder.names().empty();
}

std::string AttentionTrace::line(const Model& model, int64_t step) const {
  const TaskInput probed = input(model);
  const AttentionView view = view_attention(model, probed.batch);
  const std::vector<std::string>& own = view.is_encoder ? probed.source : probed.target;
  return fmt::format(
      R"({{"step":{},"layer":{},"head":-1,"heads":{},"queries":{},"keys":{},"weights":{}}})", step,
      nlohmann::json(view.layer).dump(), view.heads, json_list(view.is_cross ? probed.target : own),
      json_list(view.is_cross ? probed.source : own), json_rows(view.weights));
}

}  // namespace heed

// Pipeline::attention and Pipeline::alignment.

#include "heed/base/fail.h"
#include "heed/pipeline/pipeline.h"
#include "heed/run/pair_layout.h"
#include "heed/run/task_input.h"
#include "heed/run/task_names.h"
#include "heed/text/token_label.h"

namespace heed {

AttentionMap Pipeline::attention(const std::string& text, const std::string& target,
                                 const AttentionChoice& choice) const {
  (void)tokenizer();  // says what a model without one reads
  const TaskInput input = task_input(*run_, text, target);
  AttentionView view = view_attention(*run_->model, input.batch, choice);
  const std::vector<std::string>& own = view.is_encoder ? input.source : input.target;
  return {.weights = view.weights,
          .queries = view.is_cross ? input.target : own,
          .keys = view.is_cross ? input.source : own,
          .layer = std::move(view.layer),
          .layers = std::move(view.layers),
          .heads = view.heads};
}

bool Pipeline::has_alignment() const {
  const auto* rnn = std::get_if<RnnConfig>(&run_->config.model);
  return is_pair_task(task()) && (rnn == nullptr || rnn->attention != RnnAttention::none);
}

AttentionMap Pipeline::alignment(const std::string& text, const std::string& target,
                                 const AttentionChoice& choice) const {
  check(is_pair_task(task()), "this is a model for {}; there is no source to align an answer with",
        name_of(task()));
  check(has_alignment(), "this model has no attention to its source (`model` rnn)");
  if (pair_layout(run_->config.settings) == PairLayout::encoder_decoder) {
    return attention(text, target, choice);
  }
  // A row stands for the token that is generated there: the first is that of the separator.
  const TaskInput input = task_input(*run_, text, target);
  AttentionView view = view_attention(*run_->model, input.batch, choice);
  const int64_t separator = input.batch.prefixes.at(0) - 1, N = view.weights.dim(0);
  AttentionMap map{.weights = view.weights.slice(0, separator, N).slice(1, 0, separator).clone(),
                   .queries = {input.target.begin() + separator + 1, input.target.end()},
                   .keys = {input.target.begin(), input.target.begin() + separator},
                   .layer = std::move(view.layer),
                   .layers = std::move(view.layers),
                   .heads = view.heads};
  map.queries.push_back(token_label(tokenizer(), pair_tokens(tokenizer()).eos));
  return map;
}

}  // namespace heed

// Pipeline::attention.

#include "heed/pipeline/pipeline.h"
#include "heed/train/task_input.h"

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

}  // namespace heed

// Pipeline::attention.

#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/read_internal.h"
#include "heed/train/task_input.h"

namespace heed {
namespace {

// The begin of a text that is longer than the model reads.
std::string readable_text(const Pipeline& pipeline, const std::string& text) {
  const ReadText read = read_text(pipeline, text);
  return read.cut ? pipeline.tokenizer().decode(read.ids) : text;
}

// The same of an answer, which follows a token of its own.
std::string readable_target(const Pipeline& pipeline, const std::string& target) {
  const std::vector<int32_t> ids = pipeline.tokenizer().encode(target, SpecialNames::are_text);
  const int64_t most = pipeline.context() - 1;
  if (most < 1 || static_cast<int64_t>(ids.size()) <= most) return target;
  return pipeline.tokenizer().decode(std::span(ids).first(static_cast<size_t>(most)));
}

}  // namespace

AttentionMap Pipeline::attention(const std::string& text, const std::string& target,
                                 const AttentionChoice& choice) const {
  const TaskInput input =
      task_input(*run_, readable_text(*this, text), readable_target(*this, target));
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

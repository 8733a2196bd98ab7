#include "heed/train/unused_setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "heed/run/setting_names.h"

namespace heed {
namespace {

constexpr const char* kOfTransformers[] = {
    "heads", "kv-heads", "ffn",       "window",     "positions",        "position-mode",
    "score", "norm",     "norm-kind", "activation", "attention-dropout"};

}  // namespace

std::string why_unused(const std::string& name, const TrainSettings& s) {
  const bool reads_classes = s.task == Task::classify || s.task == Task::tag;
  if (name == "cell" && !is_recurrent(s.model)) {
    return "is for recurrent models (`model` rnn or rnn-attention)";
  }
  if (name == "rnn-score" && s.model != ModelKind::rnn_attention)
    return "is for `model` rnn-attention";
  if (name == "pool" && s.task != Task::classify) return "is for heed train classify";
  const bool is_of_transformers = std::find(std::begin(kOfTransformers), std::end(kOfTransformers),
                                            name) != std::end(kOfTransformers);
  if (is_recurrent(s.model) && is_of_transformers) {
    return fmt::format("is for transformers, not for `model` {}", name_of(s.model));
  }
  if (name == "enc-layers" && (s.task == Task::lm || is_one_stack(s.model))) {
    return "needs an encoder; this model is one stack, whose size is `layers`";
  }
  if (s.task == Task::lm && name == "max-length") {
    return "cuts texts, and a language model reads all of its text in windows (`context`)";
  }
  if ((name == "text-column" || name == "label-column") && s.task != Task::classify) {
    return "is for heed train classify";
  }
  if ((name == "token-column" || name == "tag-column") && s.task != Task::tag) {
    return "is for heed train tag";
  }
  if (name == "tied" && reads_classes) return "is for models that write tokens";
  if (name == "dec-layers" && reads_classes) {
    return "needs a decoder; this model is an encoder, whose size is `layers`";
  }
  if (name == "position-mode" && s.position_mode == PositionMode::append &&
      (s.positions == PositionKind::rotary || s.positions == PositionKind::none)) {
    return fmt::format("appends positions, and `positions` {} has none to append",
                       name_of(s.positions));
  }
  return "";
}

}  // namespace heed

#include "heed/train/unused_setting.h"

#include <algorithm>
#include <iterator>

namespace heed {
namespace {

constexpr const char* kOfTransformers[] = {
    "heads", "kv-heads", "ffn",       "window",     "positions",        "position-mode",
    "score", "norm",     "norm-kind", "activation", "attention-dropout"};

}  // namespace

std::string why_unused(const std::string& name, const TrainSettings& s) {
  const bool has_attention = s.model == "rnn-attention";
  const bool is_recurrent = has_attention || s.model == "rnn";
  const bool reads_classes = s.task == "classify" || s.task == "tag";
  if (name == "cell" && !is_recurrent) {
    return "is for recurrent models (--model rnn or rnn-attention)";
  }
  if (name == "rnn-score" && !has_attention) return "is for --model rnn-attention";
  if (name == "pool" && s.task != "classify") return "is for heed train classify";
  const bool is_of_transformers = std::find(std::begin(kOfTransformers), std::end(kOfTransformers),
                                            name) != std::end(kOfTransformers);
  if (is_recurrent && is_of_transformers) return "is for transformers, not for --model " + s.model;
  if (name == "enc-layers" && (s.task == "lm" || s.model == "decoder" || s.model == "prefix")) {
    return "needs an encoder; this model is one stack, whose size is --layers";
  }
  if (s.task == "lm" && name == "max-length") {
    return "cuts texts, and a language model reads all of its text in windows (--context)";
  }
  if ((name == "text-column" || name == "label-column") && s.task != "classify") {
    return "is for heed train classify";
  }
  if ((name == "token-column" || name == "tag-column") && s.task != "tag") {
    return "is for heed train tag";
  }
  if (name == "tied" && reads_classes) return "is for models that write tokens";
  if (name == "dec-layers" && reads_classes) {
    return "needs a decoder; this model is an encoder, whose size is --layers";
  }
  if (name == "position-mode" && s.position_mode == "append" &&
      (s.positions == "rotary" || s.positions == "none")) {
    return "appends positions, and --positions " + s.positions + " has none to append";
  }
  return "";
}

}  // namespace heed

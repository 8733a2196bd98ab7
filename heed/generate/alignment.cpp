#include "heed/generate/alignment.h"

#include "heed/base/fail.h"
#include "heed/nn/attention_recorder.h"

namespace heed {

std::string default_attention_layer(const std::vector<std::string>& layers) {
  std::string chosen;
  for (const std::string& name : layers) {
    if (name.ends_with("cross") || !chosen.ends_with("cross")) chosen = name;
  }
  return chosen;
}

AttentionView view_attention(const Model& model, const Batch& batch,
                             const AttentionChoice& choice) {
  const NoGrad no_grad;
  AttentionRecorder recorder;
  model.features(batch, {.observer = &recorder});
  AttentionView view;
  view.layers = recorder.names();
  check(!view.layers.empty(), "attention: this model has no attention to look at");
  view.layer = choice.layer.empty() ? default_attention_layer(view.layers) : choice.layer;
  view.heads = recorder.heads(view.layer);
  check(choice.head >= -1 && choice.head < view.heads,
        "attention: {} has heads 0 to {}, there is no head {}", view.layer, view.heads - 1,
        choice.head);
  view.is_cross = view.layer.ends_with("cross");
  view.is_encoder = view.layer.starts_with("encoder");
  view.weights =
      choice.head < 0
          ? recorder.mean_weights(view.layer, choice.sequence)
          : recorder.weights(view.layer, {.sequence = choice.sequence, .head = choice.head});
  return view;
}

}  // namespace heed

// An observer that keeps the attention of a pass, so that its exact weights can be looked at.
//
//   AttentionRecorder recorder;
//   model.features(batch, {.observer = &recorder});
//   Tensor w = recorder.weights("decoder.1.cross", {.sequence = 0, .head = 2});      // [T, S]
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/attention/weights.h"
#include "heed/base/export.h"
#include "heed/nn/pass.h"

namespace heed {

class HEED_API AttentionRecorder final : public Observer {
 public:
  void attention(std::string_view name, const AttentionCall& call) override;

  std::vector<std::string> names() const { return names_; }  // in the order of the pass
  bool contains(const std::string& name) const { return calls_.contains(name); }
  const AttentionCall& call(const std::string& name) const;
  int64_t heads(const std::string& name) const;

  // An Error if they are not finite.
  Tensor weights(const std::string& name, const WeightSelection& selection) const;
  // The mean over all heads, [T, S].
  Tensor mean_weights(const std::string& name, int64_t sequence = 0) const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, AttentionCall> calls_;
};

}  // namespace heed

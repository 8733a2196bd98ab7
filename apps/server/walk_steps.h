// The intermediates of a pass as steps of a walk: what the observer is told by name, and of every
// attention the queries, keys, values, scores, mask and weights.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/models/model_config.h"
#include "heed/nn/pass.h"

namespace heed::server {

struct WalkStep {
  std::string name;        // "decoder.0.attention.scores"
  std::string layer = {};  // "decoder.0.attention"; empty for the whole
  std::string part = {};   // "scores"
  std::string formula = {};
  std::string side = {};  // whose tokens the rows are: source, target
  Tensor values;
  bool is_pairwise = false;  // queries against keys: its columns are tokens
};

class WalkObserver final : public Observer {
 public:
  // Of a model of this configuration, which must outlive it. Steps whose name is not wanted are not
  // kept.
  WalkObserver(const ModelConfig& config, std::function<bool(const std::string&)> is_wanted)
      : config_(config), is_wanted_(std::move(is_wanted)) {}

  void value(std::string_view name, const Variable& x, const Rows& rows) override;
  void attention(std::string_view name, const AttentionCall& call) override;

  // In the order of the computation.
  const std::vector<WalkStep>& steps() const { return steps_; }

 private:
  void keep(WalkStep step);

  const ModelConfig& config_;
  std::function<bool(const std::string&)> is_wanted_;
  std::vector<WalkStep> steps_;
};

}  // namespace heed::server

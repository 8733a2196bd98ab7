// The intermediates of a pass as steps of a walk: what the observer gets by name, and of every
// attention the queries, keys, values, scores, mask and weights.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/models/model_config.h"
#include "heed/nn/pass.h"
#include "heed/tensor/shape.h"

namespace heed::server {

// Some rows of every step: tokens of its own side, or queries. A side with fewer rows than `first`
// + `count` shows its last ones.
struct RowWindow {
  int64_t first = 0;
  int64_t count = -1;  // -1: all

  RowWindow of(int64_t rows) const;  // inside this many rows, with a count
};

struct WalkStep {
  std::string name;        // "decoder.0.attention.scores"
  std::string layer = {};  // "decoder.0.attention"; empty for the whole
  std::string part = {};   // "scores"
  std::string formula = {};
  std::string side = {};  // whose tokens the rows are: source, target
  Shape shape = {};       // of the whole
  RowWindow rows = {};    // those that `values` has
  Tensor values = {};
  bool is_pairwise = false;  // queries against keys: its columns are tokens
};

class WalkObserver final : public Observer {
 public:
  // Of a model of this configuration, which must outlive it. Steps whose name is not wanted are not
  // kept, rows outside of the window not computed.
  WalkObserver(const ModelConfig& config, std::function<bool(const std::string&)> is_wanted,
               const RowWindow& window = {})
      : config_(config), is_wanted_(std::move(is_wanted)), window_(window) {}

  void value(std::string_view name, const Variable& x, const Rows& rows) override;
  void attention(std::string_view name, const AttentionCall& call) override;

  // In the order of the computation.
  const std::vector<WalkStep>& steps() const { return steps_; }

 private:
  void keep(WalkStep step);
  void keep_rows(WalkStep step, const Tensor& all);

  const ModelConfig& config_;
  std::function<bool(const std::string&)> is_wanted_;
  RowWindow window_;
  std::vector<WalkStep> steps_;
};

}  // namespace heed::server

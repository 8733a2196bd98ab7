// Which of a model's attention maps are meant: layers by name, number or kind, heads by number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/nn/attention_recorder.h"
#include "heed/run/task_input.h"

namespace heed::cli {

struct AttentionSelection {
  std::string kind = {};   // "self" or "cross"; empty: cross if there is any
  std::string layer = {};  // a name, a number among those of the kind, or "all"; empty: the last
  std::string head = {};   // a number or "all"; empty: the mean of all heads
};

// One map; its tokens are those of the input that the recorder has seen.
struct SelectedMap {
  std::string layer;
  int64_t head = -1;  // -1: the mean of all heads
  const std::vector<std::string>& queries;
  const std::vector<std::string>& keys;

  bool is_cross() const { return layer.ends_with("cross"); }
  Tensor weights(const AttentionRecorder& recorder) const;  // [T, S]
  std::string title() const;                                // "decoder.1.cross, head 2"
};

// In the order of the pass. What does not exist is an Error that says what does. `input` must
// outlive the result.
std::vector<SelectedMap> select_maps(const AttentionRecorder& recorder, const TaskInput& input,
                                     const AttentionSelection& selection);

}  // namespace heed::cli

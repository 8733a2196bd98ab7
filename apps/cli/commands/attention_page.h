// heed attention -m DIR -p TEXT -o map.html: the view Attend of the page with its data, as one
// file.
#pragma once

#include <string>

#include "heed/run/run_folder.h"
#include "heed/run/task_input.h"

namespace heed::cli {

// What the page holds: every head of `layer`, or of all layers if it is empty. Above
// kMaxPageWeights numbers, of an empty `layer` the last cross attention, or the last of all.
inline constexpr int64_t kMaxPageWeights = 4'000'000;

struct AttentionPage {
  std::string model;  // its name
  std::string text;   // what it read
  std::string layer;  // empty: all
};

std::string attention_page(const LoadedRun& run, const TaskInput& input, const AttentionPage& page);

}  // namespace heed::cli

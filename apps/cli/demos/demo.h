// A demo: one example, exercise or figure of the textbook, with its inputs as options.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/cli/demos/lesson.h"
#include "apps/cli/options/command_line.h"

namespace heed::cli {

struct Demo {
  std::string name;          // as it is typed
  std::string group;         // chapter of the textbook
  std::string about;         // one line
  std::string requirements;  // "R8", "R31-R34"
  std::string example;       // options that make it interesting
  // Adds the options and returns what to do with them.
  std::function<std::function<void(Lesson&)>(Command&)> prepare;
  bool trains = false;  // a model, at first: it has an option --steps
};

// A demo whose options are the fields of A.
template <typename A>
std::function<std::function<void(Lesson&)>(Command&)> with_options(
    void (*add)(Command& command, A& arguments), void (*show)(const A& arguments, Lesson& lesson)) {
  return [add, show](Command& command) {
    auto arguments = std::make_shared<A>();
    add(command, *arguments);
    return [arguments, show](Lesson& lesson) { show(*arguments, lesson); };
  };
}

// All of them, in the order of the textbook. Each function is in the file of its name.
std::vector<Demo> all_demos();

Demo pooling_demo();
Demo fuzzy_dictionary_demo();
Demo weightings_demo();
Demo first_approach_demo();
Demo gradients_demo();
Demo kernels_demo();
Demo regression_demo();
Demo regression_weights_demo();
Demo classification_demo();
Demo consistency_demo();
Demo no_key_in_reach_demo();
Demo scores_demo();
Demo gaussian_score_demo();
Demo additive_score_demo();
Demo masked_softmax_demo();
Demo causal_mask_demo();
Demo window_demo();
Demo fixed_size_demo();
Demo ragged_batch_demo();
Demo motivation_demo();
Demo self_attention_demo();
Demo position_free_demo();
Demo permutation_demo();
Demo variance_demo();
Demo saturation_demo();
Demo cross_attention_demo();
Demo bottleneck_demo();
Demo captions_demo();
Demo audio_demo();
Demo chained_attention_demo();
Demo multi_head_demo();
Demo blocks_demo();
Demo layer_norm_demo();
Demo residual_demo();
Demo positions_demo();
Demo position_modes_demo();
Demo word_order_demo();
Demo complexity_demo();
Demo parallel_demo();
Demo station_demo();
Demo tired_demo();
Demo probe_demo();

// Helpers of several demos.

// "1,0;0,1" as a matrix of float64; an Error names the option.
Tensor matrix_option(const std::string& option, const std::string& text);
// "(1, 1), (-1, 0)", or "10, 20" of rows of one number; at most eight rows.
std::string rows_text(const Tensor& rows);
// Queries as wide as the keys, and a value for each key; an Error names the options --q, --k, --v.
void check_pairs(const Tensor& q, const Tensor& k, const Tensor& v);
std::vector<int64_t> whole_list(const std::string& option, const std::string& text);
std::vector<std::string> word_list(const std::string& text);                // separated by spaces
std::vector<std::string> numbered(const std::string& name, int64_t count);  // "key 1", "key 2", ..
void add_seed(Command& command, uint64_t& seed);

}  // namespace heed::cli

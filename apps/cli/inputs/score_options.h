// The options that choose a score, for the commands that have one.
#pragma once

#include <optional>
#include <string>

#include "apps/cli/options/command_line.h"
#include "heed/attention/score.h"

namespace heed::cli {

inline constexpr const char* kScoreGroup = "Score";  // the heading of these options

struct ScoreArguments {
  std::string score = "scaled-dot";
  std::optional<double> scale = {};
  std::string width = {};  // "0.5" or "0.5,2"
  std::string w_q = {};
  std::string w_k = {};
  std::string w_v = {};
  std::string m = {};
};

void add_score_options(Command& command, ScoreArguments& arguments);
void add_width_option(Command& command, ScoreArguments& arguments);

// Raises a usage error for an option that the score does not have, or lacks.
void check_score_options(const ScoreArguments& arguments);

void check_width(const ScoreArguments& arguments);

// Loads the files of the learned scores; everything in `type`.
Score make_score(const ScoreArguments& arguments, DType type);

// True for boxcar, triangular, Epanechnikov and constant, whose values are weights themselves.
bool is_kernel(const std::string& score);

}  // namespace heed::cli

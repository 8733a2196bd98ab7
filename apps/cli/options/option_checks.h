// Checks of the command line, and help for words that were mistyped.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/cli/options/command_line.h"
#include "apps/cli/options/number_checks.h"

namespace heed::cli {

// The candidate that is most like `word`; empty if none is like it.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// The candidates that are like it, the likest first, `max_count` of them: those that it is a part
// of, or that have a part between hyphens like it, too.
std::vector<std::string> nearest_names(const std::string& word,
                                       const std::vector<std::string>& candidates,
                                       size_t max_count = 3);

// "unknown option '--casual'; did you mean '--causal'?", for an option or a command, of which there
// are these.
std::string unknown_argument(const std::string& argument, const std::vector<std::string>& options,
                             const std::vector<std::string>& commands);

// "unknown demo 'regresion'; did you mean 'regression' or 'regression-weights'? 'heed demo' lists
// them all".
std::string unknown_demo(const std::string& word, const std::vector<std::string>& demos);

// Accepts one of the names; otherwise the message suggests the nearest.
Check one_of(const std::vector<std::string>& names);

// "1,0.5" as numbers.
std::vector<double> number_list(const std::string& option, const std::string& text);

// An option without which a command makes no sense. (CLI11's own check comes before it looks for
// misspelled options, and would hide them.)
void require_option(const Command& command, const std::string& name);

// A figure is an SVG file, and its name says so. An empty name is allowed.
void require_svg(const std::string& option, const std::string& path);

// What the user typed makes no sense; the text says why, in one line.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A combination of options that cannot be meant: raises a UsageError.
[[noreturn]] void wrong_usage(const std::string& message);

}  // namespace heed::cli

// Checks of the command line, and help for words that were mistyped.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heed::cli {

// The candidate that is most like `word`; empty if none is like it.
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

// "unknown option '--casual'; did you mean '--causal'?", for a command or an option.
std::string unknown_argument(const CLI::App& command, const std::string& argument);

// Accepts one of the names; otherwise the message suggests the nearest.
CLI::Validator one_of(const std::vector<std::string>& names);

// Accept numbers only as they are described.
CLI::Validator positive_number();
CLI::Validator whole_number(int64_t low, int64_t high);

// "1,0.5" as numbers.
std::vector<double> number_list(const std::string& option, const std::string& text);

// An option without which a command makes no sense. (CLI11's own check comes before it looks for
// misspelled options, and would hide them.)
void require_option(const CLI::App& command, const std::string& name);

// A figure is an SVG file, and its name says so. No name is no mistake.
void require_svg(const std::string& option, const std::string& path);

// A combination of options that cannot be meant.
[[noreturn]] void wrong_usage(const std::string& message);

}  // namespace heed::cli

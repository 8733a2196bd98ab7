// How a command describes its options and reads them. CLI11 does the work in command_line.cpp; a
// file that includes CLI11 itself takes seconds to compile, so commands include this.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/options/number_checks.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace heed::cli {

// One option of a command: how the help shows it, and what it accepts.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& type_name(const std::string& name);  // what stands for the value: "FILE"
  Option& group(const std::string& heading);
  Option& expected(int min, int max);  // values that the option takes
  Option& one_at_a_time();             // a list that takes one value each time it is given
  Option& check(const Check& check);
  Option& may_be_empty();  // for texts; of other options an empty value is an error

 private:
  CLI::Option* option_;
};

// A command of the program. Copies describe the same command.
class Command {
 public:
  // Adds the command to the program.
  Command(CLI::App& program, const std::string& name, const std::string& about);

  // A command of this command: "heed demo kernels". The help lists it under `group`.
  Command add_command(const std::string& name, const std::string& about, const std::string& group);

  // What the user gives is stored in `slot`, which otherwise keeps its value and must live until
  // the command has run. Names are "-o,--output"; a name without dashes is positional.
  Option add_option(const std::string& names, std::string& slot, const std::string& help);
  Option add_option(const std::string& names, int& slot, const std::string& help);
  Option add_option(const std::string& names, int64_t& slot, const std::string& help);
  Option add_option(const std::string& names, uint64_t& slot, const std::string& help);
  Option add_option(const std::string& names, double& slot, const std::string& help);
  Option add_option(const std::string& names, std::optional<double>& slot, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& slot,
                    const std::string& help);
  // Hands the text of the value to `use` instead.
  Option add_option(const std::string& names, const std::function<void(const std::string&)>& use,
                    const std::string& help);
  Option add_flag(const std::string& names, bool& slot, const std::string& help);

  void footer(const std::string& text);  // the end of the help

  // Called when the command was chosen and its slots are filled.
  void callback(const std::function<void()>& call);

  // Did the user give the option?
  bool has(const std::string& name) const;

  // The first option of the group that the user gave; empty if there is none.
  std::string given_of(const std::string& group) const;

 private:
  explicit Command(CLI::App* app) : app_(app) {}

  CLI::App* app_;
};

}  // namespace heed::cli

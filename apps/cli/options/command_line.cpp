#include "apps/cli/options/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace heed::cli {
namespace {

const char* const kNotEmpty = "not empty";

// CLI11 takes an empty value for the empty one of its type, such as no file or 0.
Option with_value(CLI::Option* option) {
  const auto problem = [](const std::string& value) -> std::string {
    return value.empty() ? "the value is empty" : "";
  };
  option->check(CLI::Validator(problem, "", kNotEmpty));
  return Option(option);
}

}  // namespace

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return *this;
}

Option& Option::group(const std::string& heading) {
  option_->group(heading);
  return *this;
}

Option& Option::expected(int min, int max) {
  option_->expected(min, max);
  return *this;
}

Option& Option::one_at_a_time() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::check(const Check& check) {
  option_->check(CLI::Validator([check](std::string& value) { return check(value); }, ""));
  return *this;
}

Option& Option::may_be_empty() {
  option_->get_validator(kNotEmpty)->active(false);
  return *this;
}

Command::Command(CLI::App& program, const std::string& name, const std::string& about)
    : app_(program.add_subcommand(name, about)) {}

Command Command::add_command(const std::string& name, const std::string& about,
                             const std::string& group) {
  app_->require_subcommand(0, 1);
  CLI::App* command = app_->add_subcommand(name, about);
  command->group(group);
  return Command(command);
}

Option Command::add_option(const std::string& names, std::string& slot, const std::string& help) {
  return with_value(app_->add_option(names, slot, help));
}

Option Command::add_option(const std::string& names, int& slot, const std::string& help) {
  return with_value(app_->add_option(names, slot, help));
}

Option Command::add_option(const std::string& names, int64_t& slot, const std::string& help) {
  return with_value(app_->add_option(names, slot, help));
}

Option Command::add_option(const std::string& names, uint64_t& slot, const std::string& help) {
  return with_value(app_->add_option(names, slot, help)).check(natural_number());
}

Option Command::add_option(const std::string& names, double& slot, const std::string& help) {
  return with_value(app_->add_option(names, slot, help));
}

Option Command::add_option(const std::string& names, std::optional<double>& slot,
                           const std::string& help) {
  return with_value(app_->add_option(names, slot, help));
}

Option Command::add_option(const std::string& names, std::vector<std::string>& slot,
                           const std::string& help) {
  return Option(app_->add_option(names, slot, help));
}

Option Command::add_option(const std::string& names,
                           const std::function<void(const std::string&)>& use,
                           const std::string& help) {
  return with_value(app_->add_option_function<std::string>(names, use, help));
}

Option Command::add_flag(const std::string& names, bool& slot, const std::string& help) {
  return Option(app_->add_flag(names, slot, help));
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::callback(const std::function<void()>& call) { app_->callback(call); }

bool Command::has(const std::string& name) const { return app_->count(name) > 0; }

std::string Command::given_of(const std::string& group) const {
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->get_group() == group && option->count() > 0) return option->get_name();
  }
  return {};
}

}  // namespace heed::cli

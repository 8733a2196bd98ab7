// Settings of a training run as options of a command.
#pragma once

#include <span>
#include <vector>

#include "apps/cli/options/command_line.h"
#include "heed/run/settings.h"

namespace heed::cli {

// An option whose value is kept in `settings` until it is known what it applies to.
void add_setting(Command& command, const Setting& setting, TrainSettings& settings);

// Which of the settings that it offers the command line names.
std::vector<const Setting*> named_settings(const Command& command,
                                           std::span<const Setting* const> offered);

// Those of heed train, and those with these names.
std::vector<const Setting*> training_settings();
std::vector<const Setting*> settings_named(const std::vector<const char*>& names);

}  // namespace heed::cli

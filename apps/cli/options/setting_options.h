// Settings of a training run as options of a command.
#pragma once

#include <span>
#include <vector>

#include "apps/cli/options/command_line.h"
#include "heed/run/settings.h"

namespace heed::cli {

// An option whose value is kept in `settings` until it is known what it is laid upon.
void add_setting(Command& command, const Setting& setting, TrainSettings& settings);

// Lays what the command line names, of the settings that it offers, upon others. What was named is
// in `given`.
void lay_settings(const Command& command, std::span<const Setting* const> offered,
                  const TrainSettings& given, TrainSettings& settings);

// Those of heed train, and those with these names.
std::vector<const Setting*> training_settings();
std::vector<const Setting*> settings_named(std::span<const char* const> names);

}  // namespace heed::cli

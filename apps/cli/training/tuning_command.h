// What finetune, reward and align have in common: a model, data, settings, a folder for the run.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/run_arguments.h"
#include "apps/cli/training/training.h"

namespace heed::cli {

struct TuningArguments {
  TrainSettings settings;
  RunArguments run;
  std::string figure;
};

struct TuningCommand {
  std::string name;  // "finetune"
  std::string about;
  std::vector<const char*> settings;  // those that it offers, beside the usual ones
  // The way of tuning: heed::finetune, or one like it.
  RunResult (*tune)(const GivenSettings& given, const std::string& folder, RunEvents& events,
                    const TrainOptions& options);
  std::string footer;
  // Looks at the settings of a new run; may raise a UsageError.
  std::function<void(const TrainSettings&)> check = {};
  // Draws the run in a folder, for --figure; empty: there is no such option.
  std::function<void(const std::string& folder, const std::string& svg)> draw = {};
};

void add_tuning_command(CLI::App& app, Run& run, const TuningCommand& tuning);

}  // namespace heed::cli

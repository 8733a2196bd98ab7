// What a person asks for, applied to what is there already: the settings of a run that goes on,
// those of a file, or those of the model that a new run begins with.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/run/settings.h"

namespace heed {

struct HEED_API GivenSettings {
  GivenSettings() = default;

  // Those that differ from the defaults are given. A setting that is to have its default whatever
  // it is applied to must be named.
  GivenSettings(const TrainSettings& settings);  // NOLINT(google-explicit-constructor)

  TrainSettings settings = {};
  std::vector<const Setting*> named = {};  // those of `settings` that are given, besides the task
  // A file of settings beneath them: JSON by the names of the settings, or the config.json of a
  // run.
  std::string config = {};
};

// What becomes of the folder of a run.
struct TrainOptions {
  bool resume = false;     // go on with the run in the folder; if there is none, begin it
  bool overwrite = false;  // replace a run in the folder
  // Keep what the model attends to as it learns, in probe.jsonl.
  bool traces_attention = true;
  // Makes as many steps as take about so many minutes, 0.05 to 10000, instead of a number of steps
  // or epochs: the speed is measured before the first, and the number is kept in the settings. For
  // new runs.
  double minutes = 0;
  std::function<double()> clock = {};  // seconds, for `minutes`; empty: that of the machine
};

// What is named, applied to other settings. Steps replace epochs, and epochs steps.
HEED_API void apply_named(const GivenSettings& given, TrainSettings& settings);

// The settings of a run of heed train. A run that is resumed has those in its folder beneath. What
// a new run leaves open, and what says what parameters mean, comes from the run that `init-from`
// names; that, and what was given and does nothing, is reported in `notes`.
HEED_API TrainSettings new_settings(const GivenSettings& given, std::vector<std::string>& notes);
HEED_API TrainSettings resumed_settings(const GivenSettings& given, const std::string& folder,
                                        std::vector<std::string>& notes);

// With minutes, the number of steps is open, whatever a file says. An Error if it is named as well,
// or if the run has its steps already.
HEED_API void apply_minutes(const GivenSettings& given, const TrainOptions& options, bool resumed,
                            TrainSettings& settings);

}  // namespace heed

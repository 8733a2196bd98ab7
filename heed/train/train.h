// Training, from settings to a model in a folder: what heed train does.
//
//   heed::TrainSettings settings;
//   settings.task = heed::Task::translate;
//   settings.train = {"train.en", "train.de"};
//   heed::RunEvents silent;
//   heed::train(settings, "en-de", silent);
//   heed::load("en-de").translate("a house").text
//
// What is left open is chosen by the data. A run that was interrupted, at whatever instant, goes on
// from its last checkpoint and ends with the bits of one that was not.
#pragma once

#include <string>

#include "heed/base/export.h"
#include "heed/train/given_settings.h"
#include "heed/train/run_events.h"

namespace heed {

// Makes the folder. A folder that holds a run, neither resumed nor overwritten, is an Error; so is
// one in which another process trains. A loss that explodes raises Diverged.
HEED_API RunResult train(const GivenSettings& given, const std::string& folder, RunEvents& events,
                         const TrainOptions& options = {});

}  // namespace heed

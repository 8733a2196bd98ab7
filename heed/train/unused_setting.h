// Which settings mean something to which model, so that nobody trains another than was asked for.
#pragma once

#include <string>

#include "heed/base/export.h"
#include "heed/run/settings.h"

namespace heed {

// Why the setting of this name does nothing in such a run: "is for recurrent models (--model rnn or
// rnn-attention)". Empty if it does something.
HEED_API std::string why_unused(const std::string& name, const TrainSettings& settings);

}  // namespace heed

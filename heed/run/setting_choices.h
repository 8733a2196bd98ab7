// What settings choose from.
#pragma once

#include <cstdint>

#include "heed/data/encoding.h"
#include "heed/models/rnn_config.h"
#include "heed/nn/layer_kinds.h"
#include "heed/optim/optimizer.h"
#include "heed/optim/schedule.h"
#include "heed/run/task.h"

namespace heed {

// How the training data lies in its files; automatic: as the task and the name of a file say.
enum class FileFormat : uint8_t { automatic, tsv, csv, csv_no_header, conll, conllu };

enum class Preset : uint8_t { automatic, tiny, small, base };

// How a model is aligned with what people prefer.
enum class AlignMethod : uint8_t { none, reinforce, ppo, dpo };

}  // namespace heed

// The tokens that stand around a text that a model of Hugging Face reads, and the one that ends a
// text that it writes.
#pragma once

#include <string>

#include "heed/convert/converted_model.h"
#include "heed/convert/json_file_internal.h"

namespace heed {

// Sets begin and end of the config, and those of the tokenizer. `config` is config.json.
void set_special_tokens(const std::string& folder, const ForeignConfig& config,
                        ConvertedModel& result);

}  // namespace heed

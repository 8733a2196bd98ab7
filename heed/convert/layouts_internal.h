// One function per layout: fills the config and the weights.
#pragma once

#include "heed/convert/converted_model.h"
#include "heed/convert/foreign_weights.h"
#include "heed/convert/json_file_internal.h"

namespace heed {

void convert_bert(const ForeignConfig& config, ForeignWeights& weights, ConvertedModel& result);
void convert_gpt2(const ForeignConfig& config, ForeignWeights& weights, ConvertedModel& result);
void convert_llama(const ForeignConfig& config, ForeignWeights& weights, ConvertedModel& result);

}  // namespace heed

// The picture of an alignment: reward, true score and KL over the steps, and against each other.
#pragma once

#include <string>

namespace heed::cli {

// From the validations in log.jsonl of a run.
void write_align_figure(const std::string& folder, const std::string& svg);

}  // namespace heed::cli

// The true score of an answer, where somebody can tell it.
#pragma once

#include <functional>
#include <string>

namespace heed {

using Judge = std::function<double(const std::string& question, const std::string& answer)>;

}  // namespace heed

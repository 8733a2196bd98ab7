// Results that would be written over what they are made from.
#pragma once

#include <string>
#include <vector>

namespace heed::cli {

// An Error if the file `output`, given with `option`, is one of `inputs`, by whatever name. Empty
// names and inputs that are no files are passed over.
void refuse_overwriting(const std::string& option, const std::string& output,
                        const std::vector<std::string>& inputs);

}  // namespace heed::cli

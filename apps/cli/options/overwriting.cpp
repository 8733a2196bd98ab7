#include "apps/cli/options/overwriting.h"

#include <filesystem>

#include "heed/base/fail.h"

namespace heed::cli {

void refuse_overwriting(const std::string& option, const std::string& output,
                        const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (output.empty() || input.empty()) continue;
    std::error_code not_there;
    const bool is_file = std::filesystem::is_regular_file(output, not_there);
    check(!is_file || !std::filesystem::equivalent(output, input, not_there),
          "{} {} would replace {}, which is read; give another name", option, output, input);
  }
}

}  // namespace heed::cli

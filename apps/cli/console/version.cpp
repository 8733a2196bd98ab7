#include "apps/cli/console/version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/commit.h"
#include "heed/base/processor.h"
#include "heed/kernels/simd.h"

namespace heed::cli {
namespace {

std::string compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

std::string instruction_set() {
  const bool can_run = processor_fault(processor_features()).empty();
  return can_run ? kernels::isa_name() : "none that heed can use";
}

}  // namespace

std::string version_text(bool json) {
  const std::string commit = built_from_commit();
  if (json) {
    nlohmann::ordered_json page{{"version", HEED_VERSION}};
    if (!commit.empty()) page["commit"] = commit;
    page["compiler"] = compiler();
    page["instruction_set"] = instruction_set();
    return page.dump();
  }
  return fmt::format("heed {}\n{}compiler         {}\ninstruction set  {}", HEED_VERSION,
                     commit.empty() ? "" : fmt::format("commit           {}\n", commit), compiler(),
                     instruction_set());
}

}  // namespace heed::cli

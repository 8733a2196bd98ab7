#include "apps/cli/console/program_name.h"

namespace heed::cli {
namespace {

std::string& kept_name() {
  static std::string name = "heed";
  return name;
}

}  // namespace

const std::string& program_name() { return kept_name(); }

void set_program_name(const char* name) {
  if (name != nullptr && *name != '\0') kept_name() = name;
}

}  // namespace heed::cli

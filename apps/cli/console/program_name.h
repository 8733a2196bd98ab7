// How the program was called, for the commands that it advises.
#pragma once

#include <string>

namespace heed::cli {

// As typed: "heed", or a path such as "./build/heed".
const std::string& program_name();
void set_program_name(const char* name);

}  // namespace heed::cli

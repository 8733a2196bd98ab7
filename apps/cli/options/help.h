// How help is laid out.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

namespace heed::cli {

// Descriptions of options are wrapped, so that no line has more than 80 columns.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace heed::cli

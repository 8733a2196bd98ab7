// Results on stdout.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace heed::cli {

// An Error if it cannot be written. In a file or a pipe every byte stays as it is; on a terminal
// control characters, which data may hold to steer it, become '?', except line feeds and tabs.
void write_result(std::string_view text);

// print_result("{}\t{}\n", word, tag)
template <typename... Args>
void print_result(fmt::format_string<Args...> text, const Args&... args) {
  write_result(fmt::vformat(text, fmt::make_format_args(args...)));
}

// An Error if anything that was written to stdout since the start did not arrive.
void finish_results();

}  // namespace heed::cli

// Lines of files or of stdin, for commands that are filters.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heed::cli {

struct Line {
  std::string_view text;  // without the line feed; a carriage return stays
  const std::string& file;
  int64_t number;  // from 1
};

// Calls use(line) for every line of the files in turn; "-" and no files at all mean stdin. A last
// line without a line feed counts. Calls on_wait() before it waits for a pipe or a terminal: its
// writer may want an answer first.
void for_each_line(const std::vector<std::string>& files,
                   const std::function<void(const Line&)>& use,
                   const std::function<void()>& on_wait = {});

}  // namespace heed::cli

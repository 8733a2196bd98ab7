// What reading a file has found: where, and in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"

namespace heed {

// How often something was met, and the first few lines where.
struct HEED_API Places {
  static constexpr size_t kKept = 5;

  int64_t count = 0;
  std::vector<int64_t> lines;  // counted from 1

  void add(int64_t line);
};

// Something that a user should know about a file, in one sentence.
struct Finding {
  bool is_fault;  // must be put right, in the file or by an option
  std::string text;

  bool operator==(const Finding&) const = default;
};

}  // namespace heed

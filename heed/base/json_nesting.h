// How deep JSON is nested. The parser takes any depth, but JSON is copied, compared and written by
// recursion, and some megabytes of brackets would use up the stack. So text from outside is looked
// at before it is parsed.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "heed/base/fail.h"

namespace heed {

inline constexpr int kDeepestNesting = 64;  // of a file; those that heed knows have about 10

// How deep brackets are nested, as far as `max`; what is inside strings does not count.
inline int json_nesting(std::string_view text, int max) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size() && deepest <= max; ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

inline bool is_nested_too_deep(std::string_view text) {
  return json_nesting(text, kDeepestNesting) > kDeepestNesting;
}

inline void check_nesting(std::string_view text, const std::string& file) {
  check(!is_nested_too_deep(text),
        "{}: the JSON is nested deeper than {} levels; is this the right file?", file,
        kDeepestNesting);
}

}  // namespace heed

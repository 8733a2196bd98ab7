// fail() and check(): the short way to raise a heed::Error with a formatted message.
//
//   check(a.rank() == 2, "matmul: a must be [M, K], got {}", a.shape().text());
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "heed/base/error.h"

namespace heed {

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(fmt::format(text, std::forward<Args>(args)...));
}

template <typename... Args>
void check(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) [[unlikely]]
    fail(text, std::forward<Args>(args)...);
}

}  // namespace heed

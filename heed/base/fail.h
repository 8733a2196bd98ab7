// fail() and check(): the short way to raise a heed::Error with a formatted message.
//
//   check(a.rank() == 2, "matmul: a must be [M, K], got {}", a.shape());
//
// Arguments are turned into text only if the check fails. So pass tensors and shapes themselves,
// not their text(): small models check thousands of times in a second.
#pragma once

#include <fmt/format.h>

#include <concepts>
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

// Whatever says what it is by text().
template <typename T>
concept HasText = requires(const T& x) {
  { x.text() } -> std::same_as<std::string>;
};

}  // namespace heed

template <heed::HasText T>
struct fmt::formatter<T> : fmt::formatter<std::string> {
  template <typename Context>
  auto format(const T& x, Context& context) const {
    return fmt::formatter<std::string>::format(x.text(), context);
  }
};

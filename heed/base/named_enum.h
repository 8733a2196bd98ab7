// Enums whose values have names, in files and on the command line.
//
//   enum class Fruit : uint8_t { apple, pear };
//   inline std::span<const std::string_view> names_of(Fruit) { .. {"apple", "pear"} .. }
//
//   name_of(Fruit::pear)               "pear"
//   read_name("pear", fruit)           true, and fruit is Fruit::pear
//
// names_of lists the names in the order of the values. The empty name is that of a value which
// leaves the choice open, and of an optional without a value.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace heed {

template <typename E>
requires std::is_enum_v<E> std::string_view name_of(E value) {
  const auto names = names_of(value);
  const auto at = static_cast<size_t>(value);
  return at < names.size() ? names[at] : std::string_view();
}

template <typename E>
std::string_view name_of(const std::optional<E>& value) {
  return value ? name_of(*value) : std::string_view();
}

// False, and `value` stays, if there is no such name.
template <typename E>
requires std::is_enum_v<E>
bool read_name(std::string_view name, E& value) {
  const auto names = names_of(E());
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != name) continue;
    value = static_cast<E>(i);
    return true;
  }
  return false;
}

template <typename E>
bool read_name(std::string_view name, std::optional<E>& value) {
  if (name.empty()) {
    value.reset();
    return true;
  }
  E read{};
  if (!read_name(name, read)) return false;
  value = read;
  return true;
}

}  // namespace heed

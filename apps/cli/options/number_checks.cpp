#include "apps/cli/options/number_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace heed::cli {
namespace {

template <typename T>
std::optional<T> to_number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<double> number_in(const std::string& text) { return to_number<double>(text); }

Check positive_number() {
  return [](const std::string& value) -> std::string {
    const auto number = to_number<double>(value);
    if (number && *number > 0 && std::isfinite(*number)) return {};
    return fmt::format("'{}' is not a positive number", value);
  };
}

Check finite_number() {
  return [](const std::string& value) -> std::string {
    const auto number = to_number<double>(value);
    if (number && std::isfinite(*number)) return {};
    return fmt::format("'{}' is not a finite number", value);
  };
}

Check natural_number() {
  return [](const std::string& value) -> std::string {
    if (to_number<uint64_t>(value)) return {};
    return fmt::format("'{}' is not a whole number from 0 to {}", value, UINT64_MAX);
  };
}

Check number(double low, double high) {
  return [low, high](const std::string& value) -> std::string {
    const auto number = to_number<double>(value);
    if (number && *number >= low && *number <= high) return {};
    return fmt::format("'{}' is not a number from {} to {}", value, low, high);
  };
}

Check whole_number(int64_t low, int64_t high) {
  return [low, high](const std::string& value) -> std::string {
    const auto number = to_number<int64_t>(value);
    if (number && *number >= low && *number <= high) return {};
    return fmt::format("'{}' is not a whole number from {} to {}", value, low, high);
  };
}

}  // namespace heed::cli

#include <fmt/format.h>

#include "heed/text/jinja_value_internal.h"

namespace heed {
namespace {

constexpr std::string_view kJinjaSpace = " \t\n\r\f\v";

}  // namespace

bool JinjaValue::truth() const {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number != 0;
  if (string() != nullptr) return !string()->empty();
  if (list() != nullptr) return !list()->empty();
  return map() != nullptr && !map()->empty();
}

std::string JinjaValue::text() const {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return fmt::format("{}", *number);
  return string() != nullptr ? *string() : "";
}

JinjaList* JinjaValue::list() const {
  const auto* found = std::get_if<std::shared_ptr<JinjaList>>(&value);
  return found == nullptr ? nullptr : found->get();
}

JinjaMap* JinjaValue::map() const {
  const auto* found = std::get_if<std::shared_ptr<JinjaMap>>(&value);
  return found == nullptr ? nullptr : found->get();
}

JinjaValue JinjaScopes::get(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found != scope->end()) return found->second;
  }
  return {};
}

std::string_view trim_space_before(std::string_view text) {
  const size_t begin = text.find_first_not_of(kJinjaSpace);
  return begin == std::string_view::npos ? "" : text.substr(begin);
}

std::string_view trim_space_after(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kJinjaSpace) + 1);  // npos + 1 is 0
}

std::string_view trim_space(std::string_view text) {
  return trim_space_after(trim_space_before(text));
}

}  // namespace heed

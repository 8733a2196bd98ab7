#include <fmt/format.h>

#include "heed/base/fail.h"
#include "heed/chat/jinja_value_internal.h"

namespace heed {
namespace {

constexpr std::string_view kJinjaSpace = " \t\n\r\f\v";
constexpr size_t kMaxCopied = size_t{64} << 20;

}  // namespace

bool JinjaValue::truth() const {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number != 0;
  if (string() != nullptr) return !string()->empty();
  if (list() != nullptr) return !list()->empty();
  return map() != nullptr && !map()->list().empty();
}

std::string JinjaValue::text() const {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return fmt::format("{}", *number);
  check(list() == nullptr && map() == nullptr, "writing a list or a map as text is not supported");
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

JinjaValue& JinjaMap::operator[](const std::string& name) {
  for (auto& [key, value] : list_) {
    if (key == name) return value;
  }
  return list_.emplace_back(name, JinjaValue{}).second;
}

const JinjaValue* JinjaMap::find(const std::string& name) const {
  for (const auto& [key, value] : list_) {
    if (key == name) return &value;
  }
  return nullptr;
}

JinjaValue JinjaArguments::get(size_t place, const std::string& name) const {
  if (place < values.size()) return values[place];
  const JinjaValue* found = named.find(name);
  return found == nullptr ? JinjaValue{} : *found;
}

JinjaValue JinjaScopes::get(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const JinjaValue* found = scope->find(name)) return *found;
  }
  return {};
}

JinjaScopes JinjaScopes::outermost() const {
  JinjaScopes scopes = *this;
  scopes.scopes_.resize(1);
  return scopes;
}

void JinjaScopes::count_copied(size_t bytes) const {
  work_->copied += bytes;
  check(work_->copied <= kMaxCopied, "the template does not come to an end");
}

void JinjaScopes::count_copied(const JinjaValue& value) const {
  count_copied(sizeof(value) + (value.string() == nullptr ? 0 : value.string()->size()));
}

std::shared_ptr<JinjaMap> JinjaScopes::new_namespace() const {
  return work_->namespaces.emplace_back(std::make_shared<JinjaMap>());
}

JinjaWork::~JinjaWork() {
  for (const std::shared_ptr<JinjaMap>& one : namespaces) one->clear();
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

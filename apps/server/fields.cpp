#include "apps/server/fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/server/api_error.h"
#include "apps/server/field_listener.h"

namespace heed::server {

using nlohmann::json;

namespace {

const json kNothing;

std::string quoted_list(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "\"" : ", \"") + word + "\"";
  return list;
}

}  // namespace

Fields::Fields(const json& object, std::string prefix)
    : object_(&object), prefix_(std::move(prefix)) {}

void Fields::refuse(const std::string& name, const std::string& what) const {
  throw ApiError(400, fmt::format("{}{}: {}", prefix_, name, what), prefix_ + name);
}

thread_local const FieldListener::Hear* FieldListener::current = nullptr;

FieldListener::FieldListener(Hear hear) : hear_(std::move(hear)) { current = &hear_; }
FieldListener::~FieldListener() { current = nullptr; }

// The field itself; null if it is missing.
const json& Fields::ask(AskedField field) {
  known_.insert(field.name);
  const auto found = object_->find(field.name);
  if (FieldListener::current != nullptr) {
    field.name = prefix_ + field.name;
    (*FieldListener::current)(field);
  }
  return found == object_->end() ? kNothing : *found;
}

const json& Fields::value(const std::string& name) { return ask({.name = name, .kind = "any"}); }

bool Fields::has(const std::string& name) { return !value(name).is_null(); }

std::string Fields::text(const std::string& name) {
  if (!has(name)) refuse(name, "expected a string, but the field is missing");
  return text(name, {});
}

std::string Fields::text(const std::string& name, const std::string& otherwise) {
  const json& one = ask({.name = name, .kind = "text", .otherwise = otherwise});
  if (one.is_null()) return otherwise;
  if (!one.is_string()) refuse(name, fmt::format("expected a string, got {}", one.type_name()));
  return one.get<std::string>();
}

std::string Fields::one_of(const std::string& name, const std::string& otherwise,
                           const std::vector<std::string>& allowed) {
  ask({.name = name, .kind = "text", .otherwise = otherwise, .allowed = allowed});
  std::string word = text(name, otherwise);
  if (std::find(allowed.begin(), allowed.end(), word) == allowed.end()) {
    refuse(name, "expected one of " + quoted_list(allowed));
  }
  return word;
}

int64_t Fields::integer(const std::string& name, int64_t otherwise, IntegerRange range) {
  const json& one = ask({.name = name,
                         .kind = "whole",
                         .otherwise = otherwise,
                         .min = static_cast<double>(range.min),
                         .max = static_cast<double>(range.max)});
  if (one.is_null()) return otherwise;
  const std::string expected =
      fmt::format("expected a whole number from {} to {}", range.min, range.max);
  if (!one.is_number_integer()) {
    // 10.0 is as good as 10; what JavaScript writes as 1e3 arrives so.
    const double real = one.is_number_float() ? one.get<double>() : std::nan("");
    if (!(std::floor(real) == real && std::abs(real) < 1e15)) refuse(name, expected);
    const auto rounded = static_cast<int64_t>(real);
    if (rounded < range.min || rounded > range.max) refuse(name, expected);
    return rounded;
  }
  const bool is_huge = one.is_number_unsigned() && one.get<uint64_t>() > uint64_t{1} << 62;
  const int64_t number = is_huge ? INT64_MAX : one.get<int64_t>();
  if (number < range.min || number > range.max) refuse(name, expected);
  return number;
}

double Fields::number(const std::string& name, double otherwise, RealRange range) {
  const json& one = ask(
      {.name = name, .kind = "number", .otherwise = otherwise, .min = range.min, .max = range.max});
  if (one.is_null()) return otherwise;
  const std::string expected = fmt::format("expected a number from {} to {}", range.min, range.max);
  if (!one.is_number()) refuse(name, expected);
  const auto number = one.get<double>();
  if (!(number >= range.min && number <= range.max)) refuse(name, expected);
  return number;
}

bool Fields::flag(const std::string& name, bool otherwise) {
  const json& one = ask({.name = name, .kind = "flag", .otherwise = otherwise});
  if (one.is_null()) return otherwise;
  if (!one.is_boolean()) refuse(name, "expected true or false");
  return one.get<bool>();
}

std::vector<std::string> Fields::texts(const std::string& name, size_t max) {
  const json& all = ask({.name = name, .kind = "texts"});
  if (all.is_null()) return {};
  if (all.is_string()) return {all.get<std::string>()};
  const std::string expected = fmt::format("expected a string or a list of up to {} strings", max);
  if (!all.is_array() || all.size() > max) refuse(name, expected);
  std::vector<std::string> result;
  for (const json& one : all) {
    if (!one.is_string()) refuse(name, expected);
    result.push_back(one.get<std::string>());
  }
  return result;
}

std::vector<int64_t> Fields::integers(const std::string& name, size_t max, IntegerRange range) {
  const json& all = ask({.name = name, .kind = "wholes"});
  if (all.is_null()) return {};
  const std::string expected = fmt::format(
      "expected a list of up to {} whole numbers from {} to {}", max, range.min, range.max);
  if (!all.is_array() || all.size() > max) refuse(name, expected);
  std::vector<int64_t> result;
  for (const json& one : all) {
    const bool is_huge = one.is_number_unsigned() && one.get<uint64_t>() > uint64_t{1} << 62;
    if (!one.is_number_integer() || is_huge) refuse(name, expected);
    result.push_back(one.get<int64_t>());
    if (result.back() < range.min || result.back() > range.max) refuse(name, expected);
  }
  return result;
}

std::vector<double> Fields::numbers(const std::string& name, size_t max) {
  const json& all = ask({.name = name, .kind = "numbers"});
  if (all.is_null()) return {};
  const std::string expected = fmt::format("expected a list of up to {} numbers", max);
  if (!all.is_array() || all.size() > max) refuse(name, expected);
  std::vector<double> result;
  for (const json& one : all) {
    if (!one.is_number()) refuse(name, expected);
    result.push_back(one.get<double>());
  }
  return result;
}

std::vector<std::vector<double>> Fields::rows(const std::string& name, size_t max_numbers) {
  const json& all = ask({.name = name, .kind = "rows"});
  if (all.is_null()) return {};
  const std::string expected =
      fmt::format("expected a list of rows of equal length, up to {} numbers", max_numbers);
  if (!all.is_array()) refuse(name, expected);
  std::vector<std::vector<double>> result;
  size_t left = max_numbers;
  for (const json& row : all) {
    if (!row.is_array() || row.empty() || row.size() > left) refuse(name, expected);
    left -= row.size();
    std::vector<double>& to = result.emplace_back();
    for (const json& one : row) {
      if (!one.is_number()) refuse(name, expected);
      to.push_back(one.get<double>());
    }
    if (to.size() != result[0].size()) refuse(name, expected);
  }
  return result;
}

std::optional<Fields> Fields::object(const std::string& name) {
  const json& one = ask({.name = name, .kind = "object"});
  if (one.is_null()) return std::nullopt;
  if (!one.is_object()) refuse(name, fmt::format("expected an object, got {}", one.type_name()));
  return Fields(one, prefix_ + name + ".");
}

void Fields::reject_unknown_fields() const {
  for (const auto& [name, value] : object_->items()) {
    if (known_.contains(name)) continue;
    throw ApiError(400,
                   fmt::format("there is no field \"{}{}\"; this request has {}", prefix_,
                               name.substr(0, 64), quoted_list({known_.begin(), known_.end()})),
                   prefix_ + name.substr(0, 64));
  }
}

}  // namespace heed::server

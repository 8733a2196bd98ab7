#include <cmath>

#include "heed/base/fail.h"
#include "heed/base/json_nesting.h"
#include "heed/convert/json_file_internal.h"
#include "heed/tensor/storage.h"

namespace heed {
namespace {

constexpr size_t kLargest = 64 << 20;
constexpr int64_t kLargestNumber = int64_t{1} << 40;

}  // namespace

Json read_json_file(const std::string& path) {
  const auto file = Storage::map_file(path);
  check(file->bytes() <= kLargest, "{}: larger than {} MB", path, kLargest >> 20);
  const auto* text = reinterpret_cast<const char*>(file->data());
  check_nesting({text, file->bytes()}, path);
  Json json = Json::parse(text, text + file->bytes(), nullptr, false);
  check(json.is_object(), "{}: not a JSON object", path);
  return json;
}

int64_t ForeignConfig::integer(const char* name) const {
  check(has(name), "{}: there is no \"{}\"", path_, name);
  return integer(name, 0);
}

int64_t ForeignConfig::integer(const char* name, int64_t if_absent) const {
  if (!has(name)) return if_absent;
  const Json& value = json_[name];
  check(value.is_number_integer() && value.get<double>() > 0 &&
            value.get<double>() < static_cast<double>(kLargestNumber),
        "{}: \"{}\" must be a positive whole number, got {}", path_, name, value.dump());
  return value.get<int64_t>();
}

double ForeignConfig::real(const char* name, double if_absent) const {
  if (!has(name)) return if_absent;
  const Json& value = json_[name];
  check(value.is_number() && std::isfinite(value.get<double>()),
        "{}: \"{}\" must be a number, got {}", path_, name, value.dump());
  return value.get<double>();
}

bool ForeignConfig::flag(const char* name, bool if_absent) const {
  if (!has(name)) return if_absent;
  check(json_[name].is_boolean(), "{}: \"{}\" must be true or false, got {}", path_, name,
        json_[name].dump());
  return json_[name].get<bool>();
}

std::string ForeignConfig::text(const char* name, const std::string& if_absent) const {
  if (!has(name)) return if_absent;
  check(json_[name].is_string(), "{}: \"{}\" must be a string, got {}", path_, name,
        json_[name].dump());
  return json_[name].get<std::string>();
}

ForeignConfig ForeignConfig::object(const char* name) const {
  check(has(name) && json_[name].is_object(), "{}: \"{}\" must be an object, got {}", path_, name,
        has(name) ? json_[name].dump() : "nothing");
  return {fmt::format("{}: \"{}\"", path_, name), json_[name]};
}

std::vector<std::string> ForeignConfig::list(const char* name) const {
  std::vector<std::string> result;
  if (!has(name)) return result;
  check(json_[name].is_array(), "{}: \"{}\" must be a list", path_, name);
  for (const Json& one : json_[name]) {
    check(one.is_string(), "{}: \"{}\" must be a list of strings", path_, name);
    result.push_back(one.get<std::string>());
  }
  return result;
}

std::vector<std::string> ForeignConfig::by_number(const char* name) const {
  std::vector<std::string> result;
  if (!has(name)) return result;
  const Json& object = json_[name];
  check(object.is_object(), "{}: \"{}\" must be an object", path_, name);
  for (size_t i = 0; i < object.size(); ++i) {
    const std::string key = std::to_string(i);
    check(object.contains(key) && object[key].is_string(), "{}: \"{}\" has no string \"{}\"", path_,
          name, key);
    result.push_back(object[key].get<std::string>());
  }
  return result;
}

void ForeignConfig::refuse(const char* name, bool is_set) const {
  check(!is_set, "{}: heed has no model with \"{}\": {}", path_, name,
        has(name) ? json_[name].dump() : "absent");
}

}  // namespace heed

#include <limits>

#include "heed/base/fail.h"
#include "heed/base/json_nesting.h"
#include "heed/text/json.h"

namespace heed {

using nlohmann::json;

json parse_json(std::string_view text, const std::string& name) {
  check_nesting(text, name);
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::parse_error& error) {
    fail("{}: not valid JSON, at byte {}", name, error.byte);
  } catch (const json::exception&) {  // a number that is too large
    fail("{}: not valid JSON", name);
  }
}

const json& member(const json& object, const char* key, const std::string& name) {
  static const json none;
  check(object.is_object(), "{}: expected an object that has \"{}\", got {}", name, key,
        object.type_name());
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

const std::string& string_of(const json& value, const std::string& what) {
  check(value.is_string(), "{}: expected a string, got {}", what, value.type_name());
  return value.get_ref<const std::string&>();
}

int64_t integer_of(const json& value, const std::string& what) {
  check(value.is_number_integer(), "{}: expected a whole number, got {}", what,
        value.is_number() ? "a fraction" : value.type_name());
  check(!value.is_number_unsigned() ||
            value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
        "{}: the number is too large", what);
  return value.get<int64_t>();
}

bool bool_of(const json& value, bool if_null, const std::string& what) {
  if (value.is_null()) return if_null;
  check(value.is_boolean(), "{}: expected true or false, got {}", what, value.type_name());
  return value.get<bool>();
}

std::string json_text(std::string_view text) {
  return json(std::string(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace heed

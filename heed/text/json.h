// JSON whose every surprise is a heed::Error that names the file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed {

nlohmann::json parse_json(std::string_view text, const std::string& name);

// The member `key`, or null if there is none; an error if `object` is not an object.
const nlohmann::json& member(const nlohmann::json& object, const char* key,
                             const std::string& name);

// Values of the type that is expected; `what` names the value in the message.
const std::string& string_of(const nlohmann::json& value, const std::string& what);
int64_t integer_of(const nlohmann::json& value, const std::string& what);
bool bool_of(const nlohmann::json& value, bool if_null, const std::string& what);

// A string as JSON writes it, with the quotes.
std::string json_text(std::string_view text);

}  // namespace heed

// What readers of JSON lines share.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace heed {

using JsonRecord = nlohmann::ordered_json;  // fields in the order of the file

inline constexpr size_t kLongestFieldName = 40;  // in messages

bool begins_json_object(std::string_view line);

// Discarded if the line is no JSON, or nested too deep.
JsonRecord parse_json_record(std::string_view line);

// "prompt", "answer"; or: an empty object
std::string json_fields(const JsonRecord& record);

}  // namespace heed

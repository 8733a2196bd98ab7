// The body of a request as JSON, or an ApiError that says what is wrong with it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace heed::server {

inline constexpr int kDeepestRequest = 32;  // brackets inside brackets

// An object in UTF-8. Its fields are sorted: one with very many must not take quadratic time.
nlohmann::json parse_request(std::string_view body);

}  // namespace heed::server

#include "apps/server/parse_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/server/api_error.h"
#include "heed/base/json_nesting.h"

namespace heed::server {

nlohmann::json parse_request(std::string_view body) {
  if (body.empty()) {
    throw ApiError(400,
                   "the request has no body; expected a JSON object, as in {\"text\": \"..\"}");
  }
  if (json_nesting(body, kDeepestRequest) > kDeepestRequest) {
    throw ApiError(400, fmt::format("the JSON is nested deeper than {} levels", kDeepestRequest));
  }
  nlohmann::json request;
  try {
    request = nlohmann::json::parse(body);
  } catch (const nlohmann::json::parse_error& error) {
    throw ApiError(
        400, fmt::format("the request is not valid JSON in UTF-8: mistake at byte {}", error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    throw ApiError(400, "a number of the request is too large");
  }
  if (!request.is_object()) {
    throw ApiError(400, fmt::format("expected a JSON object, as in {{\"text\": \"..\"}}, got {}",
                                    request.type_name()));
  }
  return request;
}

}  // namespace heed::server

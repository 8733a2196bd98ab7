#include "apps/server/parse_request.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/server/api_error.h"

namespace heed::server {
namespace {

// How deep brackets are nested, as far as `most`; what is inside strings does not count.
int nesting(std::string_view text, int most) {
  int depth = 0, deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size() && deepest <= most; ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  }
  return deepest;
}

}  // namespace

nlohmann::json parse_request(std::string_view body) {
  if (body.empty()) {
    throw ApiError(400,
                   "the request has no body; expected a JSON object, as in {\"text\": \"..\"}");
  }
  if (nesting(body, kDeepestRequest) > kDeepestRequest) {
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

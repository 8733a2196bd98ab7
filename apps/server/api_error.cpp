#include "apps/server/api_error.h"

#include <nlohmann/json.hpp>

#include "apps/server/json_text.h"

namespace heed::server {
namespace {

const char* type_of(int status) {
  switch (status) {
    case 401: return "authentication_error";
    case 403: return "permission_error";
    case 404: return "not_found_error";
    case 429: return "rate_limit_error";
    default: return status < 500 ? "invalid_request_error" : "server_error";
  }
}

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string error_body(const ApiError& error) {
  const Json page{{"error",
                   {{"message", error.what()},
                    {"type", type_of(error.status())},
                    {"param", or_null(error.param())},
                    {"code", or_null(error.code())}}}};
  return page.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

HttpAnswer error_answer(const ApiError& error) {
  HttpAnswer answer{.status = error.status(), .body = error_body(error)};
  if (error.status() == 429 || error.status() == 503) answer.headers = {{"Retry-After", "1"}};
  if (error.status() == 401) answer.headers = {{"WWW-Authenticate", "Bearer"}};
  return answer;
}

ApiError plain_error(int status) {
  switch (status) {
    case 404: return {404, "there is nothing at this address; docs/openapi.json lists what is"};
    case 408: return {408, "the request did not arrive in time"};
    case 413: return {413, "the request is too large"};
    case 414: return {414, "the address is too long"};
    case 416: return {416, "this server sends whole answers only; leave Range out"};
    case 431: return {431, "the headers are too long"};
    default: break;
  }
  if (status >= 500) return {status, "the server made a mistake"};
  return {status, "this is not a valid HTTP request"};
}

}  // namespace heed::server

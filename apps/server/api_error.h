// What a request is refused with, in the form that OpenAI's clients know:
//
//   {"error": {"message": "...", "type": "invalid_request_error", "param": "n", "code": null}}
#pragma once

#include <stdexcept>
#include <string>

#include "apps/server/http.h"

namespace heed::server {

class ApiError : public std::runtime_error {
 public:
  ApiError(int status, const std::string& message, std::string param = {}, std::string code = {})
      : std::runtime_error(message),
        status_(status),
        param_(std::move(param)),
        code_(std::move(code)) {}

  int status() const { return status_; }
  const std::string& param() const { return param_; }
  const std::string& code() const { return code_; }

 private:
  int status_;
  std::string param_, code_;
};

std::string error_body(const ApiError& error);
HttpAnswer error_answer(const ApiError& error);

// The message of a status that httplib gives by itself.
ApiError plain_error(int status);

}  // namespace heed::server

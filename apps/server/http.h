// A request and its answer, without the library that carries them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heed::server {

struct HttpRequest {
  std::string method, path;                       // the path is decoded
  std::map<std::string, std::string> query = {};  // ?name=value
  std::string host, authorization, content_type;  // headers; empty without
  // The body, read when it is asked for; an ApiError if it is too large or does not come.
  std::function<std::string()> read_body;
  // The client has closed the connection, so that nobody waits for the answer.
  std::function<bool()> disconnected;
};

// Sends some bytes; false: the client is gone.
using Send = std::function<bool(std::string_view)>;

struct HttpAnswer {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Instead of a body: writes it piece by piece.
  std::function<void(const Send& send)> stream = {};
};

}  // namespace heed::server

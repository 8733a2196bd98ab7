// HTTP/1.1: connections in, answers out. cpp-httplib parses and formats; the sockets are read here,
// with limits that it does not have: on the time and size of a whole head and body, so that a
// client which sends a byte now and then holds a connection for seconds and not for ever.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "apps/server/http.h"
#include "apps/server/http_limits.h"

namespace heed::server {

class HttpServer {
 public:
  // Called by many threads at once. What it throws is answered with 500.
  using Handler = std::function<HttpAnswer(const HttpRequest& request)>;

  HttpServer(Handler handler, const HttpLimits& limits);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Port 0: any that is free. Returns the port, or -1 if it cannot be had.
  int bind(const std::string& host, int port);
  void serve();  // until stop(), and until the last answer is sent
  void stop();   // no new connections and requests; may be called by any thread
  void hurry();  // after stop(): clients that do not read their answers are given up

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace heed::server

// HTTP/1.1: connections in, answers out. cpp-httplib parses and formats; the sockets are read here,
// with limits that it does not have: on the time and size of a whole head and body, so that a
// client which sends a byte now and then holds a connection for seconds and not for ever.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "apps/server/http.h"

namespace heed::server {

struct HttpLimits {
  size_t head_bytes = 64 << 10;  // request line and headers
  size_t body_bytes = 2 << 20;   // after decompression
  double head_seconds = 10;      // for all of the head
  double body_seconds = 60;      // for all of the body
  double idle_seconds = 30;      // between two requests of a connection
  double write_seconds = 30;     // for the client to take some bytes
  int connections = 256;         // more are answered with 503
};

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

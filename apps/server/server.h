// The server: requests in, through keys, limits and the table of endpoints, answers out.
//
//   Server server({.models = {"run"}, .port = 0});
//   const int port = server.bind();
//   server.serve();                        // until stop(), which another thread calls
#pragma once

#include <memory>
#include <string>

#include "apps/server/service.h"

namespace heed::server {

class Server {
 public:
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int bind();    // the port; an Error if it cannot be had
  void serve();  // until stop()
  // No new requests; those that run have `grace` seconds, then they are canceled.
  void stop();

  Service& service() { return service_; }

 private:
  HttpAnswer answer(const HttpRequest& request);
  HttpAnswer route(const HttpRequest& request, std::string& name);
  void require_host(const HttpRequest& request) const;
  void require_key(const HttpRequest& request) const;

  Service service_;
  HttpServer http_;
};

// The keys of a file: a line each, without empty lines and those that begin with #.
std::vector<std::string> read_keys(const std::string& path);

bool is_loopback(const std::string& host);

}  // namespace heed::server

// A server of small random models in this process, and a client of plain sockets for it.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apps/server/server.h"
#include "tests/pipeline/small_runs.h"

namespace heed::server {

// A connection; closed when it goes.
class Connection {
 public:
  explicit Connection(int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(const std::string& text) const;
  // All that comes until the other side closes, or `until` came, or the time is over.
  std::string read(const std::string& until = {}, double seconds = 10) const;

 private:
  int socket_ = -1;
};

struct Reply {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body); }
  std::string message() const { return json()["error"]["message"]; }
};

// Of all that came on a connection; chunks are joined.
Reply parse_reply(const std::string& text);

using Headers = std::vector<std::pair<std::string, std::string>>;

class TestServer {
 public:
  explicit TestServer(ServerOptions options);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  int port() const { return port_; }
  Service& service() { return server_.service(); }
  Server& server() { return server_; }

  Reply get(const std::string& path, const Headers& headers = {}) const;
  Reply post(const std::string& path, const nlohmann::json& body,
             const Headers& headers = {}) const;
  // The body as it is.
  Reply post_text(const std::string& path, const std::string& body,
                  const Headers& headers = {}) const;
  // The objects of a stream of events, without [DONE], which must be there.
  std::vector<nlohmann::json> events(const std::string& path, const nlohmann::json& body) const;

 private:
  Server server_;
  int port_;
  std::thread thread_;
};

// The text of a request with a JSON body.
std::string request_text(const std::string& method, const std::string& path,
                         const std::string& body, const Headers& headers = {});

// The folder of a small run, written at the first call; its name is `task`-`model`.
std::string small_run(const SmallRun& small);

}  // namespace heed::server

// What every request meets: routes, keys, hosts, headers, limits.

#include <gtest/gtest.h>

#include "tests/server/client.h"

namespace heed::server {
namespace {

const TestServer& plain_server() {
  static const TestServer server({.models = {small_run({})}, .page = "<!doctype html>"});
  return server;
}

TEST(Protocol, Health) {
  const Reply reply = plain_server().get("/health");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.json()["status"], "ok");
  EXPECT_EQ(reply.json()["models"], nlohmann::json::array({"lm-transformer"}));
}

TEST(Protocol, SafeHeaders) {
  for (const char* path : {"/", "/health", "/nowhere"}) {
    const Reply reply = plain_server().get(path, {{"Accept-Encoding", "gzip, br"}});
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
    EXPECT_NE(reply.headers.at("content-security-policy").find("default-src 'none'"),
              std::string::npos);
    EXPECT_FALSE(reply.headers.contains("content-encoding"));
    EXPECT_FALSE(reply.headers.contains("access-control-allow-origin"));
  }
  EXPECT_EQ(plain_server().get("/").headers.at("content-type"), "text/html; charset=utf-8");
}

TEST(Protocol, Models) {
  const Reply reply = plain_server().get("/v1/models");
  EXPECT_EQ(reply.json()["object"], "list");
  EXPECT_EQ(reply.json()["data"][0]["id"], "lm-transformer");
  EXPECT_EQ(plain_server().get("/v1/models/lm-transformer").json()["object"], "model");
  const Reply unknown = plain_server().get("/v1/models/other");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(unknown.json()["error"]["code"], "model_not_found");
}

TEST(Protocol, UnknownRoutesAndMethods) {
  for (const char* path : {"/nowhere", "/v1", "/v1/models/", "/../../etc/passwd",
                           "/%2e%2e/%2e%2e/etc/passwd", "/health/", "//health", "/v1/models/a/b",
                           "/config.json", "/%00", "/v1/models/%2e%2e%2fconfig.json"}) {
    const Reply reply = plain_server().get(path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_FALSE(reply.message().empty());
  }
  const Reply wrong = plain_server().post("/health", {});
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.at("allow"), "GET");
  EXPECT_EQ(plain_server().get("/v1/completions").status, 405);
}

TEST(Protocol, OnlyThisMachinesNames) {
  EXPECT_EQ(plain_server().get("/health", {{"Host", "127.0.0.1:1234"}}).status, 200);
  EXPECT_EQ(plain_server().get("/health", {{"Host", "[::1]:1234"}}).status, 200);
  const Reply reply = plain_server().get("/health", {{"Host", "evil.example:8080"}});
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.json()["error"]["code"], "wrong_host");
}

TEST(Protocol, Keys) {
  const TestServer server(
      {.models = {small_run({})}, .keys = {"one", "second key"}, .page = "<!doctype html>"});
  EXPECT_EQ(server.get("/health").status, 200);
  EXPECT_EQ(server.get("/").status, 200);
  EXPECT_EQ(server.get("/v1/models").status, 401);
  EXPECT_EQ(server.get("/v1/models", {{"Authorization", "Bearer onE"}}).status, 401);
  EXPECT_EQ(server.get("/v1/models", {{"Authorization", "one"}}).status, 401);
  EXPECT_EQ(server.get("/v1/models", {{"Authorization", "Bearer one"}}).status, 200);
  EXPECT_EQ(server.get("/v1/models", {{"Authorization", "Bearer second key"}}).status, 200);
  const Reply reply = server.post("/v1/completions", {{"prompt", "a"}});
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.json()["error"]["type"], "authentication_error");
}

TEST(Protocol, OneConnectionForManyRequests) {
  const Connection connection(plain_server().port());
  for (int i = 0; i < 20; ++i) {
    connection.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const Reply reply = parse_reply(connection.read("}\n"));
    EXPECT_EQ(reply.status, 200);
  }
  // Two at once, the second with a body in pieces.
  connection.send(
      "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
      "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      "7\r\n{\"input\r\n9\r\n\": \"the\"}\r\n0\r\n\r\n");
  const std::string both = connection.read();
  EXPECT_NE(both.find("\"status\":\"ok\""), std::string::npos);
  EXPECT_NE(both.find("\"embedding\""), std::string::npos) << both;
}

// Clients give a connection up by what this header says.
TEST(Protocol, KeepAliveIsTrue) {
  const TestServer server({.models = {small_run({})}, .http = {.idle_seconds = 1.7}});
  const std::string head = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
  const Connection connection(server.port());
  for (int i = 0; i < 20; ++i) {
    connection.send(head + "\r\n");
    const Reply reply = parse_reply(connection.read("}\n"));
    EXPECT_EQ(reply.headers.at("keep-alive"), "timeout=1");
    EXPECT_FALSE(reply.headers.contains("connection"));
  }
  EXPECT_EQ(connection.read({}, 1), "");
  connection.send(head + "\r\n");
  EXPECT_EQ(parse_reply(connection.read("}\n")).status, 200);
  // Nor is it promised where the connection is closed.
  for (const char* more : {"Connection: close\r\n\r\n", "Content-Length: 1\r\n\r\nx"}) {
    const Connection closed(server.port());
    closed.send(head + more);
    const Reply reply = parse_reply(closed.read());
    EXPECT_EQ(reply.headers.at("connection"), "close");
    EXPECT_FALSE(reply.headers.contains("keep-alive")) << reply.headers.at("keep-alive");
  }
}

TEST(Protocol, Metrics) {
  plain_server().post("/v1/completions", {{"prompt", "the"}, {"max_tokens", 3}, {"seed", 1}});
  const Reply reply = plain_server().get("/metrics");
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find("heed_answers_total{route=\"/v1/completions\",status=\"200\"}"),
            std::string::npos);
  EXPECT_NE(reply.body.find("heed_first_token_seconds_count"), std::string::npos);
}

TEST(Protocol, TooManyConnections) {
  const TestServer server({.models = {small_run({})}, .http = {.connections = 2}});
  const Connection one(server.port()), two(server.port());
  one.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  two.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  one.read("}\n");
  two.read("}\n");
  const Reply reply = server.get("/health");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
}

}  // namespace
}  // namespace heed::server

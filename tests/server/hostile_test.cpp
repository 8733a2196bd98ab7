// Requests that no good client sends: the right status, a clear message, and the server lives.

#include <gtest/gtest.h>

#include <chrono>

#include "apps/server/api_error.h"
#include "apps/server/parse_request.h"
#include "tests/server/client.h"

namespace heed::server {
namespace {

using nlohmann::json;

TestServer& strict_server() {
  static TestServer server(
      {.models = {small_run({})},
       .http = {
           .body_bytes = 100000, .head_seconds = 0.5, .body_seconds = 0.5, .idle_seconds = 1}});
  return server;
}

class Hostile : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(strict_server().get("/health").status, 200); }
};

TEST_F(Hostile, BodiesThatAreNoRequest) {
  const std::string bodies[] = {"",
                                "{",
                                "nothing",
                                "[1, 2]",
                                "\"text\"",
                                "{\"prompt\": \"a\"} more",
                                "{\"prompt\": \"\xff\xfe\"}",
                                "{\"prompt\": \"\xc0\xaf\"}",
                                "{\"prompt\": \"\\ud800\"}",
                                "{\"prompt\": \"a\", \"n\": 1e999}",
                                "{\"prompt\": \"a\", \"n\": -1e-999999}",
                                "{\"prompt\": \"a\", \"max_tokens\": 1e18}",
                                "{\"prompt\": \"a\", \"seed\": 99999999999999999999999}",
                                "{\"prompt\": NaN}",
                                "{\"prompt\": {\"a\": []}}",
                                std::string("{\"prompt\": \"a\0b\"}", 17)};
  for (const std::string& body : bodies) {
    const Reply reply = strict_server().post_text("/v1/completions", body);
    EXPECT_EQ(reply.status, 400) << body << reply.body;
    EXPECT_FALSE(reply.message().empty());
  }
}

TEST_F(Hostile, DeepNesting) {
  for (const char* open : {"[", "{\"a\":", "[{\"a\":"}) {
    std::string body = "{\"prompt\": ";
    while (body.size() < 90000) body += open;
    const Reply reply = strict_server().post_text("/v1/completions", body);
    EXPECT_EQ(reply.status, 400);
    EXPECT_NE(reply.message().find("nested"), std::string::npos);
  }
  // Brackets inside strings are text.
  const std::string text(1000, '[');
  EXPECT_EQ(parse_request(json{{"prompt", text}}.dump())["prompt"], text);
  EXPECT_EQ(parse_request(R"({"a": "\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["})").size(), 1u);
}

TEST_F(Hostile, ManyFields) {
  std::string body = "{\"prompt\": \"a\", \"max_tokens\": 1";
  for (int i = 0; body.size() < 99000; ++i) body += ",\"" + std::to_string(i) + "\":0";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(strict_server().post_text("/v1/completions", body + "}").status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(Hostile, LargeBodies) {
  // Refused by its length, before it is read.
  const Connection connection(strict_server().port());
  connection.send(
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 104857600\r\n\r\n");
  const Reply reply = parse_reply(connection.read());
  EXPECT_EQ(reply.status, 413);
  EXPECT_EQ(reply.headers.at("connection"), "close");
  // In chunks, whose sum is not announced.
  const Connection chunks(strict_server().port());
  chunks.send(
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "4000\r\n" + std::string(0x4000, ' ') + "\r\n";
  for (int i = 0; i < 20; ++i) chunks.send(chunk);
  EXPECT_EQ(parse_reply(chunks.read()).status, 413);
  for (const char* length : {"-1", "99999999999999999999999", "abc"}) {
    const Connection odd(strict_server().port());
    odd.send(
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: " +
        std::string(length) + "\r\n\r\n{}");
    const int status = parse_reply(odd.read()).status;
    EXPECT_TRUE(status == 400 || status == 413) << length << " " << status;
  }
}

TEST_F(Hostile, SlowClients) {
  const auto begin = std::chrono::steady_clock::now();
  const Connection head(strict_server().port()), body(strict_server().port()),
      idle(strict_server().port());
  head.send("GET /health HTTP/1.1\r\nHost: ");
  body.send(
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 1000\r\n\r\n{");
  std::string head_reply, body_reply;
  for (int i = 0; i < 8; ++i) {  // a byte now and then does not prolong the time
    head.send("a");
    body.send(" ");
    head_reply += head.read("}\n", 0.1);
    body_reply += body.read("}\n", 0.1);
  }
  EXPECT_EQ(parse_reply(head_reply).status, 408) << head_reply;
  EXPECT_EQ(parse_reply(body_reply).status, 408) << body_reply;
  EXPECT_EQ(idle.read(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(Hostile, HeadsThatAreNone) {
  const std::pair<std::string, int> heads[] = {
      {"nonsense\r\n\r\n", 400},
      {"GET\r\n\r\n", 400},
      {"GET /health HTTP/9.9\r\n\r\n", 400},
      {"FROB /health HTTP/1.1\r\n\r\n", 400},
      {std::string(100, '\0') + "\r\n\r\n", 400},
      {"GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n\r\n", 414},
      {"GET /health HTTP/1.1\r\nX: " + std::string(200000, 'a') + "\r\n\r\n", 431},
  };
  for (const auto& [head, status] : heads) {
    const Connection connection(strict_server().port());
    connection.send(head);
    const int got = parse_reply(connection.read({}, 3)).status;
    EXPECT_TRUE(got == status || got == 400) << head.substr(0, 40) << " " << got;
  }
  std::string many = "GET /health HTTP/1.1\r\n";
  for (int i = 0; i < 20000; ++i) many += "A" + std::to_string(i) + ": b\r\n";
  const Connection connection(strict_server().port());
  connection.send(many + "\r\n");
  EXPECT_EQ(parse_reply(connection.read({}, 3)).status, 431);
}

TEST_F(Hostile, HeaderInjection) {
  for (const char* path : {"/v1/models/a%0d%0aSet-Cookie:%20x=1", "/a%0aX-Evil:%201"}) {
    const Reply reply = strict_server().get(path);
    EXPECT_EQ(reply.status, 404);
    EXPECT_FALSE(reply.headers.contains("set-cookie"));
    EXPECT_FALSE(reply.headers.contains("x-evil"));
  }
}

TEST_F(Hostile, OtherContentTypes) {
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data; boundary=x", "multipart/form-data"}) {
    const Connection connection(strict_server().port());
    connection.send("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: " +
                    std::string(type) + "\r\nContent-Length: 2\r\n\r\n{}");
    EXPECT_EQ(parse_reply(connection.read()).status, 415);
  }
  const Connection none(strict_server().port());
  none.send(
      "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n");
  EXPECT_EQ(parse_reply(none.read("}\n")).status, 400);
}

// A page at a name of its own that begins like an address must not reach the server either.
TEST_F(Hostile, NamesThatLookLikeThisMachine) {
  for (const char* host :
       {"127.example.org", "127.0.0.1.example.org:8080", "localhost.example.org"}) {
    EXPECT_EQ(strict_server().get("/v1/models", {{"Host", host}}).status, 403) << host;
  }
  for (const char* host : {"127.0.0.1:8080", "127.1.2.3", "localhost:1", "[::1]:8080"}) {
    EXPECT_EQ(strict_server().get("/v1/models", {{"Host", host}}).status, 200) << host;
  }
}

TEST_F(Hostile, AnswersAreNeverParts) {
  const Reply whole = strict_server().get("/v1/models");
  const Reply same = strict_server().get("/v1/models", {{"Range", "bytes=0-10"}});
  EXPECT_EQ(same.status, 200);
  EXPECT_EQ(same.body, whole.body);
}

TEST_F(Hostile, SeveralLengths) {
  for (const char* lengths :
       {"Content-Length: 2\r\nContent-Length: 20\r\n", "Content-Length: -2\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 2x\r\n"}) {
    const Connection connection(strict_server().port());
    connection.send(
        "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
        std::string(lengths) + "\r\n{}");
    const Reply reply = parse_reply(connection.read());
    EXPECT_EQ(reply.status, 400) << lengths << reply.body;
    EXPECT_NE(reply.message().find("Content-Length"), std::string::npos) << reply.body;
  }
}

size_t count_answers(const std::string& text) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find("HTTP/1.1 ", at)) != std::string::npos; ++at) ++count;
  return count;
}

// A body is no request. A proxy that uses a connection again would give its answer to somebody
// else.
TEST_F(Hostile, BodiesWhereNoneIsExpected) {
  const std::string request = "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string length = "Content-Length: " + std::to_string(request.size()) + "\r\n";
  const std::string bodies[] = {
      length + "\r\n" + request,
      "Content-Length: 0\r\n" + length + "\r\n" + request,
      "Content-Length: 0x\r\n\r\n" + request,
      "Transfer-Encoding: chunked\r\n\r\n2c\r\n" + request + "\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + request,
      "Transfer-Encoding: identity\r\n\r\n" + request};
  for (const char* method : {"GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"}) {
    for (const char* path : {"/v1/models", "/nowhere"}) {
      for (const std::string& body : bodies) {
        const Connection connection(strict_server().port());
        connection.send(method + std::string(" ") + path + " HTTP/1.1\r\nHost: localhost\r\n" +
                        body);
        const std::string text = connection.read({}, 5);
        EXPECT_EQ(count_answers(text), 1u) << method << " " << path << " " << body << text;
        EXPECT_EQ(parse_reply(text).headers["connection"], "close") << text;
      }
    }
  }
  // Without a body the connection is used again.
  const Connection connection(strict_server().port());
  connection.send("GET /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n" +
                  request);
  EXPECT_EQ(count_answers(connection.read({}, 5)), 2u);
}

TEST_F(Hostile, UnknownFieldsOfOwnEndpoints) {
  const Reply reply = strict_server().post("/api/generate", {{"prompt", "a"}, {"temprature", 1}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.json()["error"]["param"], "temprature");
}

}  // namespace
}  // namespace heed::server

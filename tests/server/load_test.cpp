// Many clients, impatient clients, and the end of the server.

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "tests/server/client.h"

namespace heed::server {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

const json kLong = {{"prompt", "the"},  {"max_tokens", 4000}, {"min_tokens", 4000},
                    {"temperature", 1}, {"seed", 1},          {"stream", true}};

std::string long_request() { return request_text("POST", "/v1/completions", kLong.dump()); }

// Waits until the worker has nothing to do.
bool is_idle(TestServer& server, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const InferenceWorkerCounts counts = server.service().worker().counts();
    if (counts.queued + counts.running == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(Load, AFullQueueSays429) {
  TestServer server({.models = {small_run({})}, .worker = {.queue = 2, .sequences = 1}});
  std::vector<std::unique_ptr<Connection>> busy;
  for (int i = 0; i < 3; ++i) {  // one is written, two wait
    busy.push_back(std::make_unique<Connection>(server.port()));
    busy.back()->send(long_request());
    if (i == 0) busy[0]->read("data: {");
  }
  while (server.service().worker().counts().queued < 2) std::this_thread::yield();
  const Reply reply = server.post("/v1/completions", {{"prompt", "a"}});
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.headers.at("retry-after"), "1");
  EXPECT_EQ(reply.json()["error"]["type"], "rate_limit_error");
  EXPECT_EQ(server.post("/v1/embeddings", {{"input", "a"}}).status, 429);
  EXPECT_EQ(server.get("/health").status, 200);
  busy.clear();
  EXPECT_TRUE(is_idle(server, 5));
  EXPECT_EQ(server.post("/v1/completions", {{"prompt", "a"}}).status, 200);
}

// Far more clients than the server takes: each is refused or answered right, and those that come
// back are answered in the end.
TEST(Load, WhoIsRefusedComesBack) {
  TestServer server(
      {.models = {small_run({})}, .worker = {.queue = 3, .sequences = 2}, .max_tokens = 1 << 20});
  json endless = kLong;
  endless["max_tokens"] = endless["min_tokens"] = 1 << 20;
  std::vector<std::unique_ptr<Connection>> busy;
  for (int i = 0; i < 2; ++i) {
    busy.push_back(std::make_unique<Connection>(server.port()));
    busy.back()->send(request_text("POST", "/v1/completions", endless.dump()));
    busy.back()->read("data: {");
  }
  constexpr int kClients = 24;
  std::atomic<int> refused = 0;
  std::vector<std::future<json>> texts;
  for (int i = 0; i < kClients; ++i) {
    texts.push_back(std::async(std::launch::async, [&server, &refused, i]() -> json {
      while (true) {
        const Reply reply = server.post(
            "/v1/completions", {{"prompt", "the"}, {"max_tokens", 9}, {"seed", i}, {"n", 1}});
        if (reply.status == 200) return reply.json()["choices"][0]["text"];
        EXPECT_EQ(reply.status, 429) << reply.body;
        EXPECT_EQ(reply.headers.at("retry-after"), "1");
        EXPECT_EQ(reply.json()["error"]["code"], "queue_full");
        if (reply.status != 429) return nullptr;
        ++refused;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }));
  }
  const auto end = Clock::now() + std::chrono::seconds(5);
  while (refused < 2 * kClients && Clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GT(refused, 0);
  // A stream is refused before it begins, and n texts for one request as a whole.
  EXPECT_EQ(server.post("/v1/completions", kLong).status, 429);
  EXPECT_EQ(server.post("/v1/completions", {{"prompt", "the"}, {"n", 5}}).status, 429);
  busy.clear();
  for (int i = 0; i < kClients; ++i) {
    const GeneratedText expected = server.service().models()[0].pipeline.generate(
        "the", {.max_tokens = 9, .sampling = {.temperature = 1, .seed = static_cast<uint64_t>(i)}});
    EXPECT_EQ(
        texts[i].get(),
        json::parse(json(expected.text).dump(-1, ' ', false, json::error_handler_t::replace)));
  }
  EXPECT_TRUE(is_idle(server, 5));
  const std::string counted = server.get("/metrics").body;
  EXPECT_NE(counted.find("status=\"429\""), std::string::npos) << counted;
}

TEST(Load, WhoGoesAwayIsNotWrittenFor) {
  TestServer server({.models = {small_run({})}});
  for (const bool stream : {true, false}) {
    json request = kLong;
    request["stream"] = stream;
    auto connection = std::make_unique<Connection>(server.port());
    connection->send(request_text("POST", "/v1/completions", request.dump()));
    while (server.service().worker().counts().running == 0) std::this_thread::yield();
    connection.reset();
    EXPECT_TRUE(is_idle(server, 2));
  }
}

TEST(Load, TheTimeLimit) {
  TestServer server({.models = {small_run({})}, .max_tokens = 1 << 20, .seconds = 0.1});
  json request = kLong;
  request["stream"] = false;
  request["max_tokens"] = request["min_tokens"] = 1 << 20;
  const Reply reply = server.post("/v1/completions", request);
  EXPECT_EQ(reply.status, 504);
  request["stream"] = true;
  const std::vector<json> events = server.events("/v1/completions", request);
  EXPECT_EQ(events.back()["error"]["code"], "timeout");
  EXPECT_TRUE(is_idle(server, 5));
}

TEST(Load, RunningRequestsEndWhenTheServerStops) {
  auto server = std::make_unique<TestServer>(ServerOptions{.models = {small_run({})}, .grace = 30});
  json request = kLong;
  request["max_tokens"] = request["min_tokens"] = 300;
  const Connection connection(server->port());
  connection.send(request_text("POST", "/v1/completions", request.dump()));
  std::string text = connection.read("data: {");  // and what came with it
  const Connection idle(server->port());
  const int port = server->port();
  server.reset();
  text += connection.read();
  EXPECT_NE(text.find("[DONE]"), std::string::npos);
  EXPECT_EQ(idle.read(), "");
  EXPECT_GT(port, 0);
}

TEST(Load, AfterTheGraceTheyAreCanceled) {
  auto server = std::make_unique<TestServer>(
      ServerOptions{.models = {small_run({})}, .max_tokens = 1 << 20, .grace = 0.1});
  json request = kLong;
  request["max_tokens"] = request["min_tokens"] = 1 << 20;
  const Connection connection(server->port());
  connection.send(request_text("POST", "/v1/completions", request.dump()));
  connection.read("data: {");
  const auto begin = Clock::now();
  std::future<std::string> rest = std::async(std::launch::async, [&] { return connection.read(); });
  server.reset();
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(5));
  EXPECT_NE(rest.get().find("stopping"), std::string::npos);
}

// What was written for it fills the buffers of the connection.
TEST(Load, AClientThatDoesNotReadIsNotWaitedFor) {
  auto server = std::make_unique<TestServer>(
      ServerOptions{.models = {small_run({})}, .max_tokens = 1 << 20, .grace = 1});
  json request = kLong;
  request["max_tokens"] = request["min_tokens"] = 1 << 20;
  const Connection connection(server->port());
  connection.send(request_text("POST", "/v1/completions", request.dump()));
  connection.read("data: {");
  const auto begin = Clock::now();
  server.reset();
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(10));
}

// Some read to the end, some leave: what is read is right.
TEST(Load, ManyClientsSomeOfWhomLeave) {
  TestServer server({.models = {small_run({})}, .worker = {.sequences = 8}});
  const Pipeline& pipeline = server.service().models()[0].pipeline;
  std::vector<std::future<std::string>> replies;
  for (int i = 0; i < 40; ++i) {
    replies.push_back(std::async(std::launch::async, [&server, i]() -> std::string {
      if (i % 4 == 3) {
        const Connection connection(server.port());
        connection.send(long_request());
        connection.read("data: {");
        return "left";
      }
      return server
          .post("/v1/completions",
                {{"prompt", "the"}, {"max_tokens", 20}, {"seed", i}, {"temperature", 1}})
          .json()["choices"][0]["text"];
    }));
  }
  for (int i = 0; i < 40; ++i) {
    const std::string text = replies[i].get();
    if (i % 4 == 3) continue;
    const GeneratedText expected = pipeline.generate(
        "the",
        {.max_tokens = 20, .sampling = {.temperature = 1, .seed = static_cast<uint64_t>(i)}});
    EXPECT_EQ(
        json(text),
        json::parse(json(expected.text).dump(-1, ' ', false, json::error_handler_t::replace)));
  }
  EXPECT_TRUE(is_idle(server, 5));
}

}  // namespace
}  // namespace heed::server

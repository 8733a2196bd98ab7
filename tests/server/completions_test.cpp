// /v1/completions, /v1/chat/completions and /v1/embeddings.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <future>

#include "heed/chat/chat_template.h"
#include "tests/server/client.h"

namespace heed::server {
namespace {

using nlohmann::json;

TestServer& shared() {
  static TestServer server(
      {.models = {small_run({}), small_run({.task = Task::translate}),
                  small_run({.task = Task::translate, .model = ModelKind::prefix})}});
  return server;
}

const Pipeline& pipeline(const std::string& id) { return shared().service().model(id).pipeline; }

GenerateTextOptions options_of(const json& request) {
  GenerateTextOptions options;
  options.max_tokens = request.value("max_tokens", 16);
  options.sampling.temperature = request.value("temperature", 1.0);
  options.sampling.top_p = request.value("top_p", 1.0);
  options.sampling.seed = request.value("seed", 0u);
  if (request.contains("stop")) options.stop = request["stop"].get<std::vector<std::string>>();
  return options;
}

// What the pipeline writes for the request by itself, which is what the command line prints.
GeneratedText alone(const json& request, uint64_t sample = 0) {
  const Pipeline& model = pipeline(request.value("model", ""));
  GenerateTextOptions options = options_of(request);
  options.sample = sample;
  const std::string prompt = request["prompt"];
  return model.task() == Task::lm ? model.generate(prompt, options)
                                  : model.translate(prompt, options);
}

TEST(Completions, SameTextAsThePipeline) {
  const json requests[] = {
      {{"prompt", "the small"}, {"temperature", 0}},
      {{"prompt", "Anna"}, {"seed", 3}, {"max_tokens", 30}},
      {{"prompt", ""}, {"seed", 4}, {"top_p", 0.5}},
      {{"prompt", "the"}, {"seed", 5}, {"stop", {"a", "e"}}},
      {{"prompt", "the red car"}, {"model", "translate-transformer"}, {"temperature", 0}},
  };
  for (const json& request : requests) {
    const Reply reply = shared().post("/v1/completions", request);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json page = reply.json();
    const GeneratedText expected = alone(request);
    EXPECT_EQ(page["object"], "text_completion");
    EXPECT_EQ(
        page["choices"][0]["text"],
        json::parse(json(expected.text).dump(-1, ' ', false, json::error_handler_t::replace)));
    EXPECT_EQ(page["choices"][0]["finish_reason"],
              expected.generation.ending == Ending::limit ? "length" : "stop");
    EXPECT_EQ(page["usage"]["completion_tokens"], expected.generation.log_probabilities.size());
  }
}

TEST(Completions, SeveralTextsAndPrompts) {
  const json request = {{"prompt", {"the", "Anna sees"}}, {"n", 3}, {"seed", 7}};
  const json page = shared().post("/v1/completions", request).json();
  ASSERT_EQ(page["choices"].size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    json one = request;
    one["prompt"] = request["prompt"][i / 3];
    EXPECT_EQ(page["choices"][i]["index"], i);
    const std::string text = alone(one, i % 3).text;
    EXPECT_EQ(page["choices"][i]["text"],
              json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)));
  }
}

TEST(Completions, StreamJoinsToTheWhole) {
  for (const char* stop : {"zzz", "e"}) {
    json request = {{"prompt", "the old"}, {"seed", 9},
                    {"max_tokens", 40},    {"stop", stop},
                    {"logprobs", 2},       {"stream_options", {{"include_usage", true}}}};
    const json whole = shared().post("/v1/completions", request).json();
    request["stream"] = true;
    std::string text;
    std::vector<double> probabilities;
    json reason, usage;
    for (const json& event : shared().events("/v1/completions", request)) {
      if (event.contains("usage")) usage = event["usage"];
      if (event["choices"].empty()) continue;
      const json& choice = event["choices"][0];
      text += choice["text"].get<std::string>();
      if (!choice["logprobs"].is_null()) {
        probabilities.push_back(choice["logprobs"]["token_logprobs"][0]);
        EXPECT_FALSE(choice["logprobs"]["top_logprobs"][0].empty());
      }
      if (!choice["finish_reason"].is_null()) reason = choice["finish_reason"];
    }
    EXPECT_EQ(text, whole["choices"][0]["text"].get<std::string>());
    EXPECT_EQ(reason, whole["choices"][0]["finish_reason"]);
    EXPECT_EQ(usage, whole["usage"]);
    EXPECT_EQ(json(probabilities), whole["choices"][0]["logprobs"]["token_logprobs"]);
  }
}

TEST(Completions, EchoAndLogprobs) {
  const json page = shared()
                        .post("/v1/completions", {{"prompt", "the"},
                                                  {"temperature", 0},
                                                  {"max_tokens", 4},
                                                  {"echo", true},
                                                  {"logprobs", 3}})
                        .json();
  EXPECT_TRUE(page["choices"][0]["text"].get<std::string>().starts_with("the"));
  const json& found = page["choices"][0]["logprobs"];
  ASSERT_EQ(found["tokens"].size(), 4u);
  EXPECT_EQ(found["text_offset"][0], 3);
  EXPECT_LE(found["token_logprobs"][0].get<double>(), 0);
}

// Tokens that are parts of characters are told apart, as OpenAI does it.
TEST(Completions, LogprobsOfBytes) {
  const json page =
      shared()
          .post("/v1/completions",
                {{"prompt", "the"}, {"temperature", 0}, {"max_tokens", 8}, {"logprobs", 20}})
          .json();
  bool has_bytes = false;
  for (const json& top : page["choices"][0]["logprobs"]["top_logprobs"]) {
    EXPECT_EQ(top.size(), 20u) << top;
    for (const auto& [token, value] : top.items()) {
      EXPECT_EQ(token.find("\xef\xbf\xbd"), std::string::npos) << token;
      has_bytes = has_bytes || token.starts_with("bytes:\\x");
    }
  }
  EXPECT_TRUE(has_bytes) << page;
}

TEST(Completions, ManyAtOnceAreLikeOneByOne) {
  std::vector<std::future<Reply>> replies;
  std::vector<json> requests;
  for (int i = 0; i < 24; ++i) {
    requests.push_back({{"prompt", i % 2 == 0 ? "the small" : "Paul lives in"},
                        {"seed", i},
                        {"max_tokens", 5 + i},
                        {"model", i % 3 == 0 ? "translate-prefix" : "lm-transformer"}});
    replies.push_back(std::async(std::launch::async, [request = requests.back()] {
      return shared().post("/v1/completions", request);
    }));
  }
  for (size_t i = 0; i < replies.size(); ++i) {
    const Reply reply = replies[i].get();
    ASSERT_EQ(reply.status, 200) << reply.body;
    const std::string text = alone(requests[i]).text;
    EXPECT_EQ(reply.json()["choices"][0]["text"],
              json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)));
  }
}

TEST(Completions, Mistakes) {
  const std::pair<json, const char*> requests[] = {
      {json::object(), "prompt"},
      {{{"prompt", 5}}, "prompt"},
      {{{"prompt", {1, 2}}}, "prompt"},
      {{{"prompt", "a"}, {"n", 0}}, "n"},
      {{{"prompt", "a"}, {"n", 1e30}}, "n"},
      {{{"prompt", "a"}, {"max_tokens", -1}}, "max_tokens"},
      {{{"prompt", "a"}, {"max_tokens", 1 << 30}}, "max_tokens"},
      {{{"prompt", "a"}, {"max_tokens", "5"}}, "max_tokens"},
      {{{"prompt", "a"}, {"max_tokens", 18446744073709551615ull}}, "max_tokens"},
      {{{"prompt", "a"}, {"temperature", -1}}, "temperature"},
      {{{"prompt", "a"}, {"top_p", 2}}, "top_p"},
      {{{"prompt", "a"}, {"stop", {""}}}, "stop"},
      {{{"prompt", "a"}, {"stream", 1}}, "stream"},
      {{{"prompt", "a"}, {"logprobs", 1000}}, "logprobs"},
  };
  for (const auto& [request, param] : requests) {
    const Reply reply = shared().post("/v1/completions", request);
    EXPECT_EQ(reply.status, 400) << request;
    EXPECT_EQ(reply.json()["error"]["param"], param) << reply.body;
    EXPECT_EQ(reply.json()["error"]["type"], "invalid_request_error");
  }
  EXPECT_EQ(shared().post("/v1/completions", {{"prompt", "a"}, {"model", "x"}}).status, 404);
  const std::string long_text(5000, 'a');
  EXPECT_EQ(shared().post("/v1/completions", {{"prompt", long_text}}).status, 400);
}

// What heed cannot do is not answered as if it were not there; what asks for nothing is.
void expect_unbuilt(const TestServer& server, const std::string& path, const json& request) {
  const json tool = {{"type", "function"}, {"function", {{"name", "f"}}}};
  const std::pair<const char*, std::vector<json>> refused[] = {
      {"response_format",
       {{{"type", "json_object"}},
        {{"type", "json_schema"}, {"json_schema", {{"name", "a"}, {"schema", json::object()}}}}}},
      {"tools", {json::array({tool})}},
      {"tool_choice", {"required", {{"type", "function"}, {"function", {{"name", "f"}}}}}},
      {"logit_bias", {{{"5", -100}}}},
      {"suffix", {"the end"}},
      {"best_of", {3}},
      {"grammar", {"root ::= [0-9]+"}},
  };
  for (const auto& [name, values] : refused) {
    for (const json& value : values) {
      json body = request;
      body["n"] = 2;
      body[name] = value;
      for (const bool is_stream : {false, true}) {
        body["stream"] = is_stream;
        const Reply reply = server.post(path, body);
        ASSERT_EQ(reply.status, 400) << body << reply.body;
        EXPECT_EQ(reply.json()["error"]["param"], name) << reply.body;
        EXPECT_EQ(reply.json()["error"]["type"], "invalid_request_error");
        EXPECT_GT(reply.message().size(), 20u);
      }
    }
  }
  json nothing = {{"response_format", {{"type", "text"}}},
                  {"tools", json::array()},
                  {"tool_choice", "auto"},
                  {"logit_bias", json::object()},
                  {"suffix", ""},
                  {"best_of", 2},
                  {"grammar", ""},
                  {"n", 2},
                  {"seed", 3}};
  nothing.update(request);
  const Reply asked = server.post(path, nothing);
  EXPECT_EQ(asked.status, 200) << asked.body;
  nothing["tool_choice"] = "none";
  EXPECT_EQ(server.post(path, nothing).json()["choices"], asked.json()["choices"]);
  for (const auto& [name, values] : refused) nothing[name] = nullptr;
  EXPECT_EQ(server.post(path, nothing).json()["choices"], asked.json()["choices"]);
}

TEST(Completions, WhatIsNotBuiltIsRefused) {
  expect_unbuilt(shared(), "/v1/completions", {{"prompt", "a"}, {"max_tokens", 3}});
}

TEST(Chat, NeedsATemplate) {
  const Reply reply = shared().post("/v1/chat/completions",
                                    {{"messages", {{{"role", "user"}, {"content", "hello"}}}}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.json()["error"]["code"], "no_dialogue_template");
}

TEST(Chat, AnswersLikeThePipeline) {
  const std::string folder = write_small_run(small_run({}) + "-chat", {});
  RunConfig config = read_run_config(folder);
  config.chat = default_chat_template(*load_run(folder).tokenizer);
  write_run_config(folder, config);
  TestServer server({.models = {folder}});
  json request = {{"messages",
                   {{{"role", "system"}, {"content", "be small"}},
                    {{"role", "user"}, {"content", {{{"type", "text"}, {"text", "the"}}}}}}},
                  {"seed", 5},
                  {"max_tokens", 8}};
  const Reply reply = server.post("/v1/chat/completions", request);
  ASSERT_EQ(reply.status, 200) << reply.body;
  const json page = reply.json();
  EXPECT_EQ(page["object"], "chat.completion");
  GenerateTextOptions options = options_of(request);
  const std::vector<ChatMessage> messages = {{"system", "be small"}, {"user", "the"}};
  const std::string text = server.service().models()[0].pipeline.chat(messages, options).text;
  EXPECT_EQ(page["choices"][0]["message"]["content"],
            json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)));
  request["stream"] = true;
  std::string joined;
  for (const json& event : server.events("/v1/chat/completions", request)) {
    EXPECT_EQ(event["object"], "chat.completion.chunk");
    joined += event["choices"][0]["delta"].value("content", "");
  }
  EXPECT_EQ(joined, page["choices"][0]["message"]["content"]);
  request.erase("stream");
  expect_unbuilt(server, "/v1/chat/completions", request);
  request["messages"] = json::array();
  EXPECT_EQ(server.post("/v1/chat/completions", request).status, 400);
  request["messages"] = {{{"role", "king"}, {"content", "x"}}};
  EXPECT_EQ(server.post("/v1/chat/completions", request).status, 400);
}

std::vector<float> floats_of(const json& vector) {
  if (vector.is_array()) return vector.get<std::vector<float>>();
  std::vector<unsigned char> bytes;
  uint32_t bits = 0, count = 0;
  for (const char c : vector.get<std::string>()) {
    if (c == '=') break;
    const std::string_view all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = (bits << 6) | static_cast<uint32_t>(all.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<unsigned char>(bits >> count));
    }
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

// The direction of the pipeline's vector, of length 1: an inner product is a cosine.
TEST(Embeddings, HaveLengthOne) {
  const std::vector<std::string> texts = {"the small red car", "Anna"};
  for (const char* id : {"lm-transformer", "translate-transformer", "translate-prefix"}) {
    const std::vector<Tensor> expected = pipeline(id).embed(texts);
    for (const char* format : {"float", "base64"}) {
      const json page = shared()
                            .post("/v1/embeddings",
                                  {{"model", id}, {"input", texts}, {"encoding_format", format}})
                            .json();
      for (size_t i = 0; i < texts.size(); ++i) {
        const std::vector<float> vector = floats_of(page["data"][i]["embedding"]);
        ASSERT_EQ(static_cast<int64_t>(vector.size()), expected[i].size());
        double norm = 0, expected_norm = 0;
        for (size_t c = 0; c < vector.size(); ++c) {
          const double own = vector[c], other = expected[i].data<float>()[c];
          norm += own * own;
          expected_norm += other * other;
        }
        EXPECT_NEAR(std::sqrt(norm), 1, 1e-6);
        for (size_t c = 0; c < vector.size(); ++c) {
          EXPECT_NEAR(vector[c], expected[i].data<float>()[c] / std::sqrt(expected_norm), 1e-6);
        }
      }
    }
  }
}

// As many tokens as the model reads, and no more: nothing is cut.
TEST(Embeddings, LongTextsAreRefused) {
  const auto many = [](size_t count) {
    std::string text = "a";
    for (size_t i = 1; i < count; ++i) text += "!a";  // no merge of the tokenizer has these
    return text;
  };
  struct Limit {
    const char* id;
    int64_t max;
  };
  for (const Limit& limit : {Limit{"lm-transformer", kSmallContext},
                             Limit{"translate-transformer", kSmallContext / 2 - 2}}) {
    const Tokenizer& tokenizer = pipeline(limit.id).tokenizer();
    size_t fits = 1;
    const auto length = [&](size_t count) {
      return static_cast<int64_t>(tokenizer.encode(many(count)).size());
    };
    while (length(fits + 1) <= limit.max) ++fits;
    const auto ask = [&](const json& input) {
      return shared().post("/v1/embeddings", {{"model", limit.id}, {"input", input}});
    };
    const Reply whole = ask(many(fits));
    ASSERT_EQ(whole.status, 200) << whole.body;
    const Reply reply = ask({"the car", many(fits + 1)});
    ASSERT_EQ(reply.status, 400) << limit.id;
    const json error = reply.json()["error"];
    EXPECT_EQ(error["code"], "context_length_exceeded");
    EXPECT_EQ(error["param"], "input");
    EXPECT_NE(reply.message().find(std::to_string(length(fits + 1))), std::string::npos);
    EXPECT_NE(reply.message().find(std::to_string(limit.max)), std::string::npos);
    EXPECT_EQ(ask(std::string(5000, 'a')).status, 400);
  }
}

// What was read, with the tokens that the model wants around a text.
TEST(Embeddings, UsageIsWhatWasRead) {
  for (const char* id : {"lm-transformer", "translate-transformer"}) {
    const json page =
        shared().post("/v1/embeddings", {{"model", id}, {"input", {"the car", "Anna"}}}).json();
    const Pipeline& model = pipeline(id);
    int64_t read = 0;
    for (const char* text : {"the car", "Anna"}) {
      read += model.embed(text, {.pool = EmbedPool::none}).dim(0);
    }
    EXPECT_EQ(page["usage"]["prompt_tokens"], read) << id;
    EXPECT_EQ(page["usage"]["total_tokens"], read);
    EXPECT_FALSE(page["usage"].contains("completion_tokens"));
  }
}

TEST(Embeddings, OtherWidthsAreRefused) {
  for (const json& dimensions : {json(), json(16)}) {
    EXPECT_EQ(shared().post("/v1/embeddings", {{"input", "a"}, {"dimensions", dimensions}}).status,
              200);
  }
  for (const json& dimensions : {json(8), json(17), json(0)}) {
    const Reply reply =
        shared().post("/v1/embeddings", {{"input", "a"}, {"dimensions", dimensions}});
    EXPECT_EQ(reply.status, 400) << dimensions;
    EXPECT_EQ(reply.json()["error"]["param"], "dimensions");
    EXPECT_NE(reply.message().find("16"), std::string::npos) << reply.message();
  }
}

}  // namespace
}  // namespace heed::server

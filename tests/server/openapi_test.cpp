// docs/openapi.json and the endpoints say the same: addresses, and the fields of requests with
// their types, ranges, choices and defaults.

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "apps/server/api_error.h"
#include "apps/server/field_listener.h"
#include "apps/server/route.h"
#include "heed/chat/chat_template.h"
#include "tests/server/client.h"

namespace heed::server {
namespace {

using nlohmann::json;

const json& openapi() {
  static const json page = [] {
    std::ifstream in(HEED_TEST_DATA "/../../docs/openapi.json");
    return json::parse(in);
  }();
  return page;
}

// A model for each endpoint; the first leads conversations.
Service& all_models() {
  static const std::string chat = [] {
    const std::string folder = write_small_run(small_run({}) + "-openapi", {});
    RunConfig config = read_run_config(folder);
    config.chat = default_chat_template(*load_run(folder).tokenizer);
    write_run_config(folder, config);
    return folder;
  }();
  static Service service({.models = {chat, small_run({.task = Task::translate}),
                                     small_run({.task = Task::classify, .labels = {"bad", "good"}}),
                                     small_run({.task = Task::tag, .labels = {"O", "B"}})}});
  return service;
}

// Requests that are answered and that lead through every branch of the reading.
std::vector<json> requests_of(const std::string& path) {
  const json row = {1, 2}, rows = {{1, 2}, {3, 4}};
  const json part = {{"type", "text"}, {"text", "the"}};
  const json message = {{"role", "user"}, {"content", json::array({part})}};
  const std::map<std::string, std::vector<json>> requests = {
      {"/v1/completions",
       {{{"prompt", "a"},
         {"stream_options", json::object()},
         {"response_format", {{"type", "text"}}}}}},
      {"/v1/chat/completions",
       {{{"messages", json::array({message})},
         {"stream_options", json::object()},
         {"response_format", {{"type", "text"}}},
         {"max_completion_tokens", 2}},
        {{"messages", json::array({{{"role", "user"}, {"content", "the"}}})}}}},
      {"/v1/embeddings", {{{"input", "a"}}}},
      {"/api/tokenize", {{{"text", "a"}}}},
      {"/api/generate", {{{"prompt", "a"}, {"attention", json::object()}, {"stream", false}}}},
      {"/api/translate",
       {{{"model", "translate-transformer"}, {"text", "a"}},
        {{"model", "translate-transformer"}, {"texts", json::array({"a"})}}}},
      {"/api/classify",
       {{{"model", "classify-transformer"}, {"text", "a"}},
        {{"model", "classify-transformer"}, {"texts", json::array({"a"})}}}},
      {"/api/tag",
       {{{"model", "tag-transformer"}, {"text", "a"}},
        {{"model", "tag-transformer"}, {"texts", json::array({"a"})}}}},
      {"/api/score", {{{"text", "the small"}}}},
      {"/api/attention", {{{"text", "the small"}}}},
      {"/api/hidden", {{{"text", "the small"}}}},
      {"/api/walk", {{{"text", "the small"}}}},
      {"/api/regress", {{{"x", row}, {"y", row}, {"query", row}}}},
      {"/api/learn/masked-softmax", {{{"scores", rows}, {"lengths", row}}}},
      {"/api/learn/scaled-softmax", {{{"scores", row}, {"scales", row}}}},
      {"/api/learn/score-variance", {{{"widths", row}}}},
      {"/api/learn/positions", {json::object()}},
      {"/api/learn/query", {{{"q", row}, {"keys", rows}, {"values", rows}}}},
      {"/api/learn/self-attention",
       {json::object(), {{"x", rows}, {"w_q", rows}, {"w_k", rows}, {"w_v", rows}}}},
  };
  const auto found = requests.find(path);
  return found == requests.end() ? std::vector<json>() : found->second;
}

HttpAnswer ask(const Route& route, const json& body) {
  HttpRequest http;
  http.disconnected = [] { return false; };
  return route.endpoint(all_models(), {.http = http, .body = body});
}

using Asked = std::map<std::string, std::vector<AskedField>>;

Asked asked_by(const Route& route) {
  Asked asked;
  for (const json& body : requests_of(route.path)) {
    const FieldListener listener([&](const AskedField& one) { asked[one.name].push_back(one); });
    try {
      EXPECT_EQ(ask(route, body).status, 200) << route.path;
    } catch (const std::exception& error) {
      ADD_FAILURE() << route.path << ": " << error.what();
    }
  }
  return asked;
}

using Schemas = std::map<std::string, json>;

// The fields of a schema by their full names, with those of objects inside, as Fields names them.
void collect(const json& schema, const std::string& prefix, Schemas& fields) {
  const json properties = schema.value("properties", json::object());
  for (const auto& [name, field] : properties.items()) {
    if (field.value("description", "") == "Ignored") continue;
    fields[prefix + name] = field;
    collect(field, prefix + name + ".", fields);
    if (field.contains("items")) collect(field["items"], prefix + name + ".", fields);
    // Parts of a message are named without the message.
    for (const json& way : field.value("oneOf", json::array())) {
      if (way.contains("items")) collect(way["items"], name + ".", fields);
    }
  }
}

std::string type_name(const json& schema) {
  const std::string type = schema["type"];
  return type == "array" ? "[" + type_name(schema["items"]) + "]" : type;
}

std::set<std::string> types_of(const json& schema) {
  std::set<std::string> types;
  for (const json& way : schema.value("oneOf", json::array({schema}))) {
    types.insert(type_name(way));
  }
  return types;
}

const std::map<std::string, std::set<std::string>> kTypes = {{"text", {"string"}},
                                                             {"whole", {"integer"}},
                                                             {"number", {"number"}},
                                                             {"flag", {"boolean"}},
                                                             {"texts", {"string", "[string]"}},
                                                             {"wholes", {"[integer]"}},
                                                             {"numbers", {"[number]"}},
                                                             {"rows", {"[[number]]"}},
                                                             {"object", {"object"}},
                                                             {"any", {}}};

void compare(const AskedField& one, const json& schema, const std::string& where) {
  const bool is_only = schema.value("description", "").starts_with("Only ");
  if (one.min && schema.contains("minimum") && !is_only) {
    EXPECT_EQ(*one.min, schema["minimum"].get<double>()) << where;
  }
  if (one.max && schema.contains("maximum") && !is_only) {
    EXPECT_EQ(*one.max, schema["maximum"].get<double>()) << where;
  }
  if (!one.otherwise.is_null() && schema.contains("default")) {
    EXPECT_EQ(one.otherwise, schema["default"]) << where;
  }
  if (!one.allowed.empty()) {
    EXPECT_EQ(json(one.allowed), schema.value("enum", json())) << where;
  }
}

const json& request_schema(const std::string& path) {
  return openapi()["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
}

TEST(OpenApi, TheSameAddresses) {
  std::set<std::string> served, described;
  for (const Route& route : routes()) served.insert(std::string(route.method) + " " + route.path);
  for (const auto& [path, methods] : openapi()["paths"].items()) {
    for (const auto& [method, what] : methods.items()) {
      if (method == "get" || method == "post") {
        described.insert((method == "get" ? "GET " : "POST ") + path);
      }
    }
  }
  EXPECT_EQ(served, described);
}

TEST(OpenApi, TheSameFields) {
  for (const Route& route : routes()) {
    if (std::string(route.method) != "POST") continue;
    const std::string path = route.path;
    const Asked asked = asked_by(route);
    ASSERT_FALSE(asked.empty()) << path << ": give an example to requests_of()";
    Schemas described;
    collect(request_schema(path), "", described);
    for (const auto& [name, ways] : asked) {
      const std::string where = path + " " + name;
      if (!described.contains(name)) {
        ADD_FAILURE() << where << " is read, but docs/openapi.json does not have it";
        continue;
      }
      const json& schema = described[name];
      std::set<std::string> types;
      bool is_any = false;
      for (const AskedField& one : ways) {
        types.insert(kTypes.at(one.kind).begin(), kTypes.at(one.kind).end());
        is_any = is_any || one.kind == "any";
        compare(one, schema, where);
      }
      std::set<std::string> said = types_of(schema);
      EXPECT_TRUE(is_any || types == said) << where;
      for (const std::string& type : types) EXPECT_TRUE(said.contains(type)) << where << type;
    }
    for (const auto& [name, schema] : described) {
      EXPECT_TRUE(asked.contains(name)) << path << " " << name << " is described but not read";
    }
  }
}

// What every endpoint says to a field of another type.
TEST(OpenApi, OtherTypesAreRefused) {
  for (const Route& route : routes()) {
    if (std::string(route.method) != "POST") continue;
    for (const auto& [name, schema] : request_schema(route.path)["properties"].items()) {
      if (schema.value("description", "") == "Ignored") continue;
      json body = requests_of(route.path).back();
      body[name] = types_of(schema).contains("object") ? json(5) : json{{"a", 1}};
      try {
        ask(route, body);
        ADD_FAILURE() << route.path << " takes an object as " << name;
      } catch (const ApiError& error) {
        EXPECT_EQ(error.status(), 400) << route.path << " " << name;
        EXPECT_FALSE(error.param().empty()) << route.path << " " << name << error.what();
      }
    }
  }
}

TEST(OpenApi, RequiredFieldsAre) {
  for (const Route& route : routes()) {
    if (std::string(route.method) != "POST") continue;
    for (const std::string name : request_schema(route.path).value("required", json::array())) {
      json body = requests_of(route.path)[0];
      body.erase(name);
      try {
        ask(route, body);
        ADD_FAILURE() << route.path << " is answered without " << name;
      } catch (const ApiError& error) {
        EXPECT_EQ(error.status(), 400) << route.path << " " << name;
      }
    }
  }
}

}  // namespace
}  // namespace heed::server

// POST /v1/chat/completions.

#include "apps/server/api_error.h"
#include "apps/server/openai_generation.h"
#include "apps/server/route.h"
#include "heed/text/token_text.h"

namespace heed::server {
namespace {

// {"content": [{"token", "logprob", "bytes", "top_logprobs"}]}.
Json logprobs_json(const ServedModel& model, const Generation& generation, size_t first,
                   size_t /*offset*/) {
  const Tokenizer& tokenizer = model.pipeline.tokenizer();
  const auto one_json = [&](int32_t id, double log_probability) {
    const std::string text = token_text(tokenizer, id);
    return Json{{"token", text}, {"logprob", log_probability}, {"bytes", bytes_json(text)}};
  };
  Json content = Json::array();
  for (size_t t = first; t < generation.ids.size(); ++t) {
    Json one = one_json(generation.ids[t], generation.log_probabilities[t]);
    one["top_logprobs"] = Json::array();
    if (t < generation.alternatives.size()) {
      for (const TokenProbability& other : generation.alternatives[t]) {
        one["top_logprobs"].push_back(one_json(other.token, other.log_probability));
      }
    }
    content.push_back(one);
  }
  return {{"content", content}};
}

// A content is a text, or parts of which each has a text.
std::string content_of(Fields& message) {
  const nlohmann::json& content = message.value("content");
  if (!content.is_array()) return message.text("content");
  std::string text;
  for (const nlohmann::json& part : content) {
    if (!part.is_object()) message.refuse("content", "expected a text, or a list of text parts");
    Fields fields(part, "content.");
    if (fields.text("type", "text") != "text") {
      message.refuse("content", "heed reads texts only");
    }
    text += fields.text("text");
  }
  return text;
}

std::vector<ChatMessage> messages_of(Fields& fields) {
  const nlohmann::json& list = fields.value("messages");
  if (!list.is_array() || list.empty()) {
    fields.refuse("messages", "expected a list with at least one message");
  }
  std::vector<ChatMessage> messages;
  for (const nlohmann::json& one : list) {
    if (!one.is_object()) fields.refuse("messages", "expected objects with role and content");
    Fields message(one, "messages.");
    const std::string role =
        message.one_of("role", "", {"system", "developer", "user", "assistant"});
    messages.push_back({role == "developer" ? "system" : role, content_of(message)});
  }
  return messages;
}

}  // namespace

HttpAnswer post_chat_completions(Service& service, const Call& call) {
  constexpr int64_t kTokens = 256;  // if nothing is said
  Fields fields(call.body);
  OpenAiRequest request = openai_request(service, fields, kTokens);
  const std::vector<ChatMessage> messages = messages_of(fields);
  if (!request.model->pipeline.run().config.chat.defined()) {
    throw ApiError(400,
                   "this model has no dialogue template, so that it cannot lead a conversation; "
                   "tune one with heed finetune, or use /v1/completions",
                   "model", "no_dialogue_template");
  }
  if (fields.has("max_completion_tokens")) {
    request.options.max_tokens =
        fields.integer("max_completion_tokens", kTokens, {1, service.options().max_tokens});
  }
  request.logprobs = fields.flag("logprobs", false);
  const int64_t top = fields.integer("top_logprobs", 0, {0, 20});
  if (request.logprobs) request.options.alternatives = top;
  request.prepared = {prepare_chat(request.model->pipeline, messages, request.options)};
  return openai_answer(
      service, call.http, std::move(request),
      {.id_prefix = "chatcmpl-",
       .object = "chat.completion",
       .chunk_object = "chat.completion.chunk",
       .choice =
           [](const std::string& text, const Json& logprobs) {
             return Json{{"message", {{"role", "assistant"}, {"content", text}}},
                         {"logprobs", logprobs}};
           },
       .chunk =
           [](const std::string& text, const Json& logprobs) {
             const Json delta = text.empty() ? Json::object() : Json{{"content", text}};
             return Json{{"delta", delta}, {"logprobs", logprobs}};
           },
       .opening =
           [] {
             return Json{{"delta", {{"role", "assistant"}, {"content", ""}}},
                         {"logprobs", nullptr}};
           },
       .logprobs = logprobs_json});
}

}  // namespace heed::server

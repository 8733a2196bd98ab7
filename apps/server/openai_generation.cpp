#include "apps/server/openai_generation.h"

#include <fmt/format.h>

#include <chrono>
#include <random>

#include "apps/server/api_error.h"
#include "heed/base/error.h"

namespace heed::server {
namespace {

constexpr int64_t kMaxTexts = 128;  // for one request

uint64_t any_number() {
  static std::mutex mutex;
  static std::random_device device;
  const std::lock_guard lock(mutex);
  return (static_cast<uint64_t>(device()) << 32) | device();
}

int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const char* finish_reason(Ending ending) { return ending == Ending::limit ? "length" : "stop"; }

std::string event(const Json& page) { return "data: " + dump(page) + "\n\n"; }

// The texts of one request.
class Answer {
 public:
  Answer(Service& service, const HttpRequest& http, OpenAiRequest request, OpenAiForm form)
      : request_(std::move(request)),
        form_(std::move(form)),
        events_(service, http),
        id_(form_.id_prefix + fmt::format("{:016x}", any_number())),
        created_(now()) {
    for (const PreparedGeneration& prepared : request_.prepared) {
      read_ +=
          static_cast<int64_t>(prepared.request.source.size() + prepared.request.prompt.size());
      for (int64_t i = 0; i < request_.n; ++i) {
        PreparedGeneration one = prepared;
        one.request.id = static_cast<uint64_t>(i);
        events_.start(*request_.model, one, request_.options, {.tokens = request_.stream});
      }
    }
  }

  HttpAnswer whole() {
    std::vector<Json> choices(sent_.size());
    while (const auto one = events_.next()) {
      if (one->kind != GenerationEvent::Kind::done) continue;
      const Generation& generation = one->generated.generation;
      count(generation);
      const std::string echo = echo_of(one->text);
      choices[one->text] = choice(
          one->text, form_.choice(echo + one->generated.text, logprobs(generation, 0, echo.size())),
          finish_reason(generation.ending));
    }
    Json page = head(form_.object);
    page["choices"] = choices;
    page["usage"] = usage_json(read_, generated_);
    return json_answer(page);
  }

  void stream(const Send& send) {
    try {
      for (size_t i = 0; i < sent_.size(); ++i) open(i, send);
      while (const auto one = events_.next()) send_event(*one, send);
      if (request_.with_usage) {
        Json page = head(form_.chunk_object);
        page["choices"] = Json::array();
        page["usage"] = usage_json(read_, generated_);
        put(event(page), send);
      }
    } catch (const ApiError& error) {
      put("data: " + error_body(error) + "\n", send);
    } catch (const Error& error) {
      put("data: " + error_body({400, error.what()}) + "\n", send);
    }
    put("data: [DONE]\n\n", send);
  }

 private:
  Json head(const std::string& object) const {
    return {{"id", id_}, {"object", object}, {"created", created_}, {"model", request_.model->id}};
  }

  static Json choice(size_t index, const Json& parts, const Json& reason) {
    Json page{{"index", index}};
    page.update(parts);
    page["finish_reason"] = reason;
    return page;
  }

  std::string echo_of(size_t text) const {
    return request_.prompts.empty() ? "" : request_.prompts[text / static_cast<size_t>(request_.n)];
  }

  Json logprobs(const Generation& generation, size_t first, size_t offset) const {
    if (!request_.logprobs) return nullptr;
    return form_.logprobs(*request_.model, generation, first, offset);
  }

  void count(const Generation& generation) {
    generated_ += static_cast<int64_t>(generation.log_probabilities.size());
  }

  // A piece of text number `index`.
  void chunk(size_t index, const Json& parts, const Json& reason, const Send& send) {
    Json page = head(form_.chunk_object);
    page["choices"] = Json::array({choice(index, parts, reason)});
    put(event(page), send);
  }

  void open(size_t index, const Send& send) {
    if (form_.opening) chunk(index, form_.opening(), nullptr, send);
    const std::string echo = echo_of(index);
    if (!echo.empty()) chunk(index, form_.chunk(echo, nullptr), nullptr, send);
    sent_[index].offset = echo.size();
  }

  void send_event(const GenerationEvent& one, const Send& send) {
    Sent& sent = sent_[one.text];
    if (one.kind == GenerationEvent::Kind::token) {
      Generation token;  // of this token alone
      token.ids = {one.token.id};
      token.log_probabilities = {one.token.log_probability};
      if (request_.options.alternatives > 0) token.alternatives = {one.alternatives};
      if (one.token.text.empty() && !request_.logprobs) return;
      const Json probabilities = logprobs(token, 0, sent.offset + sent.text);
      chunk(one.text, form_.chunk(one.token.text, probabilities), nullptr, send);
      sent.text += one.token.text.size();
    } else if (one.kind == GenerationEvent::Kind::done) {
      count(one.generated.generation);
      const std::string& text = one.generated.text;
      const std::string rest = text.substr(std::min(sent.text, text.size()));
      chunk(one.text, form_.chunk(rest, nullptr), finish_reason(one.generated.generation.ending),
            send);
    }
  }

  void put(const std::string& text, const Send& send) {
    if (!send(text)) events_.cancel();
  }

  struct Sent {
    size_t text = 0, offset = 0;  // bytes
  };

  const OpenAiRequest request_;
  const OpenAiForm form_;
  GenerationEvents events_;
  const std::string id_;
  const int64_t created_;
  int64_t read_ = 0, generated_ = 0;
  std::vector<Sent> sent_ =
      std::vector<Sent>(request_.prepared.size() * static_cast<size_t>(request_.n));
};

// What OpenAI and others have and heed has not. To leave it out silently would be a wrong answer; a
// value that asks for nothing is let through, for clients send these.
void refuse_unbuilt(Fields& fields, int64_t n) {
  const auto refuse_some = [&](const char* name, bool is_list, const std::string& what) {
    const nlohmann::json& value = fields.value(name);
    if (value.is_null() || (value.empty() && (is_list ? value.is_array() : value.is_object()))) {
      return;
    }
    fields.refuse(name, what);
  };
  const auto refuse_text = [&](const char* name, const char* what) {
    if (!fields.text(name, "").empty()) fields.refuse(name, what);
  };
  if (auto format = fields.object("response_format"); format && format->text("type") != "text") {
    fields.refuse("response_format",
                  "heed writes free text only; leave it out, and check what comes");
  }
  refuse_some("tools", true, "heed calls no tools; leave them out");
  const nlohmann::json& choice = fields.value("tool_choice");
  if (!choice.is_null() && choice != "none" && choice != "auto") {
    fields.refuse("tool_choice", "heed calls no tools; leave it out, or send \"none\"");
  }
  refuse_some("logit_bias", false, "heed has none; leave it out");
  refuse_text("suffix", "heed writes what comes after a prompt, not what stands before a text");
  refuse_text("grammar", "heed writes free text only; leave it out, and check what comes");
  if (fields.integer("best_of", n, {0, 1 << 30}) > n) {
    fields.refuse("best_of", "heed gives all texts that it writes; ask for n, and choose");
  }
}

}  // namespace

Json usage_json(int64_t read, int64_t generated) {
  return {{"prompt_tokens", read},
          {"completion_tokens", generated},
          {"total_tokens", read + generated}};
}

OpenAiRequest openai_request(Service& service, Fields& fields, int64_t max_tokens) {
  OpenAiRequest request;
  request.model = &service.model(fields.text("model", ""));
  request.n = fields.integer("n", 1, {1, kMaxTexts});
  request.stream = fields.flag("stream", false);
  if (auto options = fields.object("stream_options")) {
    request.with_usage = options->flag("include_usage", false);
  }
  GenerateTextOptions& options = request.options;
  options.max_tokens =
      fields.integer("max_tokens", std::min(max_tokens, service.options().max_tokens),
                     {1, service.options().max_tokens});
  options.min_tokens = fields.integer("min_tokens", 0, {0, options.max_tokens});
  options.stop = fields.texts("stop", 16);
  for (const std::string& stop : options.stop) {
    if (stop.empty()) fields.refuse("stop", "a stop string is empty");
  }
  SamplingOptions& sampling = options.sampling;
  sampling.temperature = fields.number("temperature", 1, {0, 100});
  sampling.top_p = fields.number("top_p", 1, {0, 1});
  if (sampling.top_p == 0) sampling.top_p = 1e-9;  // the likeliest token
  sampling.top_k = fields.integer("top_k", 0, {0, 1 << 30});
  sampling.min_p = fields.number("min_p", 0, {0, 1});
  sampling.repetition_penalty = fields.number("repetition_penalty", 1, {1e-3, 1e3});
  sampling.frequency_penalty = fields.number("frequency_penalty", 0, {-100, 100});
  sampling.seed = fields.has("seed")
                      ? static_cast<uint64_t>(fields.integer("seed", 0, {INT64_MIN, INT64_MAX - 1}))
                      : any_number();
  if (fields.number("presence_penalty", 0, {-100, 100}) != 0) {
    fields.refuse("presence_penalty", "heed has none; leave it out, or use frequency_penalty");
  }
  refuse_unbuilt(fields, request.n);
  return request;
}

HttpAnswer openai_answer(Service& service, const HttpRequest& http, OpenAiRequest request,
                         OpenAiForm form) {
  if (static_cast<int64_t>(request.prepared.size()) * request.n > kMaxTexts) {
    throw ApiError(400,
                   fmt::format("n: {} prompts times {} is more than {} texts",
                               request.prepared.size(), request.n, kMaxTexts),
                   "n");
  }
  const bool is_stream = request.stream;
  const auto answer = std::make_shared<Answer>(service, http, std::move(request), std::move(form));
  if (!is_stream) return answer->whole();
  return {.type = "text/event-stream",
          .stream = [answer](const Send& send) { answer->stream(send); }};
}

}  // namespace heed::server

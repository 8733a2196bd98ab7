// POST /api/generate: generate, and report everything about every token.

#include "apps/server/api_error.h"
#include "apps/server/fields.h"
#include "apps/server/generation_json.h"
#include "apps/server/layer_json.h"
#include "apps/server/openai_generation.h"
#include "apps/server/route.h"
#include "heed/base/error.h"

namespace heed::server {
namespace {

struct GenerateRequest {
  const ServedModel* model = nullptr;
  std::string prompt;
  GenerateTextOptions options;
  std::optional<AttentionChoice> attention = {};
  bool stream = true;
};

GenerateTextOptions text_options(const Service& service, Fields& fields) {
  GenerateTextOptions options;
  options.max_tokens =
      fields.integer("max_tokens", std::min<int64_t>(64, service.options().max_tokens),
                     {1, service.options().max_tokens});
  options.min_tokens = fields.integer("min_tokens", 0, {0, 1 << 20});
  options.no_repeat = fields.integer("no_repeat", 0, {0, 1 << 16});
  options.alternatives = fields.integer("alternatives", 0, {0, 100});
  options.stop = fields.texts("stop", 16);
  for (const std::string& stop : options.stop) {
    if (stop.empty()) fields.refuse("stop", "a stop string is empty");
  }
  options.sampling = {.temperature = fields.number("temperature", 0, {0, 100}),
                      .top_k = fields.integer("top_k", 0, {0, 1 << 30}),
                      .top_p = fields.number("top_p", 1, {1e-9, 1}),
                      .min_p = fields.number("min_p", 0, {0, 1}),
                      .repetition_penalty = fields.number("repetition_penalty", 1, {1e-3, 1e3}),
                      .frequency_penalty = fields.number("frequency_penalty", 0, {-100, 100}),
                      .seed = static_cast<uint64_t>(fields.integer("seed", 0, {0, INT64_MAX - 1}))};
  options.beam.width = fields.integer("beam", 1, {1, 16});
  options.beam.n_best = fields.integer("n_best", 1, {1, options.beam.width});
  options.beam.length_penalty = fields.number("length_penalty", 1, {-10, 10});
  return options;
}

GenerateRequest read_generate(Service& service, const Call& call) {
  Fields fields(call.body);
  GenerateRequest request;
  request.model = &service.model(fields.text("model", ""));
  request.prompt = fields.text("prompt");
  request.stream = fields.flag("stream", true);
  request.options = text_options(service, fields);
  if (auto attention = fields.object("attention")) {
    request.attention = AttentionChoice{.layer = attention->text("layer", ""),
                                        .head = attention->integer("head", -1, {-1, 1 << 16})};
    attention->reject_unknown_fields();
    if (request.options.beam.width > 1) fields.refuse("attention", "it is not told with a beam");
  }
  fields.reject_unknown_fields();
  return request;
}

// The layer that is looked at, or an ApiError that names those there are.
Json looked_at(const GenerateRequest& request) {
  std::vector<std::string> names;
  const Json layers = layers_json(request.model->pipeline.run().config.model);
  for (const Json& layer : layers) {
    if (layer["name"].get<std::string>().starts_with("decoder")) names.push_back(layer["name"]);
  }
  const std::string wanted =
      request.attention->layer.empty() ? default_attention_layer(names) : request.attention->layer;
  for (const Json& layer : layers) {
    if (layer["name"] != wanted) continue;
    if (request.attention->head >= layer["heads"].get<int64_t>()) break;
    return layer;
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw ApiError(400, "attention: there is no such layer or head; the decoder has " + known,
                 "attention");
}

class GenerateAnswer {
 public:
  GenerateAnswer(Service& service, const HttpRequest& http, GenerateRequest request)
      : request_(std::move(request)),
        tokenizer_(request_.model->pipeline.tokenizer()),
        events_(service, http) {
    if (request_.attention) {
      layer_ = looked_at(request_);
      request_.attention->layer = layer_["name"];
    }
    prepared_ = prepare_generation(request_.model->pipeline, request_.prompt, request_.options);
    const bool is_beam = request_.options.beam.width > 1;
    events_.start(*request_.model, prepared_, request_.options,
                  {.tokens = !is_beam, .beams = is_beam, .attention = request_.attention});
  }

  HttpAnswer whole() {
    Json tokens = Json::array(), tree = Json::array(), page;
    while (const auto one = events_.next()) {
      switch (one->kind) {
        case GenerationEvent::Kind::token: tokens.push_back(told(*one)); break;
        case GenerationEvent::Kind::beam:
          tree.push_back(beam_step_json(tokenizer_, one->beam));
          break;
        case GenerationEvent::Kind::done: {
          page = end(one->generated);
          // The end token is known only now; of a beam, all tokens are.
          const Json all =
              generated_tokens_json(tokenizer_, one->generated.generation, prepared_.end);
          for (size_t t = tokens.size(); t < all.size(); ++t) tokens.push_back(all[t]);
        }
      }
    }
    page["prompt"] = tokens_json(tokenizer_, read());
    page["tokens"] = tokens;
    if (!tree.empty()) page["tree"] = tree;
    return json_answer(page);
  }

  void stream(const Send& send) {
    try {
      Json first{{"tokens", tokens_json(tokenizer_, read())}};
      if (request_.attention) first["attention"] = layer_;
      put("prompt", first, send);
      while (const auto one = events_.next()) {
        switch (one->kind) {
          case GenerationEvent::Kind::token: put("token", told(*one), send); break;
          case GenerationEvent::Kind::beam:
            put("beam", beam_step_json(tokenizer_, one->beam), send);
            break;
          case GenerationEvent::Kind::done: put("done", end(one->generated), send); break;
        }
      }
    } catch (const ApiError& error) {
      put("error", Json::parse(error_body(error)), send);
    } catch (const Error& error) {
      put("error", Json::parse(error_body({400, error.what()})), send);
    }
    send("data: [DONE]\n\n");
  }

 private:
  // What the model reads that is shown: the source, or the prompt.
  const std::vector<int32_t>& read() const {
    return prepared_.request.source.empty() ? prepared_.request.prompt : prepared_.request.source;
  }

  Json told(const GenerationEvent& event) const {
    const TextToken& token = event.token;
    Json page = generated_token_json(tokenizer_, token.index, {token.id, token.log_probability},
                                     event.alternatives);
    page["text"] = token.text;
    if (token.attention.defined()) {
      page["attention"] = {{"layer", layer_["name"]},
                           {"head", request_.attention->head},
                           {"weights", tensor_json(token.attention)},
                           {"keys", layer_["keys"]}};
    }
    return page;
  }

  Json end(const GeneratedText& generated) const {
    Json page = generation_json(generated.text, generated.generation);
    page["others"] = others_json(tokenizer_, generated, prepared_.end);
    const auto& request = prepared_.request;
    page["usage"] = usage_json(static_cast<int64_t>(request.source.size() + request.prompt.size()),
                               static_cast<int64_t>(generated.generation.log_probabilities.size()));
    return page;
  }

  void put(const char* type, const Json& parts, const Send& send) {
    Json page{{"type", type}};
    page.update(parts);
    if (!send("data: " + dump(page) + "\n\n")) events_.cancel();
  }

  GenerateRequest request_;
  const Tokenizer& tokenizer_;
  GenerationEvents events_;
  Json layer_;
  PreparedGeneration prepared_;
};

}  // namespace

HttpAnswer post_generate(Service& service, const Call& call) {
  GenerateRequest request = read_generate(service, call);
  const bool is_stream = request.stream;
  const auto answer = std::make_shared<GenerateAnswer>(service, call.http, std::move(request));
  if (!is_stream) return answer->whole();
  return {.type = "text/event-stream",
          .stream = [answer](const Send& send) { answer->stream(send); }};
}

}  // namespace heed::server

// POST /v1/completions.

#include <fmt/format.h>

#include "apps/server/openai_generation.h"
#include "apps/server/route.h"
#include "heed/text/token_text.h"
#include "heed/text/utf8.h"

namespace heed::server {
namespace {

// A token as a key of an object, where U+FFFD for every part of a character would be one key for
// all: OpenAI writes "bytes:\xc3".
std::string token_key(const Tokenizer& tokenizer, int32_t id) {
  std::string text = token_text(tokenizer, id);
  if (valid_utf8_bytes(text) == text.size()) return text;
  std::string key = "bytes:";
  for (const char c : text) key += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return key;
}

// {"tokens", "token_logprobs", "top_logprobs", "text_offset"}.
Json text_logprobs(const ServedModel& model, const Generation& generation, size_t first,
                   size_t offset) {
  const Tokenizer& tokenizer = model.pipeline.tokenizer();
  Json tokens = Json::array(), values = Json::array(), tops = Json::array(),
       offsets = Json::array();
  for (size_t t = first; t < generation.ids.size(); ++t) {
    const std::string text = token_text(tokenizer, generation.ids[t]);
    tokens.push_back(token_key(tokenizer, generation.ids[t]));
    values.push_back(generation.log_probabilities[t]);
    offsets.push_back(offset);
    offset += text.size();
    Json top = Json::object();
    if (t < generation.alternatives.size()) {
      for (const TokenProbability& one : generation.alternatives[t]) {
        top[token_key(tokenizer, one.token)] = one.log_probability;
      }
    }
    tops.push_back(top);
  }
  return {{"tokens", tokens},
          {"token_logprobs", values},
          {"top_logprobs", tops},
          {"text_offset", offsets}};
}

}  // namespace

HttpAnswer post_completions(Service& service, const Call& call) {
  constexpr int64_t kTokens = 16;  // OpenAI's number, if nothing is said
  Fields fields(call.body);
  OpenAiRequest request = openai_request(service, fields, kTokens);
  if (!fields.has("prompt")) fields.refuse("prompt", "expected a string, but the field is missing");
  std::vector<std::string> prompts = fields.texts("prompt", 128);
  if (prompts.empty()) fields.refuse("prompt", "expected at least one text");
  request.logprobs = fields.has("logprobs");
  request.options.alternatives = fields.integer("logprobs", 0, {0, 20});
  for (const std::string& prompt : prompts) {
    request.prepared.push_back(
        prepare_generation(request.model->pipeline, prompt, request.options));
  }
  if (fields.flag("echo", false)) request.prompts = std::move(prompts);
  const auto parts = [](const std::string& text, const Json& logprobs) {
    return Json{{"text", text}, {"logprobs", logprobs}};
  };
  return openai_answer(service, call.http, std::move(request),
                       {.id_prefix = "cmpl-",
                        .object = "text_completion",
                        .chunk_object = "text_completion",
                        .choice = parts,
                        .chunk = parts,
                        .opening = {},
                        .logprobs = text_logprobs});
}

}  // namespace heed::server

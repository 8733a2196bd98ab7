// What /v1/completions and /v1/chat/completions have in common: the options of a request, and the
// texts that are generated for it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/server/fields.h"
#include "apps/server/generation_events.h"
#include "apps/server/json_text.h"
#include "apps/server/service.h"

namespace heed::server {

struct OpenAiRequest {
  const ServedModel* model = nullptr;
  std::vector<std::string> prompts = {};          // shown before the texts, if that is wanted
  std::vector<PreparedGeneration> prepared = {};  // one per prompt
  int64_t n = 1;                                  // texts per prompt
  GenerateTextOptions options = {};
  bool stream = false;
  bool with_usage = false;  // at the end of a stream
  bool logprobs = false;
};

// Fills all but the texts, the prompts and logprobs. Fields that heed lacks are refused if they
// would change what is generated, otherwise ignored, as OpenAI's clients send many.
OpenAiRequest openai_request(Service& service, Fields& fields, int64_t max_tokens);

// How one endpoint writes its answer.
struct OpenAiForm {
  std::string id_prefix;     // "cmpl-"
  std::string object;        // of an answer
  std::string chunk_object;  // of a piece of a stream
  // The parts of a choice beside index and finish_reason.
  std::function<Json(const std::string&text, const Json&logprobs)> choice, chunk;
  // The first piece of a stream; null: none.
  std::function<Json()> opening;
  // Log-probabilities of some tokens; `offset`: characters of text before them.
  std::function<Json(const ServedModel& model, const Generation& generation, size_t first,
                     size_t offset)>
      logprobs;
};

HttpAnswer openai_answer(Service& service, const HttpRequest& http, OpenAiRequest request,
                         OpenAiForm form);

Json usage_json(int64_t read, int64_t generated);

}  // namespace heed::server

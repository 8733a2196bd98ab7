// POST /api/score: how likely a model finds a text.

#include <cmath>

#include "apps/server/fields.h"
#include "apps/server/generation_json.h"
#include "apps/server/route.h"
#include "heed/pipeline/read.h"
#include "heed/run/pair_layout.h"
#include "heed/run/special_tokens.h"

namespace heed::server {
namespace {

// The tokens whose probabilities a score has.
std::vector<int32_t> counted_ids(const Pipeline& pipeline, const std::string& text,
                                 const std::string& target) {
  const Tokenizer& tokenizer = pipeline.tokenizer();
  if (pipeline.task() != Task::lm) {
    std::vector<int32_t> ids = read_text(pipeline, target).ids;
    ids.push_back(pair_tokens(tokenizer).eos);
    return ids;
  }
  std::vector<int32_t> ids = special_tokens_of(pipeline.run().config, tokenizer)
                                 .around(tokenizer.encode(text, SpecialNames::are_text));
  if (!ids.empty()) ids.erase(ids.begin());
  return ids;
}

}  // namespace

HttpAnswer post_score(Service& service, const Call& call) {
  Fields fields(call.body);
  const Pipeline& pipeline = service.model(fields.text("model", "")).pipeline;
  const std::string text = fields.text("text"), target = fields.text("target", "");
  fields.reject_unknown_fields();
  ScoredText score;
  service.compute(call.http, [&] {
    const std::span<const std::string> texts(&text, 1), targets(&target, 1);
    score =
        pipeline.task() == Task::lm ? pipeline.score(texts)[0] : pipeline.score(texts, targets)[0];
  });
  const std::vector<int32_t> ids = counted_ids(pipeline, text, target);
  Json tokens = Json::array();
  for (size_t t = 0; t < std::min(ids.size(), score.log_probabilities.size()); ++t) {
    tokens.push_back(probability_json(pipeline.tokenizer(), {ids[t], score.log_probabilities[t]}));
  }
  const double count = std::max<double>(static_cast<double>(score.log_probabilities.size()), 1);
  return json_answer({{"log_probability", score.log_probability},
                      {"tokens", tokens},
                      {"perplexity", number_json(std::exp(-score.log_probability / count))},
                      {"cut", score.cut}});
}

}  // namespace heed::server

#include "apps/server/generation_json.h"

#include <cmath>

namespace heed::server {
namespace {

const char* ending_name(Ending ending) {
  switch (ending) {
    case Ending::limit: return "limit";
    case Ending::end_token: return "end";
    case Ending::stopped: return "stop";
    case Ending::canceled: return "canceled";
  }
  return "";
}

const char* state_name(BeamState state) {
  switch (state) {
    case BeamState::live: return "live";
    case BeamState::finished: return "finished";
    case BeamState::dropped: return "dropped";
  }
  return "";
}

}  // namespace

Json probability_json(const Tokenizer& tokenizer, const TokenProbability& one) {
  Json page = token_json(tokenizer, one.token);
  page["log_probability"] = one.log_probability;
  page["probability"] = std::exp(one.log_probability);
  return page;
}

Json generated_token_json(const Tokenizer& tokenizer, size_t index, const TokenProbability& token,
                          std::span<const TokenProbability> alternatives) {
  Json page{{"index", index}};
  page.update(probability_json(tokenizer, token));
  if (!alternatives.empty()) {
    page["alternatives"] = Json::array();
    for (const TokenProbability& one : alternatives) {
      page["alternatives"].push_back(probability_json(tokenizer, one));
    }
  }
  return page;
}

Json generated_tokens_json(const Tokenizer& tokenizer, const Generation& generation, int32_t end) {
  Json tokens = Json::array();
  for (size_t t = 0; t < generation.log_probabilities.size(); ++t) {
    const int32_t id = t < generation.ids.size() ? generation.ids[t] : end;
    std::span<const TokenProbability> alternatives;
    if (t < generation.alternatives.size()) alternatives = generation.alternatives[t];
    tokens.push_back(
        generated_token_json(tokenizer, t, {id, generation.log_probabilities[t]}, alternatives));
  }
  return tokens;
}

Json generation_json(const std::string& text, const Generation& generation) {
  return {{"text", text},
          {"log_probability", generation.log_probability},
          {"score", generation.score},
          {"ending", ending_name(generation.ending)}};
}

Json others_json(const Tokenizer& tokenizer, const GeneratedText& generated, int32_t end) {
  Json others = Json::array();
  for (size_t i = 0; i < generated.others.size(); ++i) {
    const Generation& generation = generated.generation.others[i];
    Json one = generation_json(generated.others[i], generation);
    one["tokens"] = generated_tokens_json(tokenizer, generation, end);
    others.push_back(one);
  }
  return others;
}

Json beam_step_json(const Tokenizer& tokenizer, const BeamStep& step) {
  Json nodes = Json::array();
  for (const BeamNode& node : step.nodes) {
    nodes.push_back({{"id", node.id},
                     {"parent", node.parent},
                     {"token", probability_json(tokenizer, {node.token, node.log_probability})},
                     {"log_probability", node.total},
                     {"score", node.score},
                     {"state", state_name(node.state)}});
  }
  return {{"step", step.step}, {"nodes", nodes}};
}

}  // namespace heed::server

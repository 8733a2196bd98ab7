#include "apps/cli/commands/attention_page.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "apps/server/base64.h"
#include "apps/web/page.h"
#include "heed/base/fail.h"
#include "heed/generate/alignment.h"
#include "heed/nn/attention_recorder.h"
#include "heed/text/token_text.h"

namespace heed::cli {
namespace {

using Json = nlohmann::ordered_json;

// Rows of floats have labels only.
Json tokens_of(const Tokenizer* tokenizer, const std::vector<std::string>& labels,
               const std::vector<int32_t>& ids) {
  Json tokens = Json::array();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i >= ids.size()) {
      tokens.push_back({{"id", -1}, {"token", labels[i]}, {"text", labels[i]}});
      continue;
    }
    tokens.push_back({{"id", ids[i]},
                      {"token", tokenizer->token(ids[i])},
                      {"text", token_text(*tokenizer, ids[i])}});
  }
  return tokens;
}

Json layer_of(const AttentionRecorder& recorder, const std::string& name) {
  const bool is_cross = name.ends_with("cross");
  const char* const own = name.starts_with("encoder") ? "source" : "target";
  const bool is_causal = recorder.call(name).options.mask.is_causal;
  return {{"name", name},
          {"heads", recorder.heads(name)},
          {"kind", is_cross    ? "cross"
                   : is_causal ? "causal"
                               : "self"},
          {"queries", own},
          {"keys", is_cross ? "source" : own}};
}

// The layers whose weights the page gets.
std::vector<std::string> chosen_layers(const AttentionRecorder& recorder,
                                       const std::string& layer) {
  std::vector<std::string> names = recorder.names();
  if (names.empty()) fail("attention: this model has no attention to look at");
  if (!layer.empty()) {
    (void)recorder.call(layer);  // says which there are
    return {layer};
  }
  int64_t weights = 0;
  for (const std::string& name : names) {
    const AttentionCall& call = recorder.call(name);
    weights += recorder.heads(name) * call.query_rows.length(0) * call.key_rows.length(0);
  }
  if (weights > kMaxPageWeights) return {default_attention_layer(names)};
  return names;
}

}  // namespace

std::string attention_page(const LoadedRun& run, const TaskInput& input,
                           const AttentionPage& page) {
  const NoGrad no_grad;
  AttentionRecorder recorder;
  run.model->features(input.batch, {.observer = &recorder});
  Json layers = Json::array();
  for (const std::string& name : recorder.names()) layers.push_back(layer_of(recorder, name));
  Json maps = Json::array();
  for (const std::string& name : chosen_layers(recorder, page.layer)) {
    for (int64_t head = 0; head < recorder.heads(name); ++head) {
      maps.push_back({{"layer", name},
                      {"head", head},
                      {"first_row", 0},
                      {"weights_base64", server::base64(recorder.weights(name, {.head = head}))}});
    }
  }
  const Json data{{"source", tokens_of(run.tokenizer.get(), input.source, input.source_ids)},
                  {"target", tokens_of(run.tokenizer.get(), input.target, input.target_ids)},
                  {"layers", std::move(layers)},
                  {"maps", std::move(maps)}};
  const Json all{{"view", "attend"}, {"model", page.model}, {"text", page.text}, {"data", data}};
  return page_with_data(all.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace heed::cli

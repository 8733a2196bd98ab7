#include "apps/cli/attention_page.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "apps/web/page.h"
#include "heed/base/error.h"
#include "heed/nn/attention_recorder.h"

namespace heed::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t count = bytes.size();
  std::string text;
  text.reserve((count + 2) / 3 * 4);
  for (size_t i = 0; i < count; i += 3) {
    const size_t rest = std::min<size_t>(3, count - i);
    uint32_t bits = 0;
    for (size_t b = 0; b < 3; ++b) bits = bits << 8U | (b < rest ? bytes[i + b] : 0U);
    for (size_t c = 0; c < 4; ++c) {
      text += c <= rest ? kLetters[bits >> (18 - 6 * c) & 63U] : '=';
    }
  }
  return text;
}

// float32, little-endian, row by row.
std::string packed(const Tensor& weights) {
  static_assert(std::endian::native == std::endian::little);
  const Tensor plain = weights.to(DType::f32).contiguous();
  std::vector<unsigned char> bytes(static_cast<size_t>(plain.shape().size()) * sizeof(float));
  if (!bytes.empty()) std::memcpy(bytes.data(), plain.data<float>(), bytes.size());
  return base64(bytes);
}

// Rows of floats have labels only.
Json tokens_of(const Tokenizer* tokenizer, const std::vector<std::string>& labels,
               const std::vector<int32_t>& ids) {
  Json tokens = Json::array();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (i >= ids.size()) {
      tokens.push_back({{"id", -1}, {"token", labels[i]}, {"text", labels[i]}});
      continue;
    }
    std::string text;
    DecodeState state{.begun = true};
    tokenizer->decode_next(ids[i], state, text);
    tokens.push_back({{"id", ids[i]}, {"token", tokenizer->token(ids[i])}, {"text", text}});
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
  if (names.empty()) throw Error("attention: this model has no attention to look at");
  if (!layer.empty()) {
    (void)recorder.call(layer);  // says which there are
    return {layer};
  }
  int64_t weights = 0;
  std::string usual;
  for (const std::string& name : names) {
    const AttentionCall& call = recorder.call(name);
    weights += recorder.heads(name) * call.query_rows.length(0) * call.key_rows.length(0);
    if (name.ends_with("cross") || !usual.ends_with("cross")) usual = name;
  }
  if (weights > kMostPageWeights) return {usual};
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
                      {"weights_base64", packed(recorder.weights(name, {.head = head}))}});
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

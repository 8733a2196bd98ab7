#include "apps/cli/options/attention_selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "heed/base/fail.h"
#include "heed/generate/alignment.h"

namespace heed::cli {
namespace {

std::optional<int64_t> index_in(const std::string& text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || value < 0) return std::nullopt;
  return value;
}

std::vector<std::string> layers_of_kind(const std::vector<std::string>& all,
                                        const std::string& kind) {
  std::vector<std::string> found;
  for (const std::string& name : all) {
    if (name.ends_with("cross") == (kind == "cross")) found.push_back(name);
  }
  if (found.empty()) {
    fail("attention: this model has no {} attention; its layers are {}", kind,
         fmt::join(all, ", "));
  }
  return found;
}

std::vector<std::string> chosen_layers(const std::vector<std::string>& all,
                                       const AttentionSelection& selection) {
  if (all.empty()) fail("attention: this model has no attention to look at");
  const std::string usual = default_attention_layer(all);
  const std::string& layer = selection.layer;
  if (layer == "all") return selection.kind.empty() ? all : layers_of_kind(all, selection.kind);
  if (std::find(all.begin(), all.end(), layer) != all.end()) return {layer};
  if (layer.empty() && selection.kind.empty()) return {usual};
  const std::string kind = !selection.kind.empty()    ? selection.kind
                           : usual.ends_with("cross") ? "cross"
                                                      : "self";
  const std::vector<std::string> found = layers_of_kind(all, kind);
  if (layer.empty()) return {found.back()};
  const std::optional<int64_t> number = index_in(layer);
  if (!number) {
    fail("attention: there is no layer '{}'; this model has {}", layer, fmt::join(all, ", "));
  }
  if (*number >= static_cast<int64_t>(found.size())) {
    fail("attention: there is no layer {}; those of {} attention are 0 to {}: {}", *number, kind,
         found.size() - 1, fmt::join(found, ", "));
  }
  return {found[*number]};
}

std::vector<int64_t> chosen_heads(int64_t heads, const std::string& layer,
                                  const std::string& head) {
  if (head.empty()) return {-1};
  std::vector<int64_t> all;
  for (int64_t h = 0; h < heads; ++h) all.push_back(h);
  if (head == "all") return all;
  const std::optional<int64_t> number = index_in(head);
  if (!number || *number >= heads) {
    fail("attention: {} has heads 0 to {}, there is no head {}", layer, heads - 1, head);
  }
  return {*number};
}

}  // namespace

Tensor SelectedMap::weights(const AttentionRecorder& recorder) const {
  return head < 0 ? recorder.mean_weights(layer) : recorder.weights(layer, {.head = head});
}

std::string SelectedMap::title() const {
  return head < 0 ? layer + ", mean of heads" : fmt::format("{}, head {}", layer, head);
}

std::vector<SelectedMap> select_maps(const AttentionRecorder& recorder, const TaskInput& input,
                                     const AttentionSelection& selection) {
  std::vector<SelectedMap> maps;
  for (const std::string& layer : chosen_layers(recorder.names(), selection)) {
    const bool is_cross = layer.ends_with("cross");
    const auto& own = layer.starts_with("encoder") ? input.source : input.target;
    for (const int64_t head : chosen_heads(recorder.heads(layer), layer, selection.head)) {
      maps.push_back({.layer = layer,
                      .head = head,
                      .queries = is_cross ? input.target : own,
                      .keys = is_cross ? input.source : own});
    }
  }
  return maps;
}

}  // namespace heed::cli

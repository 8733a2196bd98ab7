#include "apps/server/run_example.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "heed/base/json_nesting.h"
#include "heed/run/pair_layout.h"
#include "heed/run/special_tokens.h"
#include "heed/text/token_label.h"
#include "heed/text/utf8.h"

namespace heed::server {
namespace {

using Labels = std::vector<std::string>;
using Ids = std::vector<int32_t>;

constexpr size_t kMaxLine = 256 << 10;  // bytes; a line of heed's own has about 25,000
constexpr size_t kMaxLabels = 64;       // of a side
constexpr size_t kMaxText = 2000;       // bytes

// The first line of a file; empty if there is none, or a longer one than any of ours.
std::string first_line(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::ifstream in(path, std::ios::binary);
  std::string text(kMaxLine, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  const size_t end = text.find('\n');
  return end == std::string::npos ? std::string() : text.substr(0, end);
}

// Empty if it is no list of so few texts.
Labels labels_of(const nlohmann::json& line, const char* name) {
  const auto list = line.find(name);
  if (list == line.end() || !list->is_array() || list->size() > kMaxLabels) return {};
  Labels labels;
  for (const nlohmann::json& one : *list) {
    if (!one.is_string()) return {};
    labels.push_back(one.get<std::string>());
  }
  return labels;
}

// The tokens that have these labels; none if one of them is no token, or stands for none.
Ids labelled_ids(const Tokenizer& tokenizer, const Labels& labels) {
  std::map<std::string, int32_t> known;
  for (const std::string& label : labels) known.emplace(label, -1);
  for (int32_t id = 0; id < tokenizer.size(); ++id) {
    const auto found = known.find(token_label(tokenizer, id));
    if (found != known.end() && found->second < 0) found->second = id;
  }
  Ids ids;
  for (const std::string& label : labels) {
    const int32_t id = known.at(label);
    if (id < 0 || tokenizer.specials().unknown == id) return {};
    ids.push_back(id);
  }
  return ids;
}

// What people would type. The begin of a long text may end within a character, and a part of a book
// begin within one.
std::string typed_text(std::string text) {
  const auto is_middle = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; };
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  text.resize(text.size() - incomplete_utf8_bytes(text));
  const auto begin = std::find_if_not(text.begin(), text.end(),
                                      [&](char c) { return is_middle(c) || is_blank(c); });
  text.erase(text.begin(), begin);
  while (!text.empty() && is_blank(text.back())) text.pop_back();
  const bool is_good = text.size() <= kMaxText && valid_utf8_bytes(text) == text.size();
  return is_good ? text : std::string();
}

std::string text_of(const LoadedRun& run, Ids ids) {
  const SpecialTokens special = special_tokens_of(run.config, *run.tokenizer);
  for (const Ids& around : {special.before, special.after}) {
    for (const int32_t id : around) std::erase(ids, id);
  }
  return typed_text(answer_text(*run.tokenizer, ids));
}

RunExample probed_example(const LoadedRun& run, const nlohmann::json& line) {
  const Tokenizer& tokenizer = *run.tokenizer;
  const Ids queries = labelled_ids(tokenizer, labels_of(line, "queries"));
  const Ids keys = labelled_ids(tokenizer, labels_of(line, "keys"));
  const auto layer = line.find("layer");
  const bool is_cross =
      layer != line.end() && layer->is_string() && layer->get<std::string>().ends_with("cross");
  if (is_cross) return {.source = text_of(run, keys), .target = text_of(run, queries)};
  const Task task = run.config.settings.task;
  if (!is_pair_task(task)) {
    // Of words that were read one by one, these do not tell where they end.
    const bool has_words =
        tokenizer.kind() != TokenizerKind::byte && tokenizer.kind() != TokenizerKind::character;
    return task == Task::tag && !has_words ? RunExample() : RunExample{text_of(run, queries)};
  }
  const auto mark = std::find(queries.begin(), queries.end(), pair_tokens(tokenizer).separator);
  if (mark == queries.end()) return {};
  return {.source = text_of(run, Ids(queries.begin(), mark)),
          .target = text_of(run, Ids(mark, queries.end()))};
}

RunExample found_example(const std::string& folder, const LoadedRun& run) {
  const std::vector<std::string>& probe = run.config.settings.probe;
  if (!probe.empty()) {
    return {.source = typed_text(probe[0]),
            .target = probe.size() > 1 ? typed_text(probe[1]) : std::string()};
  }
  const std::string text = first_line(std::filesystem::path(folder) / "probe.jsonl");
  if (text.empty() || is_nested_too_deep(text)) return {};
  const nlohmann::json line = nlohmann::json::parse(text, nullptr, false);
  if (!line.is_object()) return {};
  return probed_example(run, line);
}

}  // namespace

std::optional<RunExample> run_example(const std::string& folder, const LoadedRun& run) {
  if (run.tokenizer == nullptr) return std::nullopt;
  RunExample example;
  try {
    example = found_example(folder, run);
  } catch (const std::exception&) {  // it is an example only
    return std::nullopt;
  }
  if (example.source.empty()) return std::nullopt;
  if (!is_pair_task(run.config.settings.task)) example.target.clear();
  return example;
}

}  // namespace heed::server

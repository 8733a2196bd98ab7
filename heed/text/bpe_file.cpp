// tokenizer.json of Hugging Face's tokenizers, byte-level BPE; and GPT-2's vocab.json + merges.txt.

#include <algorithm>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/json.h"
#include "heed/text/vocabulary_file_internal.h"

namespace heed {
namespace {

using nlohmann::json;

// Adds the merge of two tokens that are in the vocabulary, together and apart.
void add_merge(std::string_view left, std::string_view right, const TokenIds& vocab,
               BpeModel& model) {
  const std::string parts[] = {std::string(left), std::string(right)};
  const std::string joined = parts[0] + parts[1];
  const auto find = [&](const std::string& token) {
    const auto id = vocab.find(token);
    if (!id) {
      fail("{}: merge {} of {} and {}: {} is not in the vocabulary", vocab.name,
           model.merges.size(), json_text(left), json_text(right), json_text(token));
    }
    return static_cast<int32_t>(*id);
  };
  check(!left.empty() && !right.empty(), "{}: merge {} is not two tokens with a blank between",
        vocab.name, model.merges.size());
  model.merges.push_back({find(parts[0]), find(parts[1]), find(joined)});
}

void add_merge(std::string_view line, const TokenIds& vocab, BpeModel& model) {
  const size_t blank = line.find(' ');
  const bool good = blank != std::string_view::npos && line.find(' ', blank + 1) == line.npos;
  check(good, "{}: merge {} is not two tokens with a blank between", vocab.name,
        model.merges.size());
  add_merge(line.substr(0, blank), line.substr(blank + 1), vocab, model);
}

void read_merges(const json& list, const TokenIds& vocab, BpeModel& model) {
  check(list.is_array(), "{}: \"merges\" must be a list", vocab.name);
  for (const json& merge : list) {
    if (merge.is_string()) {
      add_merge(merge.get_ref<const std::string&>(), vocab, model);
    } else {
      const std::string what = fmt::format("{}: merge {}", vocab.name, model.merges.size());
      check(merge.is_array() && merge.size() == 2, "{} is not two tokens", what);
      const std::string& left = string_of(merge[0], what);
      const std::string& right = string_of(merge[1], what);
      check(left.find(' ') == left.npos && right.find(' ') == right.npos,
            "{}: a blank in a token; this is not a byte-level BPE", what);
      add_merge(left, right, vocab, model);
    }
  }
}

}  // namespace

BpeModel read_bpe(const json& file, const std::string& name) {
  const json& inner = member(file, "model", name);
  const std::string where = name + ": \"model\"";
  const json& type = member(inner, "type", where);
  check(type.is_null() || type == json("BPE"),
        "{}: heed reads byte-level BPE from this format, not this type of model", name);
  require_absent(file, "normalizer", name);
  for (const char* key :
       {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"}) {
    require_absent(inner, key, name);
  }
  BpeModel model;
  model.added = read_added(member(file, "added_tokens", name), name);
  read_pre_tokenizer(member(file, "pre_tokenizer", name), model, name);
  const json& vocabulary = member(inner, "vocab", name);
  model.tokens = read_tokens(vocabulary, model.added, name);
  read_merges(member(inner, "merges", name), {&vocabulary, name}, model);
  model.ignore_merges = bool_of(member(inner, "ignore_merges", name), false, name);
  if (const json& unknown = member(inner, "unk_token", name); !unknown.is_null()) {
    const auto id = TokenIds{&vocabulary, name}.find(string_of(unknown, name + ": \"unk_token\""));
    check(id.has_value(), "{}: the unknown token is not in the vocabulary", name);
    model.unknown = static_cast<int32_t>(*id);
  }
  return model;
}

BpeModel read_bpe(const json& vocabulary, std::string_view merges, const std::string& name) {
  BpeModel model;
  model.tokens = read_tokens(vocabulary, model.added, name);
  bool first = true;
  while (!merges.empty()) {
    const size_t end = std::min(merges.find('\n'), merges.size());
    std::string_view line = merges.substr(0, end);
    merges.remove_prefix(std::min(end + 1, merges.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !(first && line.starts_with("#version"))) {
      add_merge(line, {&vocabulary, name}, model);
    }
    first = false;
  }
  model.splits = {{.pattern = kGpt2Pattern}};
  // These files do not say which tokens are special; their names do.
  const Vocabulary tokens(model.tokens, name);
  model.added = named_tokens(tokens, find_specials(tokens));
  return model;
}

}  // namespace heed

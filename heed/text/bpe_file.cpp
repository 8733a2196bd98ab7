// tokenizer.json of Hugging Face's tokenizers, byte-level BPE; and GPT-2's vocab.json + merges.txt.

#include <algorithm>
#include <limits>
#include <utility>

#include "heed/base/fail_internal.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/json_internal.h"

namespace heed {
namespace {

using nlohmann::json;

// Tokens in the order of their ids, which must be 0, 1, 2, ... in any order.
class TokenSlots {
 public:
  TokenSlots(size_t count, const std::string& name)
      : tokens_(count), used_(count, false), name_(name) {}

  // Messages are made only where they are needed: there are many tokens.
  void put(int64_t id, const std::string& token) {
    if (id < 0 || id >= static_cast<int64_t>(tokens_.size())) {
      fail("{}: token {} has id {}, but there are {} tokens: ids must be 0 to {}", name_,
           json_text(token), id, tokens_.size(), tokens_.size() - 1);
    }
    const auto at = static_cast<size_t>(id);
    if (used_[at]) {
      fail("{}: tokens {} and {} both have id {}", name_, json_text(tokens_[at]), json_text(token),
           id);
    }
    check(!token.empty(), "{}: token {} is empty", name_, id);
    used_[at] = true;
    tokens_[at] = token;
  }

  // As many ids as slots, none twice: there is no gap.
  std::vector<std::string> take() { return std::move(tokens_); }

 private:
  std::vector<std::string> tokens_;
  std::vector<bool> used_;
  const std::string& name_;
};

int64_t id_of(const std::string& token, const json& value, const std::string& name) {
  if (value.is_number_unsigned() && value.get<uint64_t>() <= INT32_MAX) return value.get<int64_t>();
  fail("{}: the id of {} is not a whole number from 0 to {}", name, json_text(token), INT32_MAX);
}

struct Vocab {
  const json* object;
  const std::string& name;

  std::optional<int64_t> find(const std::string& token) const {
    const auto found = object->find(token);
    if (found == object->end()) return std::nullopt;
    return id_of(token, *found, name);
  }
};

std::vector<AddedToken> read_added(const json& list, const std::string& name) {
  std::vector<AddedToken> added;
  check(list.is_null() || list.is_array(), "{}: \"added_tokens\" must be a list", name);
  for (const json& entry : list) {
    const std::string what = fmt::format("{}: added token {}", name, added.size());
    AddedToken token;
    token.text = string_of(member(entry, "content", what), what + ": \"content\"");
    const int64_t id = integer_of(member(entry, "id", what), what + ": \"id\"");
    check(id >= 0 && id <= std::numeric_limits<int32_t>::max(), "{}: the id {} is not possible",
          what, id);
    check(!token.text.empty(), "{} is empty", what);
    check(!bool_of(member(entry, "single_word", what), false, what),
          "{}: \"single_word\" is not supported", what);
    token.id = static_cast<int32_t>(id);
    token.strip_left = bool_of(member(entry, "lstrip", what), false, what);
    token.strip_right = bool_of(member(entry, "rstrip", what), false, what);
    added.push_back(std::move(token));
  }
  return added;
}

void read_tokens(const json& vocabulary, BpeModel& model, const std::string& name) {
  check(vocabulary.is_object() && !vocabulary.empty(),
        "{}: the vocabulary must be an object {{\"token\": id, ...}}", name);
  const Vocab vocab{&vocabulary, name};
  std::vector<const AddedToken*> more;
  for (const AddedToken& token : model.added) {
    const auto id = vocab.find(token.text);
    check(!id || *id == token.id,
          "{}: token {} has id {} in the vocabulary and {} where it is added", name,
          json_text(token.text), id.value_or(0), token.id);
    if (!id) more.push_back(&token);
  }
  TokenSlots slots(vocabulary.size() + more.size(), name);
  for (const auto& [token, id] : vocabulary.items()) {
    slots.put(id_of(token, id, name), token);
  }
  for (const AddedToken* token : more) slots.put(token->id, token->text);
  model.tokens = slots.take();
}

// Adds the merge of two tokens that are in the vocabulary, together and apart.
void add_merge(std::string_view left, std::string_view right, const Vocab& vocab, BpeModel& model) {
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

void add_merge(std::string_view line, const Vocab& vocab, BpeModel& model) {
  const size_t blank = line.find(' ');
  const bool good = blank != std::string_view::npos && line.find(' ', blank + 1) == line.npos;
  check(good, "{}: merge {} is not two tokens with a blank between", vocab.name,
        model.merges.size());
  add_merge(line.substr(0, blank), line.substr(blank + 1), vocab, model);
}

void read_merges(const json& list, const Vocab& vocab, BpeModel& model) {
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

void require_absent(const json& object, const char* key, const std::string& name) {
  const json& value = member(object, key, name);
  const bool absent = value.is_null() || value == json("") || value == json(false) ||
                      (value.is_number() && value == json(0));
  check(absent, "{}: \"{}\" is not supported", name, key);
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
  read_tokens(vocabulary, model, name);
  read_merges(member(inner, "merges", name), {&vocabulary, name}, model);
  model.ignore_merges = bool_of(member(inner, "ignore_merges", name), false, name);
  if (const json& unknown = member(inner, "unk_token", name); !unknown.is_null()) {
    const auto id = Vocab{&vocabulary, name}.find(string_of(unknown, name + ": \"unk_token\""));
    check(id.has_value(), "{}: the unknown token is not in the vocabulary", name);
    model.unknown = static_cast<int32_t>(*id);
  }
  return model;
}

BpeModel read_bpe(const json& vocabulary, std::string_view merges, const std::string& name) {
  BpeModel model;
  read_tokens(vocabulary, model, name);
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

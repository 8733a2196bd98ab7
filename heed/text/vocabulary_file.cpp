#include <algorithm>
#include <limits>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/json.h"
#include "heed/text/vocabulary_file_internal.h"

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

}  // namespace

std::optional<int64_t> TokenIds::find(const std::string& token) const {
  const auto found = object->find(token);
  if (found == object->end()) return std::nullopt;
  return id_of(token, *found, name);
}

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

std::vector<std::string> read_tokens(const json& vocabulary, const std::vector<AddedToken>& added,
                                     const std::string& name) {
  check(vocabulary.is_object() && !vocabulary.empty(),
        "{}: the vocabulary must be an object {{\"token\": id, ...}}", name);
  const TokenIds vocab{&vocabulary, name};
  std::vector<const AddedToken*> more;
  for (const AddedToken& token : added) {
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
  return slots.take();
}

void require_absent(const json& object, const char* key, const std::string& name) {
  const json& value = member(object, key, name);
  const bool absent = value.is_null() || value == json("") || value == json(false) ||
                      (value.is_number() && value == json(0));
  check(absent, "{}: \"{}\" is not supported", name, key);
}

std::string write_added(std::vector<AddedToken> added) {
  std::sort(added.begin(), added.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  std::string text;
  for (const AddedToken& token : added) {
    text += fmt::format(
        "{}\n    {{\"id\": {}, \"content\": {}, \"single_word\": false, \"lstrip\": {}, "
        "\"rstrip\": {}, \"normalized\": false, \"special\": true}}",
        text.empty() ? "" : ",", token.id, json_text(token.text), token.strip_left,
        token.strip_right);
  }
  return text;
}

std::string write_tokens(const std::vector<std::string>& tokens) {
  std::string text;
  for (size_t id = 0; id < tokens.size(); ++id) {
    text += fmt::format("{}\n      {}: {}", id == 0 ? "" : ",", json_text(tokens[id]), id);
  }
  return text;
}

}  // namespace heed

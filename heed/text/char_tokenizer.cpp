#include <algorithm>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/char_tokenizer_internal.h"
#include "heed/text/frequency_internal.h"
#include "heed/text/token_file_internal.h"
#include "heed/text/utf8.h"

namespace heed {

CharTokenizer::CharTokenizer(TokenFile file, const std::string& name)
    : VocabularyTokenizer(std::move(file.vocabulary), file.specials, AddedTokens()) {
  check(specials().unknown.has_value(), "{}: a char tokenizer needs the special token \"unk\"",
        name);
  std::vector<AddedToken> named = named_tokens(vocabulary(), specials());
  ids_.reserve(static_cast<size_t>(size()));
  ascii_.assign(128, *specials().unknown);
  for (int32_t id = 0; id < size(); ++id) {
    const bool is_named = std::any_of(named.begin(), named.end(),
                                      [&](const AddedToken& token) { return token.id == id; });
    if (is_named) continue;
    const CodePoint point = first_code_point(token(id));
    check(point.valid && point.bytes == token(id).size(),
          "{}: token {} of a char tokenizer is not one character", name, id);
    ids_.emplace(point.value, id);
    if (point.value < 128) ascii_[point.value] = id;
  }
  set_added(AddedTokens(std::move(named)));
}

void CharTokenizer::encode_text(std::string_view text, std::vector<int32_t>& ids) const {
  ids.reserve(ids.size() + text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (point.value < 128) {
      ids.push_back(ascii_[point.value]);
    } else {
      const auto found = point.valid ? ids_.find(point.value) : ids_.end();
      ids.push_back(found == ids_.end() ? *specials().unknown : found->second);
    }
    text.remove_prefix(point.bytes);
  }
}

void CharTokenizer::decode_next(int32_t id, DecodeState& state, std::string& text) const {
  state.begun = true;
  if (id == specials().unknown) {
    append_utf8(text, kReplacement);
  } else {
    text += token(id);
  }
}

std::string CharTokenizer::file_contents() const {
  return write_token_file(kind(), vocabulary(), specials());
}

std::shared_ptr<const Tokenizer> train_characters(std::span<const std::string_view> texts,
                                                  int64_t size) {
  std::unordered_map<char32_t, int64_t> counts;
  std::vector<int64_t> ascii(128, 0);
  for (std::string_view text : texts) {
    while (!text.empty()) {
      const CodePoint point = first_code_point(text);
      if (point.value < 128) {
        ++ascii[point.value];
      } else if (point.valid) {
        ++counts[point.value];
      }
      text.remove_prefix(point.bytes);
    }
  }
  std::vector<CountedToken> tokens;
  const auto add = [&](char32_t value, int64_t count) {
    std::string text;  // the order of UTF-8 is the order of code points
    append_utf8(text, value);
    tokens.push_back({std::move(text), count});
  };
  for (const auto& [value, count] : counts) add(value, count);
  for (char32_t value = 0; value < 128; ++value) {
    if (ascii[value] > 0) add(value, ascii[value]);
  }
  return std::make_shared<CharTokenizer>(most_frequent(std::move(tokens), size), "char tokenizer");
}

}  // namespace heed

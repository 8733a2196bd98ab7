#include <algorithm>
#include <utility>

#include "heed/text/vocabulary_tokenizer_internal.h"

namespace heed {
namespace {

std::optional<int32_t> first_of(const Vocabulary& vocabulary,
                                std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto id = vocabulary.find(name)) return id;
  }
  return std::nullopt;
}

}  // namespace

SpecialIds find_specials(const Vocabulary& vocabulary) {
  SpecialIds ids;
  ids.unknown = first_of(vocabulary, {kUnknownName, "<unk>", "[UNK]"});
  ids.bos = first_of(vocabulary,
                     {"<|bos|>", "<s>", "<bos>", "[BOS]", "<|begin_of_text|>", "<|endoftext|>"});
  ids.eos = first_of(vocabulary,
                     {"<|eos|>", "</s>", "<eos>", "[EOS]", "<|end_of_text|>", "<|endoftext|>"});
  ids.separator = first_of(vocabulary, {"<|sep|>", "<sep>", "[SEP]"});
  ids.cls = first_of(vocabulary, {"<|cls|>", "<cls>", "[CLS]"});
  return ids;
}

std::vector<AddedToken> named_tokens(const Vocabulary& vocabulary, const SpecialIds& ids) {
  std::vector<AddedToken> tokens;
  for (const auto& id : {ids.unknown, ids.bos, ids.eos, ids.separator, ids.cls}) {
    const auto same = [&](const AddedToken& token) { return token.id == *id; };
    if (!id || std::any_of(tokens.begin(), tokens.end(), same)) continue;
    tokens.push_back({.text = vocabulary.token(*id), .id = *id});
  }
  return tokens;
}

VocabularyTokenizer::VocabularyTokenizer(Vocabulary vocabulary, const SpecialIds& specials,
                                         AddedTokens added)
    : vocabulary_(std::move(vocabulary)), specials_(specials), added_(std::move(added)) {}

std::vector<int32_t> VocabularyTokenizer::encode(std::string_view text, SpecialNames names) const {
  std::vector<int32_t> ids;
  size_t from = 0;
  if (names == SpecialNames::are_tokens) {
    while (const auto match = added_.next(text, from)) {
      if (match->begin > from) {
        encode_text(text.substr(from, match->begin - from), ids);
      }
      ids.push_back(match->id);
      from = match->end;
    }
  }
  if (from < text.size()) encode_text(text.substr(from), ids);
  return ids;
}

}  // namespace heed

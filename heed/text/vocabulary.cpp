#include "heed/text/vocabulary_internal.h"

#include <limits>
#include <utility>

#include "heed/base/fail.h"

namespace heed {

Vocabulary::Vocabulary(std::vector<std::string> tokens, const std::string& name)
    : tokens_(std::move(tokens)) {
  check(tokens_.size() <= static_cast<size_t>(std::numeric_limits<int32_t>::max()),
        "{}: {} tokens are too many", name, tokens_.size());
  ids_.reserve(tokens_.size());
  for (size_t id = 0; id < tokens_.size(); ++id) {
    const auto [first, is_new] = ids_.emplace(tokens_[id], static_cast<int32_t>(id));
    check(is_new, "{}: tokens {} and {} are the same", name, first->second, id);
  }
}

const std::string& Vocabulary::token(int32_t id) const {
  check(id >= 0 && id < size(), "tokenizer: id {} is not in the vocabulary, 0 to {}", id,
        size() - 1);
  return tokens_[id];
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

}  // namespace heed

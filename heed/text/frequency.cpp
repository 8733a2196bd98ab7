#include <algorithm>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/frequency_internal.h"
#include "heed/text/vocabulary_tokenizer_internal.h"

namespace heed {

TokenFile most_frequent(std::vector<CountedToken> tokens, int64_t size) {
  std::vector<std::string> list{std::string(kUnknownName)};
  list.insert(list.end(), kSpecialNames.begin(), kSpecialNames.end());
  const auto fixed = static_cast<int64_t>(list.size());
  check(size == 0 || size > fixed,
        "tokenizer: a vocabulary of {} has no room beside the {} special tokens; ask for more",
        size, fixed);
  check(!tokens.empty(), "tokenizer: there is no text to train on");
  std::sort(tokens.begin(), tokens.end(), [](const CountedToken& a, const CountedToken& b) {
    return a.count != b.count ? a.count > b.count : a.text < b.text;
  });
  if (size > 0 && static_cast<int64_t>(tokens.size()) > size - fixed) {
    tokens.resize(static_cast<size_t>(size - fixed));
  }
  for (CountedToken& token : tokens) list.push_back(std::move(token.text));
  return {Vocabulary(std::move(list), "tokenizer"),
          {.unknown = 0, .bos = 1, .eos = 2, .separator = 3, .cls = 4}};
}

}  // namespace heed

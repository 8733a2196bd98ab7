#include "apps/cli/inputs/first_tokens.h"

#include <gtest/gtest.h>

#include "heed/corpora/phrase_corpus.h"
#include "heed/text/train_tokenizer.h"

namespace heed::first_tokens_test {
namespace {

// What the tour counts: the row of each French word among the rows of all tokens.
TEST(FirstTokens, FindTheWordsOfPhrases) {
  std::vector<std::string> targets;
  for (int64_t i = 0; i < 500; ++i) {
    targets.push_back(phrase_pair(CorpusPart::train, 1, i).target);
  }
  const std::vector<std::string_view> texts(targets.begin(), targets.end());
  const auto tokenizer = train_tokenizer(texts, {.kind = TokenizerKind::word});
  int64_t with_apostrophe = 0;
  for (size_t i = 0; i < targets.size(); ++i) {
    const std::vector<int64_t> first = cli::first_tokens(*tokenizer, targets[i]);
    const std::vector<int32_t> ids = tokenizer->encode(targets[i]);
    const auto alignment = phrase_pair(CorpusPart::train, 1, static_cast<int64_t>(i)).alignment;
    ASSERT_EQ(first.size(), alignment.size()) << targets[i];
    std::string word;
    for (size_t t = 0, begin = 0; t < first.size(); ++t) {
      word = targets[i].substr(begin, targets[i].find(' ', begin) - begin);
      begin += word.size() + 1;
      const auto at = static_cast<size_t>(first[t]);
      ASSERT_LT(at, ids.size());
      EXPECT_TRUE(word.starts_with(tokenizer->decode({&ids[at], 1}))) << word << targets[i];
    }
    with_apostrophe += targets[i].find('\'') == std::string::npos ? 0 : 1;
  }
  EXPECT_GT(with_apostrophe, 10);
  EXPECT_EQ(cli::first_tokens(*tokenizer, "l' arbre vert"), (std::vector<int64_t>{0, 2, 3}));
}

}  // namespace
}  // namespace heed::first_tokens_test

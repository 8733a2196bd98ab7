#include <chrono>
#include <map>

#include "heed/base/parallel.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "tests/text/samples.h"

namespace heed {
namespace {

using Word = std::vector<std::string>;
using Pair = std::pair<std::string, std::string>;

// The definition, step by step, on the words of a text.
std::vector<Pair> plain_training(std::string_view text, size_t merges) {
  std::vector<Word> words;
  const SplitPattern pattern(kGpt2Pattern, SplitPattern::Gaps::keep, "test");
  pattern.split(text, [&](std::string_view word) {
    words.emplace_back();
    for (const char c : word) words.back().emplace_back(1, c);
  });
  // The ids, which decide between pairs that are equally frequent.
  std::map<std::string, int32_t> ids;
  const auto bytes = trained(TokenizerKind::bpe, 260, text);
  for (int32_t id = 0; id < 256; ++id) ids[bytes->decode(std::vector<int32_t>{id})] = id;
  std::vector<Pair> result;
  while (result.size() < merges) {
    std::map<std::pair<int32_t, int32_t>, int64_t> counts;
    std::map<std::pair<int32_t, int32_t>, Pair> names;
    for (const Word& word : words) {
      for (size_t i = 0; i + 1 < word.size(); ++i) {
        const std::pair key{ids[word[i]], ids[word[i + 1]]};
        ++counts[key];
        names[key] = {word[i], word[i + 1]};
      }
    }
    std::pair<int32_t, int32_t> best;
    int64_t max = 1;
    for (const auto& [key, count] : counts) {
      if (count > max) {
        max = count;
        best = key;
      }
    }
    if (max < 2) break;
    const auto [left, right] = names[best];
    result.push_back(names[best]);
    ids.emplace(left + right, static_cast<int32_t>(ids.size()));
    for (Word& word : words) {
      Word merged;
      for (size_t i = 0; i < word.size(); ++i) {
        if (i + 1 < word.size() && word[i] == left && word[i + 1] == right) {
          merged.push_back(word[i] + word[i + 1]);
          ++i;
        } else {
          merged.push_back(word[i]);
        }
      }
      word = merged;
    }
  }
  return result;
}

std::vector<Pair> trained_merges(std::string_view text, int64_t size) {
  const BpeModel model = train_bpe({&text, 1}, size);
  std::vector<Pair> result;
  BpeModel copy = model;
  const BpeTokenizer tokenizer(std::move(copy), "test");
  for (const BpeMerge& merge : model.merges) {
    result.emplace_back(tokenizer.decode(std::vector<int32_t>{merge.left}),
                        tokenizer.decode(std::vector<int32_t>{merge.right}));
  }
  return result;
}

TEST(BpeTraining, FollowsTheDefinition) {
  const std::string texts[] = {kSampleText, "aaaa aaaaa aaa aaaaaaa", "abababab abab bababa abcabc",
                               "low lower lowest newer newest wider widest low low"};
  for (const std::string& text : texts) {
    const auto expected = plain_training(text, 60);
    const auto got = trained_merges(text, 260 + 60);
    ASSERT_GE(got.size(), std::min<size_t>(60, expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(got[i], expected[i]) << text << i;
  }
}

TEST(BpeTraining, RandomTextsFollowTheDefinition) {
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += "ab c"[random() % 4];
    const auto expected = plain_training(text, 1000);
    EXPECT_EQ(trained_merges(text, 2000), expected) << text;
  }
}

TEST(BpeTraining, TheSameForAnyNumberOfThreads) {
  std::string expected;
  for (const int threads : {1, 2, 8}) {
    const ThreadScope scope(threads);
    const std::string contents = trained(TokenizerKind::bpe, 400)->file_contents();
    if (expected.empty()) expected = contents;
    EXPECT_EQ(contents, expected);
  }
}

TEST(BpeTraining, LaysOutIdsAsGpt2Does) {
  const auto bpe = trained(TokenizerKind::bpe, 285);
  EXPECT_EQ(bpe->size(), 285);
  EXPECT_EQ(bpe->token(0), "!");
  EXPECT_EQ(bpe->token(220), "Ġ");
  EXPECT_EQ(bpe->token(198), "Ċ");
  EXPECT_EQ(bpe->specials().bos, 281);
  EXPECT_EQ(bpe->token(284), "<|cls|>");
  EXPECT_FALSE(bpe->specials().unknown.has_value());
  EXPECT_EQ(trained(TokenizerKind::bpe, 100000)->decode(bpe->encode("x")), "x");
  EXPECT_THROW(trained(TokenizerKind::bpe, 259), Error);
}

// A text without spaces is one word; neither training nor encoding may take quadratic time.
TEST(BpeTraining, OneLongWord) {
  std::mt19937 random(3);
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += "acgt"[random() % 4];
  const auto begin = std::chrono::steady_clock::now();
  const auto bpe = trained(TokenizerKind::bpe, 2000, text);
  EXPECT_EQ(bpe->decode(bpe->encode(text)), text);
  for (const char c : {'a', ' ', '\n', '\xff', '!'}) {
    const std::string line(1'000'000, c);
    EXPECT_EQ(bpe->decode(bpe->encode(line)), line);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 60);  // about 1; a quadratic loop would take hours
}

}  // namespace
}  // namespace heed

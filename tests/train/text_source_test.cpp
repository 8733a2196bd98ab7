#include "heed/train/text_source.h"

#include <gtest/gtest.h>

#include "heed/text/train_tokenizer.h"

namespace heed::text_source_test {
namespace {

using Texts = std::vector<std::string_view>;

TEST(Samples, OneTextEndsWithTheLineThatFillsIt) {
  Samples samples(10);
  Sample& sample = samples.next();
  for (const char* line : {"abcdefgh", "ijk", "lmn"}) sample.add(line);
  EXPECT_EQ(samples.texts(), Texts{"abcdefgh\nijk\n"});
  EXPECT_EQ(samples.bytes(), 17);
}

TEST(Samples, SeveralThatFitAreWhole) {
  Samples samples(9);
  samples.next().add("abcd");
  samples.next().add("efg");
  EXPECT_EQ(samples.texts(), (Texts{"abcd\n", "efg\n"}));
}

TEST(Samples, LongTextsShareWhatShortOnesLeave) {
  Samples samples(30);
  samples.next().add(std::string(99, 'a'));
  samples.next().add("abcd");
  samples.next().add(std::string(99, 'b'));
  const std::string a(12, 'a'), b(12, 'b');
  EXPECT_EQ(samples.texts(), (Texts{a, "abcd\n", b}));
  EXPECT_EQ(samples.bytes(), 205);
}

TEST(Samples, ManyTextsAreNoLongerThanOne) {
  Samples samples(1000);
  std::string line;
  for (int i = 0; i < 40; ++i) line += "\u00e9";
  for (int i = 0; i < 300; ++i) samples.next().add(line);
  const Texts texts = samples.texts();
  EXPECT_EQ(texts.size(), 300u);
  EXPECT_EQ(samples.bytes(), 300 * 81);
  size_t total = 0;
  for (const std::string_view text : texts) {
    EXPECT_TRUE(text.size() >= 2 && text.size() <= 20) << text.size();
    EXPECT_EQ(text.size() % 2, 0u);  // whole characters
    total += text.size();
  }
  EXPECT_LE(total, 1000u);
}

TEST(UnknownTokens, AreCountedAndTold) {
  const std::string_view text = "aab";
  const auto letters = train_tokenizer({&text, 1}, {.kind = TokenizerKind::character});
  EXPECT_EQ(count_unknown(*letters, letters->encode("abc d")), 3);
  const auto bytes = train_tokenizer({}, {.kind = TokenizerKind::byte});
  EXPECT_EQ(count_unknown(*bytes, bytes->encode("abc d")), 0);
  std::vector<std::string> notes;
  note_unknown_tokens(0, 5, notes);
  EXPECT_TRUE(notes.empty());
  note_unknown_tokens(3, 5, notes);
  EXPECT_EQ(notes[0], "unknown tokens in training: 3 of 5, 60.00 % (`tokenizer`, `vocab-size`)");
}

}  // namespace
}  // namespace heed::text_source_test

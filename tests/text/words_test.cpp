#include "heed/text/words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heed::words_test {
namespace {

std::string words_of(const std::string& text, WordEdges edges = WordEdges::punctuation) {
  std::string result;
  for (const WordPlace& place : find_words(text, edges)) {
    result += (result.empty() ? "" : "|") + text.substr(place.begin, place.end - place.begin);
  }
  return result;
}

TEST(Words, AreCutAtWhiteSpaceAndPunctuation) {
  EXPECT_EQ(words_of("He said: \"It's 3.5 km.\""), "He|said|:|\"|It's|3.5|km|.|\"");
  EXPECT_EQ(words_of("  a\tb\xc2\xa0"
                     "c  "),
            "a|b|c");
  EXPECT_EQ(words_of("(well-known)..."), "(|well-known|)|.|.|.");
  EXPECT_EQ(words_of("«Élan»\u2026 \u201cx\u201d"), "«|Élan|»|\u2026|\u201c|x|\u201d");
  EXPECT_EQ(words_of("?!"), "?|!");
  EXPECT_EQ(words_of(""), "");
  EXPECT_EQ(words_of(" \n"), "");
  EXPECT_EQ(words_of("\xff\xfe a\xff"), "\xff\xfe|a\xff");
}

TEST(Words, OfTextThatIsCutAlready) {
  EXPECT_EQ(words_of(" do n't ( \"so\" )... ", WordEdges::spaces), "do|n't|(|\"so\"|)...");
  EXPECT_EQ(words_of(" \n", WordEdges::spaces), "");
  EXPECT_EQ(words_of("10\u00a0000 a\tb", WordEdges::spaces), "10\u00a0000|a|b");
  const std::vector<WordPlace> words = find_words("a ... b.", WordEdges::spaces);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_TRUE(words[1].is_mark);
  EXPECT_FALSE(words[0].is_mark || words[2].is_mark);
}

}  // namespace
}  // namespace heed::words_test

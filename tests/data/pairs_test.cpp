#include "heed/data/pairs.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/corpora/corpus_part.h"
#include "heed/data/text_blocks.h"
#include "tests/data/temporary_file.h"

namespace heed::pairs_test {
namespace {

const ReadOptions kCount{.lines = {.bad_bytes = OnMistake::count}, .records = OnMistake::count};

TextSource memory(std::string_view text, const char* name = "file") { return {text, name}; }

// Source and target.
struct OwnPair {
  std::string source, target;

  bool operator==(const OwnPair&) const = default;
};

struct Pairs {
  std::vector<OwnPair> pairs;
  PairReport report;
};

Pairs read(std::string_view source, std::string_view target, const ReadOptions& options = {}) {
  Pairs result;
  result.report =
      for_each_pair(memory(source, "a.en"), memory(target, "a.de"), options, [&](auto s, auto t) {
        result.pairs.push_back({std::string(s), std::string(t)});
      });
  return result;
}

Pairs read(std::string_view both, const ReadOptions& options = {}) {
  Pairs result;
  result.report = for_each_pair(memory(both, "a.tsv"), options, [&](auto s, auto t) {
    result.pairs.push_back({std::string(s), std::string(t)});
  });
  return result;
}

template <typename F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Pairs, BelongLineByLine) {
  const Pairs result = read("a b\n\nc\r\nd", "A B\nx\nC\n \n");
  EXPECT_EQ(result.pairs, (std::vector<OwnPair>{{"a b", "A B"}, {"c", "C"}}));
  EXPECT_EQ(result.report.empty.lines, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(result.report.pairs, 2);
  EXPECT_FALSE(result.report.mismatched());
  EXPECT_EQ(result.report.findings()[0].text, "2 pairs with an empty side, left out: lines 2, 4");
}

TEST(Pairs, NameBothCountsOfAMismatch) {
  EXPECT_EQ(message([] { read("a\nb\nc\n", "a\n"); }),
            "a.en has 3 lines and a.de has 1 line; line n of one must belong to line n of the "
            "other");
  const Pairs counted = read("a\nb\nc\n", "a\n", kCount);
  EXPECT_TRUE(counted.report.mismatched());
  EXPECT_EQ(counted.pairs.size(), 1u);
  EXPECT_TRUE(read("", "a\n", kCount).report.mismatched());
  EXPECT_FALSE(read("", "").report.mismatched());
}

TEST(Pairs, BadBytesNameTheFile) {
  EXPECT_EQ(message([] { read("a\n", "\xff\n"); }).substr(0, 21), "a.de: line 1, byte 1:");
}

TEST(Pairs, OfOneFileAreSeparatedByATab) {
  const Pairs result = read("a b\tA B\n\nc\tC\n\td\n");
  EXPECT_EQ(result.pairs, (std::vector<OwnPair>{{"a b", "A B"}, {"c", "C"}}));
  EXPECT_EQ(result.report.empty.count, 2);
  EXPECT_NE(message([] { read("a\tb\nc\n"); }).find("a.tsv: line 2 must be source<TAB>target"),
            std::string::npos);
  EXPECT_THROW(read("a\tb\tc\n"), Error);
  EXPECT_EQ(read("a\tb\tc\nd\ne\tf\n", kCount).report.no_tab.count, 2);
  EXPECT_FALSE(read("a\tb\n").report.mismatched());
}

TEST(TextBlocks, GiveTheTextBack) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line number " + std::to_string(i) + "\n";
  for (const std::string& all : {text, text + "no newline at the end", std::string(5000, 'x'),
                                 std::string("\n\n\n"), std::string()}) {
    for (const int64_t bytes : {16, 100, 1 << 20}) {
      std::string back;
      for_each_block(memory(all), {.bytes = bytes}, [&](std::string_view block) {
        EXPECT_LT(static_cast<int64_t>(block.size()), 2 * bytes + 2);
        EXPECT_FALSE(block.empty());
        back += block;
      });
      EXPECT_EQ(back, all);
    }
  }
}

TEST(TextBlocks, RemoveMarkAndCarriageReturns) {
  std::string back;
  const TextReport report = for_each_block(memory("\xef\xbb\xbf"
                                                  "a\r\n\r\nb"),
                                           {}, [&](std::string_view block) { back += block; });
  EXPECT_EQ(back, "a\n\nb");
  EXPECT_EQ(report.lines.crlf, 2);
  EXPECT_TRUE(report.lines.missing_newline);
  EXPECT_THROW(for_each_block(memory("\xff"), {}, [](auto) {}), Error);
}

}  // namespace
}  // namespace heed::pairs_test

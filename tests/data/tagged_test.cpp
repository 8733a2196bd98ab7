#include "heed/data/tagged.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"

namespace heed::tagged_test {
namespace {

using Sentences = std::vector<TaggedSentence>;

struct Tagged {
  Sentences sentences;
  TaggedReport report;
};

Tagged read(std::string_view text, const TaggedOptions& options = {}, const char* name = "f.txt") {
  Tagged result;
  result.report = for_each_tagged(TextSource(text, name), options,
                                  [&](const auto& s) { result.sentences.push_back(s); });
  return result;
}

TaggedOptions counting() {
  return {.read = {.lines = {.bad_bytes = OnMistake::count}, .records = OnMistake::count}};
}

std::string message(std::string_view text, const TaggedOptions& options = {}) {
  try {
    read(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tagged, Columns) {
  const Tagged result = read(
      "-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects  VBZ B-VP O \n\n\n# NN O O\r\n. . O O");
  EXPECT_EQ(result.sentences,
            (Sentences{{{"EU", "rejects"}, {"B-ORG", "O"}}, {{"#", "."}, {"O", "O"}}}));
  EXPECT_EQ(result.report.format, DataFormat::conll);
  EXPECT_EQ(result.report.skipped, 1);
  EXPECT_EQ(result.report.sentences, 2);
  EXPECT_EQ(result.report.tokens, 4);
  EXPECT_EQ(result.report.tags, (std::map<std::string, int64_t>{{"B-ORG", 1}, {"O", 3}}));
}

TEST(Tagged, TabsKeepBlanksInside) {
  EXPECT_EQ(read("New York\tB-LOC\n").sentences, (Sentences{{{"New York"}, {"B-LOC"}}}));
}

TEST(Tagged, ColumnsAreChosen) {
  const std::string_view text = "1 EU NNP O\n";
  EXPECT_EQ(read(text, {.token_column = 2, .tag_column = 3}).sentences,
            (Sentences{{{"EU"}, {"NNP"}}}));
  EXPECT_EQ(read(text, {.token_column = 2, .tag_column = -2}).sentences,
            (Sentences{{{"EU"}, {"NNP"}}}));
  EXPECT_THROW(read(text, {.token_column = 5}), Error);
  EXPECT_THROW(read(text, {.tag_column = -5}), Error);
  EXPECT_THROW(read(text, {.tag_column = 1}), Error);
}

constexpr std::string_view kUniversal =
    "# sent_id = 1\n"
    "# text = can't go\n"
    "1-2\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tca\tcan\tAUX\tMD\t_\t3\taux\t_\t_\n"
    "2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
    "2.1\tlet\tlet\tVERB\tVB\t_\t_\t_\t_\t_\n"
    "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n"
    "\n"
    "1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n";

TEST(Tagged, Universal) {
  for (const char* name : {"f.conllu", "f.txt"}) {
    const Tagged result = read(kUniversal, {}, name);
    EXPECT_EQ(result.report.format, DataFormat::conllu);
    EXPECT_EQ(result.sentences,
              (Sentences{{{"ca", "n't", "go"}, {"AUX", "PART", "VERB"}}, {{"Yes"}, {"INTJ"}}}));
    EXPECT_EQ(result.report.skipped, 2);
    EXPECT_TRUE(result.report.findings().empty());
  }
  EXPECT_EQ(read(kUniversal, {.tag_column = 5}).sentences[1].tags[0], "UH");
}

TEST(Tagged, MistakesAreNamed) {
  EXPECT_EQ(message("a O\nb\n"),
            "f.txt: line 2: there is 1 column, expected the word in column 1 and the tag in the "
            "last, another one");
  EXPECT_EQ(message("a\t\n"), "f.txt: line 1: the tag is empty");
  // The last column is not the tag's in every row.
  EXPECT_EQ(message("# a comment\nthe O\n"),
            "f.txt: line 2: there are 2 columns, but 3 in line 1; take comments out or, if the tag "
            "is the "
            "last of every row all the same, train with `tag-column` -1");
  EXPECT_EQ(message("a X DET\n\nd X\n").substr(0, 41), "f.txt: line 3: there are 2 columns, but 3");
  EXPECT_EQ(message("a X DET\n\nd X\n", {.tag_column = 2}), "");
  EXPECT_EQ(message("a X DET\n\nd X\n", {.tag_column = -1}), "");
  EXPECT_EQ(message("1\ta\ta\tX\n", {.format = DataFormat::conllu}), "");
  EXPECT_EQ(message("x\ta\ta\tX\n", {.format = DataFormat::conllu}),
            "f.txt: line 1: the first column must be a number, got 'x'");
  EXPECT_THROW(read("a O\n", {.format = DataFormat::csv}), Error);
  const Tagged counted = read("a O\nb\nc O\n\nd\n", counting());
  EXPECT_EQ(counted.sentences, (Sentences{{{"a", "c"}, {"O", "O"}}}));
  EXPECT_EQ(counted.report.bad_rows.lines, (std::vector<int64_t>{2, 5}));
}

TEST(Tagged, Empty) {
  EXPECT_TRUE(read("").sentences.empty());
  EXPECT_TRUE(read("\n\n\n").sentences.empty());
  EXPECT_TRUE(read("# only a comment\n", {}, "f.conllu").sentences.empty());
}

}  // namespace
}  // namespace heed::tagged_test

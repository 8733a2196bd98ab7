#include "heed/data/labeled.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/data/temporary_file.h"

namespace heed::labeled_test {
namespace {

using Items = std::vector<std::pair<std::string, std::string>>;

struct Labeled {
  Items items;
  LabeledReport report;
};

Labeled read(std::string_view text, const LabeledOptions& options = {},
             const char* name = "file.txt") {
  Labeled result;
  result.report = for_each_labeled(TextSource(text, name), options, [&](auto label, auto words) {
    result.items.emplace_back(label, words);
  });
  return result;
}

Labeled read_csv(std::string_view text, const LabeledOptions& options = {}) {
  return read(text, options, "file.csv");
}

LabeledOptions counting() {
  return {.read = {.lines = {.bad_bytes = OnMistake::count}, .records = OnMistake::count}};
}

std::string message(std::string_view text, const LabeledOptions& options = {},
                    const char* name = "file.txt") {
  try {
    read(text, options, name);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Labeled, Tabs) {
  const Labeled result = read("good\tvery nice\nbad\t\n\nbad one\t it\tis  \r\n");
  EXPECT_EQ(result.items, (Items{{"good", "very nice"}, {"bad one", "it\tis"}}));
  EXPECT_EQ(result.report.format, DataFormat::tab);
  EXPECT_EQ(result.report.no_text.lines, std::vector<int64_t>{2});
  EXPECT_EQ(result.report.labels, (std::map<std::string, int64_t>{{"good", 1}, {"bad one", 1}}));
}

TEST(Labeled, FirstBlankWithoutTabs) {
  const Labeled result = read("0 How far is it ?\n 5  Who ?\n3\n");
  EXPECT_EQ(result.items, (Items{{"0", "How far is it ?"}, {"5", "Who ?"}}));
  EXPECT_EQ(result.report.format, DataFormat::space);
  EXPECT_EQ(result.report.no_text.lines, std::vector<int64_t>{3});
  // A tab in a few texts changes nothing.
  EXPECT_EQ(read("0 a\tb\n1 c\n1 d\n").report.format, DataFormat::space);
}

TEST(Labeled, AMissingTabIsNamed) {
  EXPECT_EQ(message("a\tb\nc d\ne\tf\n"),
            "file.txt: line 2: there is no tab between label and text");
  EXPECT_EQ(message("a\tb\n\tf\n"), "file.txt: line 2: the label is empty");
  const Labeled counted = read("a\tb\nc d\ne\tf\n\tg\n", counting());
  EXPECT_EQ(counted.items.size(), 2u);
  EXPECT_EQ(counted.report.bad_records.lines, (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(counted.report.findings()[0].text,
            "2 records that cannot be read: lines 2, 4; the first: there is no tab between label "
            "and text");
}

TEST(Labeled, TheFormatCanBeForced) {
  EXPECT_EQ(read("a b\tc\n", {.format = DataFormat::space}).items, (Items{{"a", "b\tc"}}));
  EXPECT_THROW(read("a b\n", {.format = DataFormat::tab}), Error);
  EXPECT_EQ(read("text,label\nx,y\n", {.format = DataFormat::csv}).items, (Items{{"y", "x"}}));
  EXPECT_THROW(read("a b\n", {.format = DataFormat::conll}), Error);
}

TEST(Labeled, CsvColumnsAreGuessed) {
  EXPECT_EQ(read_csv("id,Label,TEXT\n1,pos,nice\n2,neg,bad\n").items,
            (Items{{"pos", "nice"}, {"neg", "bad"}}));
  EXPECT_EQ(read_csv("sentence;class\nnice;1\n").items, (Items{{"1", "nice"}}));
  EXPECT_EQ(read("text\tlabel\nnice\t1\n", {}, "f.tsv").items, (Items{{"1", "nice"}}));
  EXPECT_EQ(read("1\tnice\n0\tbad\n", {}, "f.tsv").report.format, DataFormat::tab);
}

// A label may be called as columns usually are.
TEST(Labeled, OneKnownNameMakesNoHeader) {
  const std::string_view records = "question\twhere are you\nstatement\ti am here\n";
  EXPECT_EQ(read(records, {}, "f.tsv").items,
            (Items{{"question", "where are you"}, {"statement", "i am here"}}));
  EXPECT_EQ(read("topic\ta text\n", {}, "f.tsv").items, (Items{{"topic", "a text"}}));
  EXPECT_NE(message("question,where\nstatement,here\n", {}, "f.csv").find("`label-column`"),
            std::string::npos);
  // Once one of two columns is named, the other is clear.
  EXPECT_EQ(read_csv("what,sort\nnice,1\n", {.label_column = "sort"}).items,
            (Items{{"1", "nice"}}));
  EXPECT_EQ(read("what\tsort\nnice\t1\n", {.text_column = "what"}, "f.tsv").items,
            (Items{{"1", "nice"}}));
}

TEST(Labeled, CsvColumnsAreChosen) {
  const std::string_view text = "a,b,c\n1,2,3\n";
  EXPECT_EQ(read_csv(text, {.text_column = "c", .label_column = "a"}).items, (Items{{"1", "3"}}));
  EXPECT_EQ(read_csv(text, {.text_column = "2", .label_column = "C"}).items, (Items{{"3", "2"}}));
  EXPECT_EQ(read_csv(text, {.text_column = "1", .label_column = "3", .header = false}).items,
            (Items{{"c", "a"}, {"3", "1"}}));
  EXPECT_EQ(read_csv("\"long text, here\",3\n\"more\",2\n", {.header = false}).items,
            (Items{{"3", "long text, here"}, {"2", "more"}}));
  EXPECT_EQ(message(text, {.text_column = "d"}, "f.csv"),
            "f.csv: there is no column 'd' for the text; the columns are 'a', 'b', 'c'. Name it "
            "with `text-column`, or add `no-header` if this is no header");
  EXPECT_NE(message(text, {}, "f.csv").find("cannot tell which column is the text"),
            std::string::npos);
  EXPECT_THROW(read_csv(text, {.text_column = "a", .label_column = "a"}), Error);
  EXPECT_THROW(read_csv(text, {.text_column = "4", .label_column = "1"}), Error);
}

TEST(Labeled, CsvQuotes) {
  EXPECT_EQ(read_csv("text,label\n\"a \"\"b\"\", c\",x\n\"two\r\nlines\",y\r\n5\" disk,z\n").items,
            (Items{{"x", "a \"b\", c"}, {"y", "two\nlines"}, {"z", "5\" disk"}}));
  EXPECT_EQ(message("text,label\n\"a,b\nc,d\n", {}, "f.csv"),
            "f.csv: line 2: a quote is not closed");
  EXPECT_EQ(message("text,label\na,b\nc\n", {}, "f.csv"),
            "f.csv: line 3: there is 1 column, expected 2");
  LabeledOptions options = counting();
  const Labeled counted = read_csv("text,label\na,b,c\n\na,b\nx,\n\"\n", options);
  EXPECT_EQ(counted.items, (Items{{"b", "a"}}));
  EXPECT_EQ(counted.report.bad_records.lines, (std::vector<int64_t>{2, 5, 6}));
  options.read.lines.longest = 20;
  EXPECT_EQ(read_csv("text,label\n\"" + std::string(100, 'x') + "\",b\nc,d\n", options).items,
            (Items{{"d", "c"}}));
}

TEST(Labeled, EmptyFiles) {
  EXPECT_TRUE(read("").items.empty());
  EXPECT_TRUE(read_csv("").items.empty());
  EXPECT_TRUE(read_csv("text,label\n").items.empty());
}

TEST(Labeled, Latin1) {
  EXPECT_THROW(read("0 caf\xe9\n"), Error);
  LabeledOptions options;
  options.read.lines.encoding = Encoding::latin1;
  EXPECT_EQ(read("0 caf\xe9\n", options).items, (Items{{"0", "caf\u00e9"}}));
}

}  // namespace
}  // namespace heed::labeled_test

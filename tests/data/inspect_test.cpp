#include "heed/data/inspect.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "heed/base/error.h"
#include "tests/data/temporary_file.h"

namespace heed::inspect_test {
namespace {

DataSummary inspected(std::string_view text, const InspectOptions& options,
                      const std::string& ending = ".txt") {
  const TemporaryFile file(text, ending);
  return inspect({file.path()}, options);
}

int64_t faults(const DataSummary& summary) {
  return std::count_if(summary.findings.begin(), summary.findings.end(),
                       [](const Finding& finding) { return finding.is_fault; });
}

TEST(Inspect, PlainText) {
  const DataSummary summary =
      inspected("one two\n\nthree\nf\xc3\xbcnf six seven\n", {.task = DataTask::lm});
  EXPECT_EQ(summary.items, 3);
  EXPECT_EQ(summary.sides[0].words.shortest, 1);
  EXPECT_EQ(summary.sides[0].words.median, 2);
  EXPECT_EQ(summary.sides[0].words.longest, 3);
  EXPECT_EQ(summary.sides[0].words.mean, 2);
  EXPECT_EQ(summary.sides[0].characters.longest, 14);
  EXPECT_EQ(summary.findings, std::vector<Finding>{});
}

TEST(Inspect, CountsEveryBadLine) {
  const DataSummary summary = inspected("a\n\xff\nb\n\xfe\n", {.task = DataTask::lm});
  ASSERT_EQ(faults(summary), 1);
  EXPECT_NE(summary.findings[0].text.find("2 lines with bytes that are not UTF-8: lines 2, 4"),
            std::string::npos);
  EXPECT_EQ(faults(inspected("a\n\xff\n", {.encoding = Encoding::latin1})), 0);
}

TEST(Inspect, NoDataIsAFault) {
  for (const DataTask task :
       {DataTask::lm, DataTask::translate, DataTask::classify, DataTask::tag}) {
    EXPECT_EQ(faults(inspected("", {.task = task})), 1) << name(task);
    EXPECT_EQ(faults(inspected("\n\n", {.task = task})), 1) << name(task);
  }
}

TEST(Inspect, DuplicatesOfLinesThatTell) {
  const std::string line(40, 'x');
  const DataSummary summary =
      inspected("short\nshort\n" + line + "\nother\n" + line + "\n", {.task = DataTask::lm});
  EXPECT_EQ(summary.duplicates.count, 1);
  EXPECT_EQ(summary.duplicates.lines, std::vector<int64_t>{5});
}

TEST(Inspect, Pairs) {
  const TemporaryFile source("a\nb\na\na\n", ".en"), target("x\ny\nx\nz\n", ".de");
  const DataSummary summary =
      inspect({source.path(), target.path()}, {.task = DataTask::translate});
  EXPECT_EQ(summary.items, 4);
  EXPECT_EQ(summary.sides.size(), 2u);
  EXPECT_EQ(summary.duplicates.lines, std::vector<int64_t>{3});
  EXPECT_EQ(summary.conflicts.count, 0);
  const TemporaryFile shorter("x\n", ".de");
  EXPECT_EQ(faults(inspect({source.path(), shorter.path()}, {.task = DataTask::translate})), 1);
  EXPECT_THROW(inspect({"a", "b", "c"}, {.task = DataTask::translate}), Error);
}

TEST(Inspect, LabelsAndConflicts) {
  const DataSummary summary =
      inspected("0 good\n1 bad\n1 good\n0 good\n", {.task = DataTask::classify});
  EXPECT_EQ(summary.labels, (std::map<std::string, int64_t>{{"0", 2}, {"1", 2}}));
  EXPECT_EQ(summary.duplicates.lines, std::vector<int64_t>{4});
  EXPECT_EQ(summary.conflicts.count, 2);
  EXPECT_EQ(faults(inspected("a\tb\nc\td\nx\n", {.task = DataTask::classify})), 1);
}

TEST(Inspect, Tags) {
  const DataSummary summary =
      inspected("a X\nb Y\n\na X\nb Y\n\nb Z\nc\n", {.task = DataTask::tag});
  EXPECT_EQ(summary.items, 3);
  EXPECT_EQ(summary.labels, (std::map<std::string, int64_t>{{"X", 2}, {"Y", 2}, {"Z", 1}}));
  EXPECT_EQ(summary.sides[0].words.longest, 2);
  EXPECT_EQ(summary.sides[0].characters.longest, 3);
  EXPECT_EQ(summary.duplicates.lines, std::vector<int64_t>{2});
  EXPECT_EQ(faults(summary), 1);
}

TEST(Inspect, SharedItems) {
  const InspectOptions options{.task = DataTask::classify};
  const DataSummary train = inspected("0 a\n0 b\n1 c\n1 c\n", options);
  const DataSummary valid = inspected("1 x\n1 b\n0 c\n0 c\n", options);
  EXPECT_EQ(shared_items(valid, train).lines, (std::vector<int64_t>{2, 3, 4}));
  EXPECT_EQ(shared_items(train, valid).count, 3);
}

TEST(GuessTask, ByNamesAndContents) {
  const auto guess = [](std::string_view text, const std::string& ending) {
    const TemporaryFile file(text, ending);
    return guess_task({file.path()});
  };
  EXPECT_EQ(guess("", ".csv"), DataTask::classify);
  EXPECT_EQ(guess("", ".conllu"), DataTask::tag);
  EXPECT_EQ(guess("", ".txt"), DataTask::lm);
  EXPECT_EQ(guess("Once upon a time\nthere was\n", ".txt"), DataTask::lm);
  EXPECT_EQ(guess("pos\tvery nice\nneg\tnot\n", ".txt"), DataTask::classify);
  EXPECT_EQ(guess("EU\tB-ORG\nsays\tO\n\nno\tO\n", ".train"), DataTask::tag);
  EXPECT_EQ(guess("EU NNP B-ORG\nsays VB O\n\nno X O\n", ".train"), DataTask::tag);
  EXPECT_EQ(guess("First Citizen:\nBefore we proceed\n\nAll:\nSpeak.\n", ".txt"), DataTask::lm);
  const TemporaryFile file("a\n");
  EXPECT_EQ(guess_task({"x/train.en", "x/train.de"}), DataTask::translate);
  EXPECT_EQ(guess_task({"en/train.en", "de/train.de"}), DataTask::translate);
  EXPECT_EQ(guess_task({"x/news.en", "short.fr"}), DataTask::translate);
  EXPECT_EQ(guess_task({file.path(), "other.txt"}), DataTask::lm);
  const auto lines = [](std::initializer_list<const char*> begins, const std::string& rest) {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      for (const char* begin : begins) text += begin + rest + std::to_string(i) + "\n";
    }
    return text;
  };
  EXPECT_EQ(guess(lines({"DESC", "NUM:date"}, " what is "), ".train"), DataTask::classify);
  EXPECT_EQ(guess(lines({"0", "1"}, " a film "), ".txt"), DataTask::classify);
  EXPECT_EQ(guess(lines({"A", "The", "I"}, " man walks "), ".txt"), DataTask::lm);
  EXPECT_EQ(guess(lines({"ROMEO:", "JULIET:"}, " alas "), ".txt"), DataTask::lm);
  const std::string pairs =
      "a red car\tune voiture rouge\nthe dog\tle chien\na cat\tun chat\nthe old tree\tle vieux\n";
  EXPECT_EQ(guess(pairs, ".txt"), DataTask::translate);
  EXPECT_EQ(guess(pairs, ".tsv"), DataTask::translate);
  EXPECT_EQ(guess(lines({"a fine film\tpos", "so very bad\tneg"}, ""), ".tsv"), DataTask::classify);
}

}  // namespace
}  // namespace heed::inspect_test

#include "heed/corpora/report_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace heed::report_corpus_test {
namespace {

constexpr CorpusPart kTrain = CorpusPart::train, kTest = CorpusPart::test;

int64_t sentences(const std::string& text) { return std::count(text.begin(), text.end(), '.'); }

TEST(ReportCorpus, IsAFunctionOfPartSeedAndIndex) {
  EXPECT_EQ(report_pair(kTrain, 5, 17), report_pair(kTrain, 5, 17));
  EXPECT_NE(report_pair(kTrain, 5, 17), report_pair(kTrain, 5, 18));
  EXPECT_NE(report_pair(kTrain, 5, 17), report_pair(kTrain, 6, 17));
}

// Another compiler or library must make the same corpus.
TEST(ReportCorpus, StaysAsItIs) {
  const TextPair pair = report_pair(kTrain, 1, 1);
  EXPECT_EQ(pair.source,
            "Many guests came to Stanton on Thursday for the boat race. The year before, it was "
            "held in Elmwood. 15 people came to watch. Nobody was better than Henry Carter. 15 "
            "helpers sold cake.");
  EXPECT_EQ(pair.target, "Henry Carter won the boat race in Stanton on Thursday.");
}

TEST(ReportCorpus, ReportsAndSummariesAreShort) {
  std::set<int64_t> lengths, summary_lengths;
  for (int64_t i = 0; i < 5000; ++i) {
    const TextPair pair = report_pair(kTrain, 3, i);
    lengths.insert(sentences(pair.source));
    summary_lengths.insert(sentences(pair.target));
    EXPECT_EQ(pair.source.find('{'), std::string::npos);
    EXPECT_EQ(pair.target.find('{'), std::string::npos);
  }
  EXPECT_EQ(lengths, (std::set<int64_t>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(summary_lengths, (std::set<int64_t>{1, 2}));
}

// The names in a summary are in the report, in a sentence that says so.
TEST(ReportCorpus, SummariesFollowFromTheFacts) {
  int winners = 0, causes = 0, prices = 0;
  for (int64_t i = 0; i < 5000; ++i) {
    const auto [source, target] = report_pair(kTrain, 4, i);
    const auto has = [&report = source](const std::string& text) {
      return report.find(text) != std::string::npos;
    };
    if (const size_t at = target.find(" won the "); at != std::string::npos) {
      const std::string winner = target.substr(0, at);
      EXPECT_TRUE(has(winner + " won.") || has("The winner was " + winner) ||
                  has(winner + " came first.") || has("better than " + winner))
          << source << "\n"
          << target;
      EXPECT_EQ(target.ends_with("It was a record."),
                has("It was a new record.") || has("Nobody had ever been better."));
      ++winners;
    }
    if (const size_t at = target.find("The cause was "); at != std::string::npos) {
      const std::string cause = target.substr(at + 14);
      EXPECT_TRUE(has("The cause was " + cause) || has("caused by " + cause) ||
                  has("blame " + cause))
          << source;
      ++causes;
    }
    if (const size_t at = target.find("It cost "); at != std::string::npos) {
      const std::string price = target.substr(at + 8, target.size() - at - 9);
      EXPECT_TRUE(has("It cost " + price) || has("The price was " + price) ||
                  has(price + " were spent"))
          << source;
      ++prices;
    }
  }
  EXPECT_GT(winners, 1000);
  EXPECT_GT(causes, 500);
  EXPECT_GT(prices, 500);
}

TEST(ReportCorpus, TestHasOtherTextsThanTrain) {
  std::set<std::string> texts;
  for (int64_t i = 0; i < 30000; ++i) texts.insert(report_pair(kTrain, 1, i).source);
  EXPECT_GT(texts.size(), 29900u);
  for (int64_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(texts.count(report_pair(kTest, 2, i).source), 0u);
  }
}

}  // namespace
}  // namespace heed::report_corpus_test

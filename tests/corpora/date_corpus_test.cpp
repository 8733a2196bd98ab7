#include "heed/corpora/date_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace heed::date_corpus_test {
namespace {

constexpr CorpusPart kTrain = CorpusPart::train, kTest = CorpusPart::test;

TEST(DateCorpus, IsAFunctionOfPartSeedAndIndex) {
  EXPECT_EQ(date_pair(kTrain, 5, 17), date_pair(kTrain, 5, 17));
  EXPECT_NE(date_pair(kTrain, 5, 17), date_pair(kTrain, 5, 18));
  EXPECT_NE(date_pair(kTrain, 5, 17), date_pair(kTrain, 6, 17));
}

// Another compiler or library must make the same corpus.
TEST(DateCorpus, StaysAsItIs) {
  EXPECT_EQ(date_pair(kTrain, 1, 0), (TextPair{"1965/05/31", "1965-05-31"}));
  EXPECT_EQ(date_pair(kTrain, 1, 39), (TextPair{"Monday, 7th of Aug. 2006", "2006-08-07"}));
  EXPECT_EQ(date_pair(kTrain, 1, 43), (TextPair{"tuesday january the 12th, 1993", "1993-01-12"}));
}

TEST(DateCorpus, EveryTextMeansOneDay) {
  std::map<std::string, std::string> meaning;
  for (int64_t i = 0; i < 100000; ++i) {
    const TextPair pair = date_pair(kTrain, 1, i);
    const auto [at, is_new] = meaning.emplace(pair.source, pair.target);
    EXPECT_EQ(at->second, pair.target) << pair.source;
  }
  EXPECT_GT(meaning.size(), 80000u);
}

TEST(DateCorpus, NoDayIsInTwoParts) {
  std::set<std::string> valid, test;
  for (int64_t i = 0; i < 5000; ++i) {
    valid.insert(date_pair(CorpusPart::valid, 1, i).target);
    test.insert(date_pair(kTest, 2, i).target);
  }
  EXPECT_GT(valid.size(), 1000u);
  for (const std::string& day : valid) EXPECT_FALSE(test.contains(day)) << day;
  for (int64_t i = 0; i < 20000; ++i) {
    EXPECT_FALSE(valid.contains(date_pair(kTrain, 1, i).target));
  }
}

TEST(DateCorpus, TestHasOtherDaysThanTrain) {
  std::set<std::string> days, texts;
  for (uint64_t seed = 1; seed < 3; ++seed) {
    for (int64_t i = 0; i < 50000; ++i) {
      const TextPair pair = date_pair(kTrain, seed, i);
      days.insert(pair.target);
      texts.insert(pair.source);
    }
  }
  for (uint64_t seed = 1; seed < 4; ++seed) {
    for (int64_t i = 0; i < 5000; ++i) {
      const TextPair pair = date_pair(kTest, seed, i);
      EXPECT_EQ(days.count(pair.target), 0u) << pair.source;
      EXPECT_EQ(texts.count(pair.source), 0u) << pair.source;
    }
  }
}

// The two digits of the day and of the year are in the text, and the target is a date.
TEST(DateCorpus, TargetsAreDatesThatTheTextNames) {
  for (int64_t i = 0; i < 20000; ++i) {
    const TextPair pair = date_pair(i % 2 == 0 ? kTrain : kTest, 9, i);
    ASSERT_EQ(pair.target.size(), 10u);
    EXPECT_GE(pair.target, "1900-01-01");
    EXPECT_LE(pair.target, "2099-12-31");
    const std::string day = std::to_string(std::stoi(pair.target.substr(8)));
    EXPECT_NE(pair.source.find(day), std::string::npos) << pair.source << " " << pair.target;
    EXPECT_NE(pair.source.find(pair.target.substr(2, 2)), std::string::npos) << pair.source;
  }
}

TEST(DateCorpus, FollowsItsRules) {
  std::map<std::string, std::string> meaning;
  for (int64_t i = 0; i < 100000; ++i) {
    const TextPair pair = date_pair(kTrain, 2, i);
    meaning.emplace(pair.source, pair.target);
  }
  int slashes = 0, dots = 0, short_years = 0;
  for (const auto& [source, target] : meaning) {
    const std::string month = target.substr(5, 2), day = target.substr(8, 2);
    if (source.size() == 10 && source[2] == '/') {
      ASSERT_EQ(source.substr(0, 5), month + "/" + day);
      ++slashes;
    }
    if (source.size() == 10 && source[2] == '.' && source[3] != ' ') {
      ASSERT_EQ(source.substr(0, 5), day + "." + month);
      ++dots;
    }
    if (const size_t at = source.find('\''); at != std::string::npos) {
      const int year = std::stoi(source.substr(at + 1));
      EXPECT_EQ(target.substr(0, 4), std::to_string(year >= 69 ? 1900 + year : 2000 + year));
      ++short_years;
    }
  }
  EXPECT_GT(slashes, 1000);
  EXPECT_GT(dots, 1000);
  EXPECT_GT(short_years, 1000);
}

// Zeller's congruence, against the calendar of the standard library.
int zeller(int year, int month, int day) {
  if (month < 3) {
    month += 12;
    --year;
  }
  return (day + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400 + 6) % 7;
}

TEST(DateCorpus, WeekdaysAreRight) {
  const char* names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  int seen = 0;
  for (int64_t i = 0; i < 20000; ++i) {
    const TextPair pair = date_pair(kTrain, 3, i);
    for (int weekday = 0; weekday < 7; ++weekday) {
      if (!pair.source.starts_with(names[weekday])) continue;
      ++seen;
      EXPECT_EQ(weekday, zeller(std::stoi(pair.target), std::stoi(pair.target.substr(5)),
                                std::stoi(pair.target.substr(8))))
          << pair.source;
    }
  }
  EXPECT_GT(seen, 1000);
}

}  // namespace
}  // namespace heed::date_corpus_test

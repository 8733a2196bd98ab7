#include "heed/tuning/rankings.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "tests/data/temporary_file.h"

namespace heed::rankings_test {
namespace {

std::vector<Ranking> read(const std::string& text) {
  const TemporaryFile file(text);
  std::vector<Ranking> rankings;
  for_each_ranking(file.path(), OnMistake::fail,
                   [&](const Ranking& ranking) { rankings.push_back(ranking); });
  return rankings;
}

std::string mistake(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(what.find(": ", what.find("heed-data-")) + 2);
  }
  return "";
}

using Answers = std::vector<std::string>;

TEST(Rankings, AllShapes) {
  const auto rankings = read(
      R"({"prompt": "q", "answers": ["a", "b", "c"]}
{"prompt": "q", "answers": ["a", "b", "c"], "ranks": [2, 3, 1]}
{"prompt": "q", "chosen": "a", "rejected": "b"}
{"instruction": "q", "input": "x", "chosen": "a", "rejected": "b", "output": "c"}
{"chosen": "\n\nHuman: q\n\nAssistant: r\n\nHuman: s\n\nAssistant: a", "rejected": "\n\nHuman: q\n\nAssistant: r\n\nHuman: s\n\nAssistant: b"}
{"chosen": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}], "rejected": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "b"}]}
)");
  ASSERT_EQ(rankings.size(), 6u);
  EXPECT_EQ(rankings[0].answers, (Answers{"a", "b", "c"}));
  EXPECT_EQ(rankings[1].answers, (Answers{"c", "a", "b"}));
  for (size_t i = 2; i < 6; ++i) EXPECT_EQ(rankings[i].answers, (Answers{"a", "b"})) << i;
  EXPECT_EQ(rankings[3].prompt[0].content, "q\n\nx");
  EXPECT_EQ(rankings[4].prompt.size(), 3u);
  EXPECT_EQ(rankings[4].prompt[1], (ChatMessage{"assistant", "r"}));
}

TEST(Rankings, WrittenAndRead) {
  const Ranking ranking{{{"system", "s"}, {"user", "q \"x\"\n"}}, {"a", "b"}};
  const auto again = read(to_json(ranking));
  EXPECT_EQ(again[0].prompt, ranking.prompt);
  EXPECT_EQ(again[0].answers, ranking.answers);
}

TEST(Rankings, Mistakes) {
  EXPECT_EQ(mistake(R"({"prompt": "q", "answers": ["a"]})"),
            "a ranking needs two answers or more, got 1");
  EXPECT_EQ(mistake(R"({"prompt": "q", "answers": ["a", "a"]})"),
            "two answers are the same; a ranking must not have ties");
  EXPECT_EQ(mistake(R"({"prompt": "q", "answers": ["a", "b"], "ranks": [1, 1]})"),
            "two answers have the rank 1; a ranking must not have ties");
  EXPECT_EQ(mistake(R"({"prompt": "q", "answers": ["a", " "]})"), "an answer is empty");
  EXPECT_EQ(mistake(R"({"prompt": "q", "chosen": "a"})"),
            "expected \"answers\", or \"chosen\" and \"rejected\"");
  EXPECT_EQ(mistake(R"({"answers": ["a", "b"]})"), "expected a \"prompt\" or an \"instruction\"");
  EXPECT_EQ(mistake(R"({"chosen": "hello", "rejected": "x"})"),
            "there is no \"prompt\"; without one, a dialogue must begin with \"\\n\\nHuman:\"");
  EXPECT_EQ(
      mistake(
          R"({"chosen": "\n\nHuman: q\n\nAssistant: a", "rejected": "\n\nHuman: p\n\nAssistant: b"})"),
      "the two dialogues differ before their last answer");
}

}  // namespace
}  // namespace heed::rankings_test

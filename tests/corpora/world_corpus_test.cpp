#include "heed/corpora/world_corpus.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "heed/base/error.h"

namespace heed {
namespace {

TEST(WorldCorpus, RankingsAreInTheOrderOfTheirScores) {
  for (int64_t i = 0; i < 300; ++i) {
    const std::string question = world_question(WorldPart::train, 1, i);
    const std::vector<std::string> answers = world_ranking(question, 1, i);
    ASSERT_EQ(answers.size(), 3u);
    EXPECT_GT(world_score(question, answers[0]), world_score(question, answers[1]));
    EXPECT_GT(world_score(question, answers[1]), world_score(question, answers[2]));
  }
}

TEST(WorldCorpus, ScoresByHand) {
  const std::string question = "Where is the lamp?";
  std::string truth;
  for (const char* place : {"kitchen", "garden", "attic", "cellar", "hall", "garage"}) {
    const std::string said = "The lamp is in the " + std::string(place) + ".";
    if (world_score(question, said) > 0) truth = said;
  }
  ASSERT_FALSE(truth.empty());
  EXPECT_EQ(world_score(question, truth), 1);
  EXPECT_EQ(world_score(question, "Gladly. " + truth), 1.5);
  EXPECT_EQ(world_score(question, "gladly .  " + truth + " Now go away."), 1.25);
  EXPECT_EQ(world_score(question, truth + " Now go away."), 0.5);
  EXPECT_EQ(world_score(question, truth + " " + truth), -1.5);
  EXPECT_EQ(world_score(question, "The cup is red."), -1.5);
  EXPECT_EQ(world_score(question, "Gladly."), -1.5);
  EXPECT_EQ(world_score(question, ""), -1.5);
  EXPECT_THROW(world_score("Who are you?", truth), Error);
}

TEST(WorldCorpus, NoQuestionIsInTwoParts) {
  std::map<std::string, WorldPart> all;
  for (const WorldPart part : {WorldPart::train, WorldPart::choice, WorldPart::test}) {
    std::set<std::string> questions;
    for (int64_t i = 0; i < 2000; ++i) questions.insert(world_question(part, 1, i));
    EXPECT_GE(questions.size(), 10u);
    for (const std::string& question : questions) {
      EXPECT_TRUE(all.emplace(question, part).second) << question;
    }
  }
  EXPECT_EQ(all.size(), 72u);
}

TEST(WorldCorpus, AnswersAreOftenTrue) {
  int right = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const std::string question = world_question(WorldPart::train, 2, i);
    right += world_score(question, world_answer(question, 2, i)) > 0 ? 1 : 0;
  }
  EXPECT_NEAR(right, 600, 50);
}

}  // namespace
}  // namespace heed

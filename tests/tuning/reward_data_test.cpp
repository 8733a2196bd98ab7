#include "heed/tuning/reward_data.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/text/train_tokenizer.h"
#include "tests/tuning/small_models.h"

namespace heed::reward_data_test {
namespace {

RewardData data() {
  std::vector<RankedIds> rankings;
  for (int32_t i = 0; i < 12; ++i) {
    rankings.push_back({.prompt = {1, i % 7, 2},
                        .answers = {{i % 5, i % 5 + 1, kEnd}, {i % 5, kEnd}, {7, 7, kEnd}}});
  }
  return RewardData(RankingCorpus(std::move(rankings), RankingUse::scores));
}

TEST(RewardData, LearnsToRank) {
  const auto model = small_reward();
  const RewardData train = data();
  const auto objective = train.objective(*model);
  Trainer trainer(*model, train.corpus(), small_steps(30), objective.get());
  while (!trainer.finished()) trainer.step();
  const Evaluation after = train.evaluate(*model, {});
  EXPECT_GT(*after.find("accuracy"), 0.95);
  EXPECT_LE(*after.find("low"), *after.find("accuracy"));
  EXPECT_GE(*after.find("high"), *after.find("accuracy"));
}

// The score of a sequence is that of its last row, whatever stands beside it.
TEST(RewardData, SameBitsAloneAndInCompany) {
  const auto model = small_reward();
  const RewardData all = data();
  const std::vector<int64_t> many = {0, 5, 9};
  const std::vector<double> together = reward_scores(*model, all.corpus().evaluation_batch(many));
  ASSERT_EQ(together.size(), 9u);
  for (size_t i = 0; i < many.size(); ++i) {
    const std::vector<int64_t> one = {many[i]};
    const std::vector<double> alone = reward_scores(*model, all.corpus().evaluation_batch(one));
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(alone[k], together[3 * i + k]);
  }
}

TEST(RewardData, ARewardModelWritesNothing) { EXPECT_THROW(small_reward()->decoding(), Error); }

TEST(EncodeRanking, WhatIsTooLongIsCut) {
  const std::string_view text = "abc";
  const auto tokenizer =
      train_tokenizer(std::vector<std::string_view>{text}, {.kind = TokenizerKind::byte});
  const ChatTemplate form = default_chat_template(*tokenizer);
  const Ranking ranking{{{"user", std::string(50, 'q')}}, {"good", std::string(100, 'x')}};
  const RankedIds ids = encode_ranking(ranking, form, *tokenizer, 40);
  EXPECT_EQ(ids.answers[0].size(), 5u);
  EXPECT_EQ(ids.answers[1].size(), 30u);
  EXPECT_EQ(ids.answers[1].back(), *tokenizer->specials().eos);
  EXPECT_EQ(ids.prompt.size(), 10u);
  EXPECT_EQ(ids.prompt.back(), *tokenizer->specials().separator);
}

}  // namespace
}  // namespace heed::reward_data_test

#include "heed/tuning/dpo_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuning/small_models.h"

namespace heed::dpo_data_test {
namespace {

// Answers that count up are better than those that repeat themselves.
RankingCorpus corpus(size_t answers) {
  std::vector<RankedIds> rankings;
  for (int32_t i = 0; i < 12; ++i) {
    RankedIds one{.prompt = {1, i % 7, 2}, .answers = {{i % 5, i % 5 + 1, kEnd}, {i % 5, kEnd}}};
    if (answers > 2) one.answers.push_back({7, 7, 7, kEnd});
    rankings.push_back(std::move(one));
  }
  return {std::move(rankings), RankingUse::answers};
}

DpoData data(size_t answers = 2) {
  AnswerMeter meter;
  meter.reference = small_policy();
  return {corpus(answers), meter, 0.5};
}

TEST(DpoData, Log2AtTheFirstStep) {
  const auto policy = small_policy();
  const DpoData train = data();
  const auto objective = train.objective(*policy);
  Trainer trainer(*policy, train.corpus(), small_steps(10), objective.get());
  EXPECT_EQ(trainer.step().loss, static_cast<double>(static_cast<float>(std::log(2.0))));
}

TEST(DpoData, Learns) {
  for (const size_t answers : {2, 3}) {
    const auto policy = small_policy();
    const DpoData train = data(answers);
    const Evaluation before = train.evaluate(*policy, {});
    EXPECT_EQ(before.find("margin"), 0);
    EXPECT_EQ(before.find("accuracy"), 0.5);
    const auto objective = train.objective(*policy);
    Trainer trainer(*policy, train.corpus(), small_steps(20), objective.get());
    while (!trainer.finished()) trainer.step();
    const Evaluation after = train.evaluate(*policy, {});
    EXPECT_GT(*after.find("accuracy"), 0.9);
    EXPECT_LT(*after.find("loss"), *before.find("loss"));
  }
}

TEST(RankingCorpus, LabelsAreTheAnswers) {
  const RankingCorpus answers = corpus(3);
  const std::vector<int64_t> items = {2, 0};
  const Batch batch = answers.evaluation_batch(items);
  EXPECT_EQ(answers.sizes(batch), (std::vector<int64_t>{3, 3}));
  EXPECT_EQ(batch.label_count, 2);
  EXPECT_EQ(batch.target_rows.id(0), 6u);
  EXPECT_EQ(batch.target_rows.id(3), 0u);
  const int32_t* labels = batch.labels.data<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(labels, labels + 5), (std::vector<int32_t>{-1, -1, 2, 3, kEnd}));
}

}  // namespace
}  // namespace heed::dpo_data_test

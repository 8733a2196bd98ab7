#include "heed/tuning/policy_gradient.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "tests/tuning/small_models.h"

namespace heed::policy_gradient_test {
namespace {

struct Process {
  explicit Process(int64_t passes, bool clipped, double range = 0.2, int64_t shards = 1)
      : corpus(small_prompts(), passes),
        objective(*policy, corpus, small_policy(), small_reward(),
                  {.clipped = clipped,
                   .range = range,
                   .beta = 0.05,
                   .samples = 3,
                   .max_tokens = 8,
                   .end = kEnd,
                   .seed = 5}),
        trainer(*policy, corpus, small_steps(12, shards), &objective) {}

  std::vector<float> after(int64_t steps) {
    while (trainer.position().step < steps) last = trainer.step();
    return numbers_in(*policy);
  }
  double number(const std::string& name) const {
    for (const EvaluationScore& score : last.numbers) {
      if (score.name == name) return score.value;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  std::shared_ptr<Transformer> policy = small_policy();
  PromptCorpus corpus;
  PolicyGradient objective;
  Trainer trainer;
  StepReport last;
};

TEST(PolicyGradient, TheFirstStepHasNoKl) {
  for (const bool clipped : {false, true}) {
    Process process(1, clipped);
    process.after(1);
    EXPECT_EQ(process.number("kl"), 0);
    EXPECT_GT(process.number("length"), 1);
    EXPECT_GT(process.number("entropy"), 0);
    process.after(4);
    EXPECT_NE(process.number("kl"), 0);
  }
}

TEST(PolicyGradient, PpoWithOnePassAndNoClipIsReinforce) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Process reinforce(1, false), ppo(1, true, kNone), clipped(1, true, 0.2);
  const std::vector<float> expected = reinforce.after(6);
  EXPECT_EQ(ppo.after(6), expected);
  // All ratios are 1 in a single pass, so that no clip comes near.
  EXPECT_EQ(clipped.after(6), expected);
  EXPECT_NE(numbers_in(*small_policy()), expected);
}

TEST(PolicyGradient, ARoundKeepsItsAnswers) {
  Process process(3, true);
  process.after(1);
  const double length = process.number("length"), reward = process.number("reward");
  for (const int64_t step : {2, 3}) {
    process.after(step);
    EXPECT_EQ(process.number("length"), length);
    EXPECT_EQ(process.number("reward"), reward);
  }
}

// Interrupted inside and between rounds: state and position go to a new process.
TEST(PolicyGradient, ResumedIsUninterrupted) {
  for (const int64_t passes : {1, 3}) {
    Process whole(passes, true);
    const std::vector<float> expected = whole.after(8);
    for (const int64_t step : {1, 3, 4, 5}) {
      Process first(passes, true), second(passes, true);
      first.after(step);
      std::vector<NamedTensor> state;
      for (const NamedTensor& tensor : first.trainer.state()) {
        state.push_back({tensor.name, tensor.tensor.clone()});
      }
      second.trainer.load_state(state, first.trainer.position());
      EXPECT_EQ(second.after(8), expected) << passes << " passes, after step " << step;
    }
  }
}

TEST(PolicyGradient, SameBitsForAnyThreads) {
  const int before = threads();
  Process one(2, true);
  set_threads(1);
  const std::vector<float> expected = one.after(4);
  for (const int count : {2, 3}) {
    set_threads(count);
    Process other(2, true);
    EXPECT_EQ(other.after(4), expected);
  }
  set_threads(before);
}

// What a prompt's answers are does not depend on the shard that it is in.
TEST(PolicyGradient, ShardsDrawTheSameAnswers) {
  Process one(1, false), three(1, false, 0.2, 3);
  one.after(1);
  three.after(1);
  EXPECT_EQ(one.number("length"), three.number("length"));
  EXPECT_NEAR(one.number("reward"), three.number("reward"), 1e-9);
}

TEST(PolicyGradient, TheRewardRises) {
  Process process(1, false);
  process.after(1);
  const double before = process.number("reward");
  process.after(12);
  EXPECT_GT(process.number("reward"), before);
}

TEST(PolicyGradient, BrokenStates) {
  Process process(3, true);
  process.after(1);
  std::vector<NamedTensor> state = process.objective.state();
  ASSERT_EQ(state.size(), 7u);
  state[2].tensor = Tensor::zeros({1}, DType::i32);
  EXPECT_THROW(process.objective.load_state(state), Error);
  state.pop_back();
  EXPECT_THROW(process.objective.load_state(state), Error);
}

TEST(PolicyGradient, OneSampleCannotBeCompared) {
  const PromptCorpus corpus(small_prompts(), 1);
  const auto policy = small_policy();
  EXPECT_THROW(PolicyGradient(*policy, corpus, policy, small_reward(), {.samples = 1}), Error);
}

}  // namespace
}  // namespace heed::policy_gradient_test

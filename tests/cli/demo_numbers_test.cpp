// heed demo: the examples of the textbook give their numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/cli/demo_run.h"

namespace heed::demo_numbers_test {
namespace {

// R110: the examples, by hand or from the notes.
TEST(CliDemo, ExamplesGiveTheirNumbers) {
  const auto fuzzy = demo("fuzzy-dictionary");
  EXPECT_NEAR(fuzzy["sum"].get<double>(), 3.4, 1e-12);
  EXPECT_NEAR(fuzzy["softmax"].get<double>(), 3.0000454, 5e-8);
  const auto kernels = demo("kernels")["values"];  // at 0, 0.5, 1 and 1.5
  expect_near(kernels[0], {1, std::exp(-0.125), std::exp(-0.5), std::exp(-1.125)}, 1e-12);
  expect_near(kernels[1], {1, 1, 1, 0}, 0);
  expect_near(kernels[3], {1, 0.5, 0, 0}, 1e-12);
  expect_near(kernels[4], {1, 0.75, 0, 0}, 1e-12);
  const auto sentences = demo("masked-softmax")["sentences"];
  expect_near(sentences[1], {1 / 3.0, 1 / 3.0, 1 / 3.0, 0}, 1e-12);
  expect_near(sentences[2], {0.5, 0.5, 0, 0}, 1e-12);
  // Words (1,0,0), (0,1,0), (1,1,0), (0,0,1) and projections to the first two coordinates: the
  // scores of word 1 are 1, 0, 1, 0.
  const std::string cut = "1,0;0,1;0,0";
  const auto steps = demo("self-attention", {"--w-q", cut, "--w-k", cut, "--w-v", cut});
  const double e = std::exp(1 / std::sqrt(2.0)), w = e / (2 * e + 2);
  expect_near(steps["weights_row"][0], {w, 0.5 - w, w, 0.5 - w}, 1e-12);
  expect_near(steps["output_row"][0], {2 * w, 0.5}, 1e-12);
  expect_near(demo("gaussian-score")["scores"][0], {-1, -2.5, -2}, 1e-12);
  EXPECT_EQ(demo("multi-head")["counted"], 98);  // 2 heads, keys of 2, values of 3, width 4
  EXPECT_NEAR(demo("variance", {"--runs", "2", "--width", "500"})["variances"][1][2].get<double>(),
              500, 1e-9);
  expect_near(demo("positions")["sinusoidal"][0], {32, 30.9, 28.3, 23.5, 21.1, 15.7, 17.9}, 0.05);
  const auto norm = demo("layer-norm", {"--x", "1,0,0,0"});
  const double root = std::sqrt(3.0);
  expect_near(norm["standard"], {root, -1 / root, -1 / root, -1 / root}, 1e-4);
  expect_near(norm["textbook"], {1.5, -0.5, -0.5, -0.5}, 1e-4);
  EXPECT_LT(demo("permutation")["shuffle_difference"].get<double>(), 1e-12);
  EXPECT_EQ(demo("complexity")["multiply_adds"][0][1], 14680064);
  EXPECT_EQ(demo("first-approach")["dot_products"], 36);  // n^2 of six words
}

// What is not given follows what is.
TEST(CliDemo, DefaultsFollowTheOtherInputs) {
  const auto steps = demo("self-attention", {"--x", "1,0;0,1;1,1"});
  EXPECT_EQ(steps["weights"].size(), 3u);
  EXPECT_EQ(steps["q"][0].size(), 2u);
  EXPECT_EQ(demo("self-attention", {"--w-q", "1,0,1;0,1,1;2,0,1"})["k"][0].size(), 3u);
  const auto one = demo("masked-softmax", {"--scores", "0,0,1"});
  expect_near(one["weights"][0], {0.5, 0.5, 0}, 1e-12);
  EXPECT_EQ(demo("masked-softmax", {"--scores", "1,2;3,4;5,6"})["weights"].size(), 3u);
  EXPECT_EQ(demo("masked-softmax", {"--keys", "4"})["weights"][1].size(), 4u);
  const Outcome lengths =
      run_heed({"demo", "masked-softmax", "--scores", "1,2", "--lengths", "1,2"});
  EXPECT_EQ(lengths.code, 1);
  EXPECT_NE(lengths.err.find("--lengths has 2 numbers, --scores 1 rows"), std::string::npos);
  EXPECT_EQ(demo("scores", {"--k", "1,0;0,1"})["output"].size(), 5u);
  EXPECT_EQ(run_heed({"demo", "scores", "--k", "1,0;0,1", "--v", "1;2;3"}).code, 1);
}

// R8
TEST(CliDemo, FuzzyDictionary) {
  const auto numbers = demo("fuzzy-dictionary", {"--key", "apple"});
  EXPECT_NEAR(numbers["sum"].get<double>(), 3.4, 1e-12);
  EXPECT_NEAR(numbers["softmax"].get<double>(), 3.0000454, 5e-8);
  EXPECT_EQ(numbers["exact"], 8);
  const Outcome missing = run_heed({"demo", "fuzzy-dictionary", "--key", "orangicot"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("no key 'orangicot'"), std::string::npos);
}

// R68
TEST(CliDemo, LayerNormIsACalculator) {
  const auto numbers = demo("layer-norm", {"--x", "1,0,0,0", "--variant", "textbook"});
  expect_near(numbers["textbook"], {1.5, -0.5, -0.5, -0.5}, 1e-5);
  EXPECT_FALSE(numbers.contains("standard"));
}

// R2: in the cone, in the hull, a value itself, the mean.
TEST(CliDemo, Weightings) {
  const auto numbers = demo("weightings");
  expect_near(numbers["weights"][2], {0, 1, 0}, 0);
  expect_near(numbers["weights"][3], {1 / 3.0, 1 / 3.0, 1 / 3.0}, 1e-12);
  expect_near(numbers["outputs"][2], {0, 1}, 0);
}

// R35
TEST(CliDemo, ACausalMaskKeepsEarlierOutputsBitForBit) {
  const auto changed = demo("causal-mask", {"--change", "4"})["changed"];
  expect_near(changed[0], {0, 0, 0, 1, 1, 1, 1, 1}, 0);
  expect_near(changed[1], {1, 1, 1, 1, 1, 1, 1, 1}, 0);
}

// R36, R38, R39, R47, R50
TEST(CliDemo, OtherNumbers) {
  EXPECT_EQ(demo("window", {"--length", "10", "--left", "1"})["pairs"], 19);
  EXPECT_EQ(demo("ragged-batch")["same_bits"], true);
  EXPECT_EQ(demo("ragged-batch")["ragged_rows"], 9);
  EXPECT_EQ(demo("position-free")["same"], true);
  EXPECT_LT(demo("cross-attention")["shift_difference"].get<double>(), 1e-12);
  EXPECT_EQ(demo("word-order")["full"], true);
  EXPECT_EQ(demo("word-order")["causal"], false);
  EXPECT_EQ(demo("multi-head")["counted"], demo("multi-head")["formula"]);
}

// R76, R78
TEST(CliDemo, PositionModes) {
  const auto numbers = demo("position-modes");
  EXPECT_EQ(numbers["added_width"], 8);
  EXPECT_EQ(numbers["appended_width"], 12);
  EXPECT_EQ(numbers["learned_fails"], true);
  EXPECT_EQ(numbers["hybrid_works"], true);
  EXPECT_EQ(numbers["hybrid_difference"], 0);
}

}  // namespace
}  // namespace heed::demo_numbers_test

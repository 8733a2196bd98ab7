// Self-attention step by step, its exercises, and what layers cost.
#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/attention.h"
#include "heed/base/error.h"
#include "heed/nn/positions.h"
#include "heed/textbook/attention_chain.h"
#include "heed/textbook/experiment_internal.h"
#include "heed/textbook/fit_length.h"
#include "heed/textbook/head_statistics.h"
#include "heed/textbook/layer_costs.h"
#include "heed/textbook/layer_norm_variants.h"
#include "heed/textbook/permutation.h"
#include "heed/textbook/position_similarity.h"
#include "heed/textbook/residual_gradients.h"
#include "heed/textbook/self_attention_steps.h"
#include "heed/textbook/word_order.h"

namespace heed {
namespace {

// R41, R42, R43, R44, R45: row 1 by a loop, all rows by products, and in one equation.
TEST(SelfAttentionSteps, TheExampleOfTheNotes) {
  const SelfAttentionExample example = self_attention_example();
  const SelfAttentionSteps steps =
      self_attention_steps(example.x, example.w_q, example.w_k, example.w_v);
  EXPECT_EQ(steps.q.shape(), Shape({4, 2}));
  EXPECT_LT(steps.difference, 1e-12);
  EXPECT_EQ(steps.dot_products, 16);
  EXPECT_EQ(steps.parameters, 18);
  // attention_1, pair by pair.
  const std::vector<double> q = numbers_of(steps.q);
  const std::vector<double> k = numbers_of(steps.k);
  const std::vector<double> v = numbers_of(steps.v);
  std::vector<double> w;
  double sum = 0;
  for (size_t j = 0; j < 4; ++j) {
    w.push_back(std::exp((q[0] * k[2 * j] + q[1] * k[2 * j + 1]) / std::sqrt(2.0)));
    sum += w.back();
  }
  for (size_t c = 0; c < 2; ++c) {
    double y = 0;
    for (size_t j = 0; j < 4; ++j) y += w[j] / sum * v[2 * j + c];
    EXPECT_NEAR(numbers_of(steps.output)[c], y, 1e-12);
  }
  EXPECT_THROW(self_attention_steps(example.x, example.x, example.w_k, example.w_v), Error);
}

// R40, R46, R51: moving pairs together changes nothing; L_q differs from L_k.
TEST(Permutation, PairsMayMoveTogether) {
  const PermutationResult result = permutation_experiment();
  EXPECT_EQ(result.output.shape(), Shape({3, 4}));
  EXPECT_LT(result.shuffle_difference, 1e-12);
  EXPECT_LT(result.shift_difference, 1e-12);
  EXPECT_GT(result.keys_only_difference, 0.01);
}

// R82: true without a causal mask, false with one, false with positions.
TEST(WordOrder, DogBitesMan) {
  const std::vector<std::string> first{"dog", "bites", "man"};
  const std::vector<std::string> second{"man", "bites", "dog"};
  EXPECT_TRUE(word_order(first, second).same);
  EXPECT_FALSE(word_order(first, second, {.causal = true}).same);
  EXPECT_FALSE(word_order(first, second, {.positions = true}).same);
  EXPECT_THROW(word_order(first, {"man", "bites", "cat"}), Error);
}

// R75, R80: the similarities at d = 64, decreasing at first and then not monotone.
TEST(PositionSimilarity, SinusoidsAtSomeDistances) {
  const std::vector<std::pair<int64_t, double>> expected{
      {0, 32}, {1, 30.9}, {2, 28.3}, {5, 23.5}, {10, 21.1}, {50, 15.7}, {100, 17.9}};
  for (const auto& [distance, value] : expected) {
    EXPECT_NEAR(sinusoidal_similarity(distance, 64), value, 0.05) << distance;
  }
  // The notes start at k = 1: the first frequency is 0.75, not 1.
  EXPECT_NEAR(sinusoidal_similarity(1, 2, 0), std::cos(1.0), 1e-12);
  EXPECT_NEAR(std::pow(10000, -2.0 / 64), 0.75, 0.001);
  const Tensor linear = position_similarity(PositionCode::linear, {.positions = 5});
  EXPECT_EQ(numbers_of(linear)[2 * 5 + 3], 6);
}

// R81: the ideal exp(-lambda (i - j)^2), and its truncation, which are the products of the codes
// that models add.
TEST(PositionSimilarity, TheIdealAndItsTruncation) {
  constexpr int64_t n = 12;
  const std::vector<double> ideal =
      numbers_of(position_similarity(PositionCode::gaussian, {.positions = n, .lambda = 0.02}));
  const std::vector<double> sines =
      numbers_of(position_similarity(PositionCode::sinusoidal, {.positions = n, .width = 16}));
  const std::vector<double> codes = numbers_of(sinusoidal_positions(0, n, 16, DType::f64));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<size_t>(i * n + j);
      const auto d = static_cast<double>(i - j);
      EXPECT_NEAR(ideal[at], std::exp(-0.02 * d * d), 1e-15) << i << " " << j;
      double product = 0;
      for (int64_t c = 0; c < 16; ++c) {
        product += codes[i * 16 + c] * codes[j * 16 + c];
      }
      EXPECT_NEAR(sines[at], product, 1e-12) << i << " " << j;
    }
  }
}

// R79
TEST(PositionSimilarity, Criteria) {
  const auto criteria = [](PositionCode code) {
    return position_criteria(position_similarity(code, {.positions = 64}));
  };
  EXPECT_TRUE(criteria(PositionCode::sinusoidal).distinct);
  EXPECT_EQ(criteria(PositionCode::sinusoidal).nearest_is_most_similar, 64);
  EXPECT_LT(criteria(PositionCode::sinusoidal).monotone_to, 63);
  EXPECT_GE(criteria(PositionCode::sinusoidal).monotone_to, 4);
  // With lambda = 0.01 the Gaussian is 0 in floating point at no distance below 64.
  EXPECT_EQ(criteria(PositionCode::gaussian).monotone_to, 63);
  EXPECT_TRUE(criteria(PositionCode::linear).distinct);
  EXPECT_LE(criteria(PositionCode::linear).nearest_is_most_similar, 1);
  EXPECT_EQ(criteria(PositionCode::linear).monotone_to, 0);
}

// R68, R69: the standard form, the code of the notes, and the printed formula (errata 2 and 3).
TEST(LayerNormVariants, OfAUnitVector) {
  const std::vector<double> x{1, 0, 0, 0};
  const LayerNormVariants y = layer_norm_variants(x, 0);
  EXPECT_NEAR(y.standard[0], std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(y.standard[1], -1 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(y.textbook[0], 1.5, 1e-12);
  EXPECT_NEAR(y.textbook[1], -0.5, 1e-12);
  EXPECT_NEAR(y.by_variance[0], 4, 1e-12);
  EXPECT_NEAR(y.by_variance[1], -4.0 / 3, 1e-12);
  EXPECT_THROW(layer_norm_variants(std::vector<double>{1}), Error);
}

// R67
TEST(ResidualGradients, ReachTheFirstLayer) {
  const ResidualGradients norms = residual_gradients();
  ASSERT_EQ(norms.plain.size(), 33u);
  EXPECT_NEAR(norms.plain.back(), norms.residual.back(), 1e-12);
  EXPECT_LT(norms.plain.front(), 1e-6 * norms.plain.back());
  EXPECT_GT(norms.residual.front(), 0.5 * norms.residual.back());
}

// What plain layers do depends on the gain: the first numbers of
// docs/textbook/transformer-block.md.
TEST(ResidualGradients, DependOnTheGain) {
  for (const auto& [gain, plain, residual] :
       {std::tuple{0.5, 5.196e-9, 112.1}, {1.0, 3.159, 298.9}, {2.0, 1759.0, 2168.0}}) {
    const ResidualGradients norms = residual_gradients({.gain = gain});
    EXPECT_NEAR(norms.plain.front(), plain, 1e-3 * plain) << gain;
    EXPECT_NEAR(norms.residual.front(), residual, 1e-3 * residual) << gain;
    EXPECT_NEAR(norms.plain.back(), 23.27, 0.01) << gain;
  }
}

// R54: Keras' example, 2 heads, keys of 2, values of 3, on rows of width 4.
TEST(MultiHead, ParametersOfTheKerasExample) {
  EXPECT_EQ(multi_head_parameters({}), 2 * 4 * 4 + 4 * 6 + 6 * 4 + 2 * 4 + 6 + 4);
  for (const MultiHeadSizes& sizes :
       {MultiHeadSizes{}, MultiHeadSizes{.bias = false},
        MultiHeadSizes{.width = 64, .heads = 8, .key_width = 8, .value_width = 8},
        MultiHeadSizes{.width = 6, .heads = 3, .key_width = 2, .value_width = 5, .output_width = 7},
        MultiHeadSizes{.score = ScoreKind::additive}, MultiHeadSizes{.score = ScoreKind::bilinear},
        MultiHeadSizes{.score = ScoreKind::dot}}) {
    EXPECT_EQ(count_multi_head_parameters(sizes), multi_head_parameters(sizes));
  }
  EXPECT_EQ(multi_head_parameters({.score = ScoreKind::additive}), 98 + 10);
  EXPECT_EQ(multi_head_parameters({.score = ScoreKind::bilinear}), 98 + 4);
}

// R55
TEST(HeadStatistics, ByHand) {
  const Tensor weights = Tensor::from(std::vector<double>{1, 0, 0, 0.5, 0, 0.5}, {2, 3});
  const HeadStatistics s = head_statistics(weights);
  EXPECT_NEAR(s.mean_distance, 0.5, 1e-12);
  EXPECT_NEAR(s.entropy, std::log(2.0) / 2, 1e-12);
  EXPECT_NEAR(s.share_on_self, 0.5, 1e-12);
}

// R52
TEST(AttentionChain, RowsBecomeAlikeUnlessResidualsKeepThemApart) {
  const AttentionChain plain = attention_chain();
  const AttentionChain kept = attention_chain({.residual = true});
  ASSERT_EQ(plain.spread.size(), 7u);
  for (size_t i = 1; i < 7; ++i) EXPECT_LT(plain.spread[i], plain.spread[i - 1]);
  EXPECT_LT(plain.spread[6], 0.1);
  EXPECT_GT(kept.spread[6], 0.5);
}

// R37: what is cut is counted; what is filled is masked and changes nothing.
TEST(FitLength, CutsAndFills) {
  const Tensor x = normal_numbers({5, 2}, 1, 0);
  const FittedRows cut = fit_length(x, 3, KeepPart::last);
  EXPECT_EQ(cut.dropped, 2);
  EXPECT_EQ(cut.first, 2);
  EXPECT_EQ(largest_difference(cut.rows, x.slice(0, 2, 5)), 0);
  EXPECT_EQ(fit_length(x, 3, KeepPart::middle).first, 1);
  const FittedRows filled = fit_length(x, 8);
  EXPECT_EQ(filled.valid, 5);
  EXPECT_EQ(filled.dropped, 0);
  const Tensor lengths = Tensor::from(std::vector<int64_t>{5}, {1});
  const Tensor masked =
      pool(x, filled.rows, filled.rows, {.mask = Mask::key_lengths(lengths)}).output;
  const Tensor plain = pool(x, x, x).output;
  EXPECT_EQ(largest_difference(masked, plain), 0);  // bit for bit
  EXPECT_GT(largest_difference(pool(x, filled.rows, filled.rows).output, plain), 0.01);
}

// R102, R103, R104: formulas, counts from layers, and the case of erratum 10.
TEST(LayerCosts, FormulasAndCountsAgree) {
  const LayerSizes sizes{.length = 12, .width = 10, .key_width = 4, .value_width = 6, .kernel = 3};
  const std::vector<LayerCost> costs = layer_costs(sizes, {.measure = true});
  ASSERT_EQ(costs.size(), 6u);
  for (const LayerCost& cost : costs) {
    EXPECT_TRUE(cost.is_built) << cost.name;
    EXPECT_EQ(static_cast<double>(cost.counted_parameters), cost.parameters) << cost.name;
    EXPECT_EQ(cost.counted_operations, cost.operations) << cost.name;
    EXPECT_GT(cost.seconds, 0) << cost.name;
  }
  const std::vector<LayerCost> large = layer_costs({});
  EXPECT_EQ(large[0].textbook_operations, 128 * 128 * 64);
  EXPECT_NEAR(large[0].operations, 14.7e6, 0.05e6);
  EXPECT_FALSE(large[3].is_built);  // 537 million numbers
  EXPECT_THROW(layer_costs({.kernel = 2}), Error);
}

// R105: the part that grows with the square is four times as much at twice the length.
TEST(LayerCosts, QuadraticInTheLength) {
  const auto pairs = [](int64_t L) {
    const LayerSizes sizes{.length = L};
    const LayerCost cost = layer_costs(sizes)[0];
    return cost.operations - static_cast<double>(L) * cost.parameters;
  };
  EXPECT_EQ(pairs(512), 4 * pairs(256));
}

// R102 (errata 10 and 23)
TEST(LayerCosts, Crossovers) {
  const std::vector<Crossover> crossing = attention_crossovers({});
  EXPECT_EQ(crossing[0].length, 0);  // attention costs more than a plain recurrence at any length
  EXPECT_EQ(crossing[0].textbook_length, 512);
  EXPECT_EQ(crossing[1].length, 512);  // (5 - 3) d d_v / (d_k + d_v)
  const std::vector<LayerCost> three = layer_costs({.kernel = 3});
  EXPECT_EQ(three[0].parameters, three[2].parameters);
  EXPECT_GT(layer_costs({.kernel = 1})[0].parameters, layer_costs({.kernel = 1})[2].parameters);
}

}  // namespace
}  // namespace heed

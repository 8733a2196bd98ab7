// NaN and infinity behind a mask change nothing, bit for bit, forward and backward, whatever the
// score and the mask; in sight they do reach the output.
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "heed/run/task_names.h"
#include "tests/attention/attention_case.h"

namespace heed::masked_nan_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct NamedOptions {
  const char* name;
  std::function<void(AttentionOptions&)> apply;
};

// 68 queries and 140 keys in the first sequence, 3 and 5 in the second. With each of these masks
// the keys 128, 133 and 139 of the first sequence are out of every query's sight, and some queries
// of it (those of `blind`) see nothing.
constexpr int64_t kQueries = 68, kKeys = 140;
const std::vector<int64_t> kHidden = {128, 133, 139};
const std::vector<int64_t> kBlind = {0, 1, 66};

Tensor sight(DType type, double seen, double hidden) {  // [2, 1, T, S]
  Tensor table = Tensor::full({2, 1, kQueries, kKeys}, seen, type);
  for (int64_t j : kHidden) table.slice(0, 0, 1).slice(3, j, j + 1).fill(hidden);
  for (int64_t i : kBlind) table.slice(0, 0, 1).slice(2, i, i + 1).fill(hidden);
  return table;
}

std::vector<NamedOptions> masks() {
  const Tensor blind_lengths = [] {
    Tensor lengths = Tensor::full({kQueries + 3}, 128, DType::i64);
    for (int64_t i : kBlind) lengths.data<int64_t>()[i] = 0;
    return lengths;
  }();
  return {
      {"dense", [](AttentionOptions& o) { o.mask = Mask::dense(sight(DType::boolean, 1, 0)); }},
      {"bias", [](AttentionOptions& o) { o.bias = sight(DType::f64, 0.25, -kInfinity); }},
      {"lengths",
       [blind_lengths](AttentionOptions& o) {
         o.mask = Mask::key_lengths_per_query(blind_lengths);
       }},
      {"causal", [](AttentionOptions& o) { o.mask = Mask::causal(); }},
      {"window", [](AttentionOptions& o) { o.mask = Mask::window(3, 2); }},
      {"lengths, exclude self",
       [blind_lengths](AttentionOptions& o) {
         o.mask = Mask::key_lengths_per_query(blind_lengths) & Mask::exclude_self();
       }},
  };
}

AttentionCase make_case(const Score& score, Normalizer normalizer, int64_t value_width = 5) {
  AttentionCase c({.queries = {kQueries, 3},
                   .keys = {kKeys, 5},
                   .heads = 2,
                   .kv_heads = 1,
                   .width = 3,
                   .value_width = value_width,
                   .low = 0.1});
  c.options.score = score;
  c.options.normalizer = normalizer;
  c.options.allow_negative = true;
  return c;
}

// The same case with `bad` in all that the mask hides.
AttentionCase spoil(AttentionCase c, double bad, bool blind_queries) {
  c.q = c.q.clone();
  c.k = c.k.clone();
  c.v = c.v.clone();
  c.dy = c.dy.clone();
  for (int64_t j : kHidden) {
    c.k.slice(0, j, j + 1).fill(bad);
    c.v.slice(0, j, j + 1).fill(bad);
  }
  if (!blind_queries) return c;
  for (int64_t i : kBlind) {
    c.q.slice(0, i, i + 1).fill(bad);
    c.dy.slice(0, i, i + 1).fill(bad);
  }
  return c;
}

TEST(MaskedNaN, ChangesNothing) {
  for (const NamedOptions& mask : masks()) {
    const bool blind = std::string(mask.name) != "causal" && std::string(mask.name) != "window";
    for (Normalizer normalizer : kNormalizers) {
      for (const NamedScore& s : all_scores(3, 3, true)) {
        AttentionCase c = make_case(s.score, normalizer);
        mask.apply(c.options);
        for (DType type : {DType::f32, DType::f64}) {
          const Outcome clean = run_engine(c, type);
          for (double bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
            const std::string name = std::string(mask.name) + ", " + s.name + ", " +
                                     name_of(normalizer) + ", " + heed::name(type);
            expect_same_outcomes(run_engine(spoil(c, bad, blind), type), clean, name);
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(MaskedNaN, ChangesNothingWithEverythingOn) {
  for (Normalizer normalizer : kNormalizers) {
    for (const NamedScore& s : all_scores(3, 3, true)) {
      AttentionCase c = make_case(s.score, normalizer);
      c.options.mask = Mask::dense(sight(DType::u8, 1, 0));
      c.options.softcap = 2;
      c.options.dropout = 0.2;
      c.options.slopes = {0.01, 0.02};
      c.options.bias = numbers({kQueries, kKeys}, 7);
      const Outcome clean = run_engine(c, DType::f32);
      const std::string name = std::string(s.name) + ", " + name_of(normalizer);
      expect_same_outcomes(run_engine(spoil(c, kNaN, true), DType::f32), clean, name);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(MaskedNaN, WeightsAreZero) {
  for (const NamedScore& s : all_scores(3, 3, true)) {
    AttentionCase c = make_case(s.score, Normalizer::softmax);
    c.options.mask = Mask::dense(sight(DType::boolean, 1, 0));
    const AttentionOptions o = ParameterOptions(c.options, DType::f32).options;
    const auto weights = [&](const AttentionCase& at) {
      return attention_weights(at.q.to(DType::f32), at.k.to(DType::f32), at.query_rows, at.key_rows,
                               o, {.sequence = 0, .head = 1});
    };
    expect_same_bits(weights(spoil(c, kNaN, true)), weights(c), s.name);
  }
}

// Scalar values have a product of their own.
TEST(MaskedNaN, ChangesNothingInScalarValues) {
  for (Normalizer normalizer : kNormalizers) {
    AttentionCase c = make_case(ScaledDot{}, normalizer, 1);
    c.options.mask = Mask::dense(sight(DType::boolean, 1, 0));
    for (DType type : {DType::f32, DType::f64}) {
      const Outcome clean = run_engine(c, type);
      expect_same_outcomes(run_engine(spoil(c, kNaN, true), type), clean, name_of(normalizer));
    }
  }
}

// A large number times the scale overflows: no less harmful than an infinity.
TEST(MaskedNaN, OverflowBehindTheMask) {
  AttentionCase c = make_case(ScaledDot{4}, Normalizer::softmax);
  c.options.mask = Mask::dense(sight(DType::boolean, 1, 0));
  const Outcome clean = run_engine(c, DType::f32);
  expect_same_outcomes(run_engine(spoil(c, 3e38, true), DType::f32), clean, "overflow");
}

// What one query is given in sight stays with it: the masked pairs of a row that is NaN carry no
// gradient to the keys and values that only other queries see.
TEST(MaskedNaN, ANaNQueryReachesOnlyItsKeys) {
  for (Normalizer normalizer : kNormalizers) {
    for (const NamedScore& s : all_scores(3, 3, true)) {
      if (s.name == std::string("constant")) continue;
      for (DType type : {DType::f32, DType::f64}) {
        SCOPED_TRACE(std::string(s.name) + ", " + name_of(normalizer) + ", " + heed::name(type));
        AttentionCase c = make_case(s.score, normalizer);
        c.options.mask = Mask::causal();
        const Outcome clean = run_engine(c, type);
        c.q = c.q.clone();
        c.q.slice(0, 2, 3).fill(kNaN);  // sees the keys 0, 1, 2
        const Outcome dirty = run_engine(c, type);
        const auto rest = [](const Tensor& x, int64_t first) {
          return x.slice(0, first, x.dim(0));
        };
        expect_same_bits(rest(dirty.y, 3), rest(clean.y, 3), "y");
        expect_same_bits(dirty.y.slice(0, 0, 2), clean.y.slice(0, 0, 2), "y before");
        expect_same_bits(rest(dirty.gradients.dv, 3), rest(clean.gradients.dv, 3), "dv");
        expect_same_bits(rest(dirty.gradients.dk, 3), rest(clean.gradients.dk, 3), "dk");
        expect_same_bits(rest(dirty.gradients.dq, 3), rest(clean.gradients.dq, 3), "dq");
        EXPECT_TRUE(
            std::isnan(dirty.y.slice(0, 2, 3).to(DType::f64).contiguous().data<double>()[0]));
        const Tensor w = attention_weights(c.q.to(type), c.k.to(type), c.query_rows, c.key_rows,
                                           ParameterOptions(c.options, type).options,
                                           {.first_row = 2, .rows = 1});
        EXPECT_EQ(largest(rest(w.reshape({kKeys, 1}), 3)), 0);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(NaNInSight, ReachesTheOutput) {
  for (Normalizer normalizer : kNormalizers) {
    for (const NamedScore& s : all_scores(3, 3, true)) {
      if (s.name == std::string("constant")) continue;
      for (DType type : {DType::f32, DType::f64}) {
        for (int64_t spoiled : {int64_t{1}, kKeys}) {  // one key, or all
          SCOPED_TRACE(std::string(s.name) + ", " + name_of(normalizer) + ", " + heed::name(type));
          AttentionCase c = make_case(s.score, normalizer);
          c.k = c.k.clone();
          c.k.slice(0, 0, spoiled).fill(kNaN);
          const Tensor y = run_engine(c, type).y.to(DType::f64);
          for (int64_t i = 0; i < kQueries * 2 * 5; ++i)
            ASSERT_TRUE(std::isnan(y.data<double>()[i]));
          EXPECT_FALSE(std::isnan(y.data<double>()[y.size() - 1])) << "the other sequence";
        }
      }
    }
  }
}

// Any of the bit patterns that are NaN: signaling, negative, with a payload.
TEST(NaNInSight, WhateverItsBits) {
  for (uint32_t bits :
       {0x7fc00000u, 0xffc00000u, 0x7fc00001u, 0x7f800001u, 0x7fc007a2u, 0xffffffffu}) {
    const AttentionCase c = make_case(ScaledDot{}, Normalizer::softmax);
    for (int64_t spoiled : {int64_t{1}, kKeys}) {
      Tensor k = c.k.to(DType::f32).clone();
      for (int64_t i = 0; i < spoiled * k.dim(2); ++i)
        k.data<float>()[i] = std::bit_cast<float>(bits);
      const Tensor y =
          attention(c.q.to(DType::f32), k, c.v.to(DType::f32), c.query_rows, c.key_rows);
      ASSERT_TRUE(std::isnan(y.data<float>()[0])) << std::hex << bits;
    }
  }
}

TEST(NaNInSight, AValueReachesTheOutput) {
  for (DType type : {DType::f32, DType::f64}) {
    AttentionCase c = make_case(ScaledDot{}, Normalizer::softmax);
    c.v = c.v.clone();
    c.v.slice(0, 130, 131).slice(2, 2, 3).fill(kNaN);
    const Tensor y = run_engine(c, type).y.to(DType::f64);
    for (int64_t i = 0; i < kQueries * 2 * 5; ++i) {
      ASSERT_EQ(std::isnan(y.data<double>()[i]), i % 5 == 2) << i;
    }
  }
}

}  // namespace
}  // namespace heed::masked_nan_test

#include "bench/row.h"

#include <gtest/gtest.h>

#include "bench/attention_flops.h"
#include "bench/product.h"

namespace heed::bench {
namespace {

const Field& find(const std::vector<Field>& fields, const std::string& name) {
  for (const Field& field : fields) {
    if (field.name == name) return field;
  }
  throw std::out_of_range(name);
}

double number(const std::vector<Field>& fields, const std::string& name) {
  return std::get<double>(find(fields, name).value);
}

constexpr Timing two_ms{.best_ms = 2, .median_ms = 3, .runs = 5};

TEST(Row, RatesAndRatiosAreThoseOfTheBestTime) {
  const Row row{.name = "product",
                .timing = two_ms,
                .flops = 6e8,
                .bytes = 4e6,
                .onednn = Timing{.best_ms = 1.5, .median_ms = 9, .runs = 5}};
  const auto all = fields(row, {.peak_gflops = 400, .bandwidth_gbs = 8});
  EXPECT_EQ(std::get<std::string>(find(all, "name").value), "product");
  EXPECT_DOUBLE_EQ(number(all, "ms"), 2);
  EXPECT_DOUBLE_EQ(number(all, "median_ms"), 3);
  EXPECT_DOUBLE_EQ(number(all, "gflops"), 300);
  EXPECT_DOUBLE_EQ(number(all, "of_peak"), 0.75);
  EXPECT_EQ(std::get<int64_t>(find(all, "bytes").value), 4'000'000);
  EXPECT_DOUBLE_EQ(number(all, "gbs"), 2);
  EXPECT_DOUBLE_EQ(number(all, "of_bandwidth"), 0.25);
  EXPECT_DOUBLE_EQ(number(all, "onednn_ms"), 1.5);
  EXPECT_DOUBLE_EQ(number(all, "of_onednn"), 0.75);
}

TEST(Row, WhatWasReadBesideItIsTheCeiling) {
  const auto all =
      fields(Row{.timing = two_ms, .bytes = 4e6, .read_gbs = 2.5}, {.bandwidth_gbs = 8});
  EXPECT_DOUBLE_EQ(number(all, "read_gbs"), 2.5);
  EXPECT_DOUBLE_EQ(number(all, "of_bandwidth"), 0.8);
}

TEST(Row, WhatIsNotKnownIsNotShown) {
  const auto all = fields(Row{.timing = two_ms, .flops = 6e8}, {});
  EXPECT_TRUE(find(all, "gflops").is_known());
  for (const char* name :
       {"of_peak", "bytes", "gbs", "read_gbs", "of_bandwidth", "gpairs", "onednn_ms", "of_onednn",
        "length", "causal", "extra_bytes", "causal_ratio"}) {
    EXPECT_FALSE(find(all, name).is_known()) << name;
  }
}

TEST(Row, TokensOfTraining) {
  const Row row{.timing = two_ms, .tokens = 100, .peak_rss_bytes = 7};
  EXPECT_DOUBLE_EQ(number(fields(row, {}), "tokens_per_s"), 50'000);
  EXPECT_EQ(std::get<int64_t>(find(fields(row, {}), "peak_rss_bytes").value), 7);
}

TEST(Row, CausalAttentionIsComparedWithTheSameWithoutTheMask) {
  const Row row{
      .timing = two_ms, .causal = true, .full = Timing{.best_ms = 4, .median_ms = 4, .runs = 5}};
  EXPECT_DOUBLE_EQ(number(fields(row, {}), "causal_ratio"), 0.5);
}

TEST(Flops, OfAProduct) {
  EXPECT_DOUBLE_EQ((Product{Layout::nt, 3, 5, 7}.flops()), 210);
  EXPECT_EQ((Product{Layout::nt, 3, 5, 7}.text()), "nt-3x5x7");
}

TEST(Flops, OfAttention) {
  const AttentionShape shape{.B = 1, .T = 2048, .S = 2048, .H = 8, .D = 64};
  const double forward = 4.0 * 8 * 2048 * 2048 * 64;
  EXPECT_DOUBLE_EQ(attention_flops(shape, false, false), forward);
  EXPECT_DOUBLE_EQ(attention_flops(shape, true, false), forward / 2);
  EXPECT_DOUBLE_EQ(attention_flops(shape, false, true), forward * 3.5);
  EXPECT_DOUBLE_EQ(attention_flops(shape, true, true), forward * 1.75);
}

}  // namespace
}  // namespace heed::bench

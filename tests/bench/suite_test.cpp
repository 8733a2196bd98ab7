#include "bench/suite.h"

#include <gtest/gtest.h>

#include <set>

#include "bench/attention_run.h"
#include "bench/model_work.h"
#include "bench/product.h"
#include "heed/models/transformer.h"

namespace heed::bench {
namespace {

TEST(Suite, NamesAreDifferent) {
  for (const Suite& suite : {gemm_suite(), attention_suite(), ops_suite(), database_suite(),
                             train_suite(), decode_suite(), translate_suite()}) {
    std::set<std::string> names;
    for (const Case& one : suite) EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_GE(names.size(), 2);
  }
}

TEST(Suite, CasesByPartOfTheName) {
  const Suite some = cases_with(gemm_suite(), "few-nn-1x");
  ASSERT_FALSE(some.empty());
  EXPECT_LT(some.size(), gemm_suite().size());
  EXPECT_EQ(some.front().name, "few-nn-1x3072x768");
  for (const Case& one : some) EXPECT_NE(one.name.find("few-nn-1x"), std::string::npos) << one.name;
  EXPECT_TRUE(cases_with(gemm_suite(), "softmax").empty());
}

TEST(Suite, RunsEveryCaseBetweenTheCeilings) {
  const Suite suite{{"a",
                     [](const Effort&) {
                       return Row{.timing = {1, 1, 1}, .flops = 1e6};
                     }},
                    {"b", [](const Effort&) {
                       return Row{.timing = {1, 1, 1}};
                     }}};
  std::vector<std::string> told;
  const Report report =
      run_suite(suite, {.effort = Effort::quick(),
                        .progress = [&](const std::string& text) { told.push_back(text); }});
  EXPECT_EQ(told, (std::vector<std::string>{"peak and bandwidth", "1/2 a", "2/2 b",
                                            "peak and bandwidth"}));
  ASSERT_EQ(report.rows.size(), 2);
  EXPECT_EQ(report.rows[1].name, "b");
  EXPECT_GT(report.ceilings.peak_gflops, 0);
  EXPECT_GT(report.ceilings.bandwidth_gbs, 0);
  EXPECT_GE(report.threads, 1);
}

// What is compared must be the same work.
TEST(Product, HeedAndOneDnnAgree) {
  for (const Layout layout : {Layout::nn, Layout::nt, Layout::tn}) {
    const Product product{layout, 19, 33, 47};
    const Tensor a = product.make_a(1);
    const Tensor b = product.make_b(2);
    Tensor ours = Tensor::zeros({19, 33});
    Tensor theirs = Tensor::zeros({19, 33});
    product.run_heed(a, b, ours);
    product.run_onednn(a, b, theirs);
    for (int64_t i = 0; i < ours.size(); ++i) {
      ASSERT_NEAR(ours.data<float>()[i], theirs.data<float>()[i], 1e-4) << product.text();
    }
  }
}

// Counted by hand: 2 layers of width 4 with 2 heads, 6 hidden units, 10 tokens, no biases.
TEST(ModelWork, CountsWeightsOnce) {
  const TransformerConfig config{.kind = TransformerKind::encoder_decoder,
                                 .vocabulary = 10,
                                 .encoder_layers = 2,
                                 .decoder_layers = 2,
                                 .width = 4,
                                 .hidden = 6,
                                 .heads = 2,
                                 .context = 8,
                                 .bias = false};
  const Transformer model(config);
  const ModelWork work(model);
  const double self = 4 * 4 * 4, feed_forward = 2 * 4 * 6;
  EXPECT_EQ(work.source.factors, 2 * (self + feed_forward) + 2 * (2 * 4 * 4));
  EXPECT_EQ(work.target.factors, 2 * (self + 2 * 4 * 4 + feed_forward));
  EXPECT_EQ(work.output.factors, 10 * 4);
  EXPECT_EQ(work.output.bytes, 4 * 10 * 4);
  const double norms = 2 * 3 + 1;  // gain and shift
  EXPECT_EQ(work.target.bytes, 4 * (work.target.factors + norms * 2 * 4));
  EXPECT_EQ(work.cache_bytes, 4 * 2 * 2 * 4);
  EXPECT_EQ(work.cache_flops, 2 * 4 * 4);
  EXPECT_TRUE(has_encoder(model));
  EXPECT_EQ(vocabulary_of(model), 10);
}

TEST(AttentionRun, ExtraMemoryIsFarBelowAllScores) {
  const AttentionRun run({.T = 512, .S = 512, .H = 2, .D = 8});
  for (const bool backward : {false, true}) {
    EXPECT_GE(run.extra_bytes(backward), 0);
    EXPECT_LT(run.extra_bytes(backward), 4 * 2 * 512 * 512);
  }
  EXPECT_EQ(run.input_bytes(), 4 * 4 * 512 * 2 * 8);
}

}  // namespace
}  // namespace heed::bench

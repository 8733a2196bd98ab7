#include "bench/suite.h"

#include <gtest/gtest.h>

#include <set>

#include "bench/attention_run.h"
#include "bench/product.h"

namespace heed::bench {
namespace {

TEST(Suite, NamesAreDifferent) {
  for (const Suite& suite : {gemm_suite(), attention_suite(), ops_suite(), train_suite()}) {
    std::set<std::string> names;
    for (const Case& one : suite) EXPECT_TRUE(names.insert(one.name).second) << one.name;
    EXPECT_GE(names.size(), 3);
  }
}

TEST(Suite, CasesByPartOfTheName) {
  const Suite some = cases_with(gemm_suite(), "few-nn-1x");
  ASSERT_EQ(some.size(), 1);
  EXPECT_EQ(some.front().name, "few-nn-1x3072x768");
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

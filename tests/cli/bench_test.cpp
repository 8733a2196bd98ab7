// heed bench as a program: what it prints, not how fast it is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/pipeline/small_runs.h"

namespace heed::bench_test {
namespace {

nlohmann::json bench(const std::string& suite, const std::string& only) {
  return run_json({"bench", suite, "--quick", "-t", "2", "--only", only});
}

// The row of this name, which must be there; every row has a name and times.
nlohmann::json row_of(const nlohmann::json& report, const std::string& name) {
  for (const nlohmann::json& row : report.at("rows")) {
    EXPECT_GT(row.at("ms"), 0) << row;
    EXPECT_GE(row.at("median_ms"), row.at("ms")) << row;
    if (row.at("name") == name) return row;
  }
  ADD_FAILURE() << "no row " << name << " in " << report;
  return {};
}

TEST(Bench, GemmAsJson) {
  const nlohmann::json report = bench("gemm", "large-tn-384");
  EXPECT_EQ(report.at("threads"), 2);
  EXPECT_TRUE(report.at("isa").is_string());
  EXPECT_GT(report.at("peak_gflops"), 0);
  EXPECT_GT(report.at("bandwidth_gbs"), 0);
  EXPECT_EQ(report.at("rows").size(), 1);
  const nlohmann::json row = row_of(report, "large-tn-384x384x4096");
  const double gflops = 2.0 * 384 * 384 * 4096 / row.at("ms").get<double>() / 1e6;
  EXPECT_NEAR(row.at("gflops").get<double>(), gflops, gflops * 1e-9);
  EXPECT_NEAR(row.at("of_peak").get<double>(), gflops / report.at("peak_gflops").get<double>(),
              1e-9);
  EXPECT_GT(row.at("onednn_ms"), 0);
  EXPECT_GT(row.at("of_onednn"), 0);
}

// A variable of the environment, for a scope; null: not set.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      ::unsetenv(name_);
    } else {
      ::setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(Bench, TheEnvironmentSaysHowManyThreads) {
  const auto threads = [](const char* heed_threads, const char* omp_num_threads,
                          const std::vector<std::string>& options = {}) {
    const Environment own("HEED_THREADS", heed_threads);
    const Environment other("OMP_NUM_THREADS", omp_num_threads);
    std::vector<std::string> arguments{"bench",         "ops",    "--quick",
                                       "--no-ceilings", "--only", "silu-forward"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return run_json(arguments).at("threads").get<int>();
  };
  EXPECT_EQ(threads("3", nullptr), 3);
  EXPECT_EQ(threads("3", "4"), 3);
  EXPECT_EQ(threads(nullptr, "4"), 4);
  EXPECT_EQ(threads("many", "4"), 4);
  EXPECT_EQ(threads("3", "4", {"-t", "2"}), 2);
}

TEST(Bench, AttentionAsJson) {
  const nlohmann::json report = bench("attention", "-128");
  EXPECT_EQ(report.at("rows").size(), 4);
  const nlohmann::json full = row_of(report, "full-forward-128");
  EXPECT_EQ(full.at("length"), 128);
  EXPECT_EQ(full.at("causal"), false);
  EXPECT_EQ(full.at("backward"), false);
  EXPECT_GE(full.at("extra_bytes"), 0);
  EXPECT_GT(full.at("of_peak"), 0);
  EXPECT_FALSE(full.contains("causal_ratio"));
  const nlohmann::json causal = row_of(report, "causal-forward-backward-128");
  EXPECT_EQ(causal.at("causal"), true);
  EXPECT_EQ(causal.at("backward"), true);
  EXPECT_GT(causal.at("causal_ratio"), 0);
}

TEST(Bench, DatabaseAsJson) {
  const nlohmann::json report = bench("database", "64x");
  EXPECT_GT(row_of(report, "exact-64x1000000").at("of_bandwidth"), 0);
  EXPECT_GT(row_of(report, "certain-64x1000000").at("of_exact"), 0);
}

TEST(Bench, OpsAsJson) {
  const nlohmann::json report = bench("ops", "softmax");
  const nlohmann::json forward = row_of(report, "softmax-forward");
  const nlohmann::json backward = row_of(report, "softmax-backward");
  EXPECT_EQ(forward.at("bytes").get<int64_t>() * 3, backward.at("bytes").get<int64_t>() * 2);
  EXPECT_GT(backward.at("gbs"), 0);
  EXPECT_GT(backward.at("of_bandwidth"), 0);
  EXPECT_FALSE(forward.contains("gflops"));
}

TEST(Bench, TrainAsJson) {
  const nlohmann::json report = bench("train", "chars");
  EXPECT_EQ(report.at("rows").size(), 1);
  const nlohmann::json row = row_of(report, "train-chars");
  const double tokens = row.at("tokens_per_s").get<double>() * row.at("ms").get<double>() / 1e3;
  EXPECT_NEAR(tokens, 2 * 64, 1e-6);
  EXPECT_GT(row.at("of_peak"), 0);
  EXPECT_GT(row.at("peak_rss_bytes"), 1 << 20);
  // 6 operations per weight and token, and attention, causal, of 4 heads of 32.
  const double weights = 4 * 12 * 128 * 128 + 65 * 128;
  const double attention = 4 * 3.5 / 2 * 4 * 4 * 32 * 64;
  const double gflop = row.at("gflops").get<double>() * row.at("ms").get<double>() / 1e3;
  EXPECT_NEAR(gflop, tokens * (6 * weights + attention) / 1e9, 1e-9);
}

TEST(Bench, DecodeAsJson) {
  const nlohmann::json report = bench("decode", "");
  EXPECT_EQ(report.at("rows").size(), 2);
  const nlohmann::json decode = row_of(report, "decode-16-80");
  EXPECT_GT(decode.at("of_bandwidth"), 0);
  const double seconds = decode.at("ms").get<double>() / 1e3;
  EXPECT_NEAR(decode.at("tokens_per_s").get<double>() * seconds, 64, 1e-6);
  const nlohmann::json prefill = row_of(report, "prefill-512");
  EXPECT_GT(prefill.at("tokens_per_s"), 0);
  EXPECT_GT(prefill.at("of_peak"), 0);
}

TEST(Bench, TranslateAsJson) {
  const nlohmann::json report = bench("translate", "");
  EXPECT_EQ(report.at("rows").size(), 2);
  for (const int sentences : {1, 32}) {
    const nlohmann::json row = row_of(report, "translate-" + std::to_string(sentences) + "-beam-4");
    const double seconds = row.at("ms").get<double>() / 1e3;
    EXPECT_NEAR(row.at("tokens_per_s").get<double>() * seconds, 25 * sentences, 1e-6);
    EXPECT_GT(row.at("of_bandwidth"), 0);
    EXPECT_GT(row.at("of_peak"), 0);
  }
}

TEST(Bench, OnAModel) {
  const std::string writer = write_small_run(temporary("bench-lm"), {.task = Task::lm});
  const std::string translator =
      write_small_run(temporary("bench-translate"), {.task = Task::translate});
  const auto rows_of = [](const std::string& suite, const std::string& folder) {
    return run_json({"bench", suite, "-m", folder, "--quick"}).at("rows").size();
  };
  EXPECT_EQ(rows_of("decode", writer), 2);
  EXPECT_EQ(rows_of("translate", translator), 2);
  const Outcome outcome = run_heed({"bench", "decode", "-m", translator});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("heed bench translate"), std::string::npos) << outcome.err;
}

TEST(Bench, WithoutCeilingsThereAreNoRatios) {
  const nlohmann::json report =
      run_json({"bench", "ops", "--quick", "--no-ceilings", "--only", "silu-forward"});
  EXPECT_TRUE(report.at("peak_gflops").is_null());
  EXPECT_TRUE(report.at("bandwidth_gbs").is_null());
  EXPECT_FALSE(row_of(report, "silu-forward").contains("of_bandwidth"));
}

TEST(Bench, Memory) {
  const nlohmann::json report = run_json({"bench", "memory", "--length", "256", "--causal"});
  EXPECT_EQ(report.at("length"), 256);
  EXPECT_EQ(report.at("causal"), true);
  EXPECT_EQ(report.at("inputs_bytes"), 4 * 256 * 512 * 4);
  EXPECT_EQ(report.at("outputs_bytes"), 4 * 256 * 512 * 4);
  EXPECT_GE(report.at("growth_bytes"), 0);
}

TEST(Bench, TableAndProgress) {
  const Outcome outcome = run_heed({"bench", "ops", "--quick", "--only", "silu"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("silu-backward"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("of_bandwidth"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("gflops"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("2/2 silu-backward"), std::string::npos) << outcome.err;
}

TEST(Bench, WrongUsage) {
  const auto refuses = [](const std::vector<std::string>& arguments, const std::string& because) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(because), std::string::npos) << outcome.err;
  };
  refuses({"bench"}, "which suite?");
  refuses({"bench", "opps"}, "did you mean 'ops'?");
  refuses({"bench", "ops", "--only", "nothing-like-it"}, "no row of ops has 'nothing-like-it'");
  refuses({"bench", "ops", "--length", "5"}, "--length goes with memory");
  refuses({"bench", "memory", "--quick"}, "--quick goes with every suite but memory");
  refuses({"bench", "gemm", "-m", "run"}, "--model goes with decode and translate");
  refuses({"bench", "gemm", "-t", "0"}, "'0' is not a whole number");
}

}  // namespace
}  // namespace heed::bench_test

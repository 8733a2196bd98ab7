#include "heed/kernels/simd.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "heed/base/error.h"
#include "heed/kernels/accumulate.h"

namespace heed::kernels {
namespace {

// Puts back what the environment asked for.
struct IsaTest : ::testing::Test {
  ~IsaTest() override {
    limit_isa("");
    apply_isa_environment();
  }
};

TEST_F(IsaTest, LimitsAndLifts) {
  limit_isa("");
  const std::string best = isa_name();
  EXPECT_TRUE(best == "AVX-512" || best == "AVX2" || best == "SSE4" || best == "NEON") << best;
  limit_isa(isa_limits().front());
  EXPECT_EQ(isa_name(), best == "NEON" ? "NEON" : "SSE4");
  limit_isa("");
  EXPECT_EQ(isa_name(), best);
}

TEST_F(IsaTest, NeverExceedsTheProcessor) {
  limit_isa("");
  const std::string best = isa_name();
  limit_isa(isa_limits().back());
  EXPECT_EQ(isa_name(), best);
}

// The message has the names that this architecture knows; those of another are as unknown as any.
TEST_F(IsaTest, UnknownNameIsAnError) {
  const bool arm = isa_name() == "NEON";
  const std::string known = arm ? "neon" : "sse4 or avx2 or avx512";
  for (const char* name : {"axv2", arm ? "avx2" : "neon"}) {
    try {
      limit_isa(name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.what(), "instruction set: expected " + known + ", got '" + name + "'");
    }
  }
}

TEST_F(IsaTest, EnvironmentWasObeyed) {
  const char* name = std::getenv("HEED_MAX_ISA");
  if (name == nullptr) GTEST_SKIP() << "HEED_MAX_ISA is not set";
  const std::string limit = name, used = isa_name();
  const std::map<std::string, std::set<std::string>> allowed = {
      {"sse4", {"SSE4"}},
      {"avx2", {"SSE4", "AVX2"}},
      {"avx512", {"SSE4", "AVX2", "AVX-512"}},
      {"neon", {"NEON"}}};
  ASSERT_TRUE(allowed.contains(limit)) << limit;
  EXPECT_TRUE(allowed.at(limit).contains(used)) << used << " under " << limit;
}

TEST_F(IsaTest, AccumulateAgreesOnEverySet) {
  for (const std::string& isa : isa_limits()) {
    limit_isa(isa);
    Tensor y = Tensor::full({3, 37}, 1.5);
    const Tensor x = Tensor::full({3, 50}, 0.25).slice(1, 4, 41);
    accumulate(y, x);
    for (int64_t i = 0; i < y.size(); ++i) ASSERT_EQ(y.data<float>()[i], 1.75f) << isa;
  }
}

}  // namespace
}  // namespace heed::kernels

// heed complexity as a user runs it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/program.h"

namespace heed::complexity_test {
namespace {

// R102, R104
TEST(CliComplexity, TablesAndPlot) {
  const std::string svg = temporary("cost.svg");
  const nlohmann::json page = run_json({"complexity", "--plot", svg});
  EXPECT_NEAR(page["numbers"]["multiply_adds"][0][1].get<double>(), 14680064, 0);
  EXPECT_EQ(page["numbers"]["multiply_adds"][0][0], 1048576);
  EXPECT_EQ(page["numbers"]["crossover_convolution"], 512);
  EXPECT_TRUE(std::filesystem::exists(svg));
  const nlohmann::json timed =
      run_json({"complexity", "--L", "16", "--d", "8", "--dk", "4", "--dv", "4", "--measure"});
  EXPECT_GT(timed["numbers"]["milliseconds"][0][0].get<double>(), 0);
  EXPECT_EQ(run_heed({"complexity", "--kernel", "2"}).code, 2);
}

}  // namespace
}  // namespace heed::complexity_test

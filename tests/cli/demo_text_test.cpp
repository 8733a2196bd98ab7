// heed demo: what is printed reads well.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/demo_run.h"

namespace heed::demo_text_test {
namespace {

// Sentences that speak of the default inputs are not said of others.
TEST(CliDemo, ProseFollowsTheInputs) {
  const auto says = [](std::vector<std::string> arguments, const std::string& text) {
    arguments.insert(arguments.begin(), "demo");
    return run_heed(arguments).out.find(text) != std::string::npos;
  };
  EXPECT_TRUE(says({"fuzzy-dictionary"}, "The notes compute 3.4"));
  EXPECT_TRUE(says({"fuzzy-dictionary"}, "30 against 20 is 1.5 to 1"));
  EXPECT_FALSE(says({"fuzzy-dictionary", "--similarity", "1,2,3"}, "3.4"));
  EXPECT_TRUE(says({"fuzzy-dictionary", "--similarity", "1,2,3"}, "3 against 2 is 1.5 to 1"));
  EXPECT_FALSE(says({"variance", "--runs", "1", "--width", "50"}, "1 runs"));
  EXPECT_FALSE(says({"variance", "--runs", "1", "--width", "50"}, "standard error"));
  const std::vector<std::string> alone{"parallel", "--lengths", "8", "--d", "8", "--threads", "1"};
  EXPECT_FALSE(says(alone, "1 threads"));
  EXPECT_TRUE(says(alone, "nothing to compare"));
}

// A number that is not 0 is not printed as 0, and rounds ones have no zeros behind them.
TEST(CliDemo, SmallNumbersKeepTheirDigits) {
  const std::string out = run_heed({"demo", "saturation"}).out;
  EXPECT_EQ(out.find("1000.000000"), std::string::npos) << out;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  5 ")) continue;  // scale 30
    EXPECT_EQ(line.find("0.000000"), std::string::npos) << line;
    EXPECT_NE(line.find("e-1"), std::string::npos) << line;
  }
}

// A calculator shows what it was given.
TEST(CliDemo, InputsAreShown) {
  const auto says = [](const std::string& name, const std::string& text) {
    const std::string out = run_heed({"demo", name}).out;
    EXPECT_NE(out.find(text), std::string::npos) << out;
  };
  says("pooling", "Query (1, 0.5); keys (1, 1), (-1, 0), (2, -1), (0, 0.5); values 10, 20, 30, 40");
  says("weightings", "Query 0.4; keys 0, 0.5, 2; values (1, 0), (0, 1), (1, 1).");
  says("scores", "Query (1, 0.5); keys (1, 1)");
  says("gaussian-score", "Query (1, 2); keys (0, 1), (3, 1), (-1, 2).");
  says("fuzzy-dictionary", "d = {\"apple\": 8, \"apricot\": 4, \"orange\": 3}");
  says("no-key-in-reach", "Seen: 0, 1, 2, 6 with values 0, 1, 4, 9; a boxcar of width 1 at 4.");
  says("classification", "their classes: a, ");
  says("self-attention", "The rows of W_Q are (2, 0), (0, 1), (1, 1)");
}

// The exact lookup stands among the numbers, below the formula.
TEST(CliDemo, AnExactLookupFollowsTheFormula) {
  const std::string out = run_heed({"demo", "fuzzy-dictionary", "--key", "apple"}).out;
  EXPECT_GT(out.find("exactly"), out.find("d[q] = "));
  EXPECT_EQ(out.find("\n\n\n"), std::string::npos) << out;
}

// A weight of 0 is printed as 0: that of a masked key is not one that was rounded.
TEST(CliDemo, ExactZerosAreToldFromSmallNumbers) {
  const std::string out = run_heed({"demo", "masked-softmax"}).out;
  EXPECT_NE(out.find("length 2  0.4013  0.5987       0       0"), std::string::npos) << out;
  EXPECT_EQ(out.find("0.0000"), std::string::npos) << out;
  const std::string far = run_heed({"demo", "gaussian-score", "--q", "1e200,1"}).out;
  EXPECT_NE(far.find("-inf"), std::string::npos) << far;
}

}  // namespace
}  // namespace heed::demo_text_test

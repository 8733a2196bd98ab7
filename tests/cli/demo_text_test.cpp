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

// What a gradient does depends on the gain, so it is said, and three of them are shown.
TEST(CliDemo, ResidualNamesItsGains) {
  const auto page = run_json({"demo", "residual"});
  const auto& numbers = page["numbers"];
  EXPECT_EQ(page["tables"]["at_input"]["rows"],
            (std::vector<std::string>{"gain 0.5", "gain 1", "gain 2"}));
  EXPECT_LT(numbers["at_input"][0][0].get<double>(), 1e-8);
  EXPECT_NEAR(numbers["at_input"][1][0].get<double>(), 3.16, 0.01);
  EXPECT_NEAR(numbers["at_input"][2][0].get<double>(), 1759, 1);
  ASSERT_EQ(numbers["plain"].size(), 3u);
  EXPECT_EQ(numbers["residual"][2].size(), 33u);
  const std::string folder = temporary("residual");
  const Outcome text = run_heed({"demo", "residual", "-o", folder});
  const std::string svg = text_in(folder + "/residual.svg");
  for (const char* gain : {"gain 0.5", "gain 1", "gain 2"}) {
    EXPECT_NE(text.out.find(gain), std::string::npos) << text.out;
    EXPECT_NE(svg.find(std::string(">") + gain + "<"), std::string::npos) << gain;
  }
  const auto own = run_json({"demo", "residual", "--gain", "0.8", "--layers", "4"});
  EXPECT_EQ(own["tables"]["at_input"]["rows"], std::vector<std::string>{"gain 0.8"});
  EXPECT_EQ(own["numbers"]["at_input"].size(), 1u);
  for (const char* wrong : {"0", "1,-2", "x", "1,,2", "1,2,3,4,5,6,7", "inf"}) {
    const Outcome outcome = run_heed({"demo", "residual", "--gain", wrong});
    EXPECT_EQ(outcome.code, 2) << wrong << outcome.err;
    EXPECT_NE(outcome.err.find("--gain"), std::string::npos) << outcome.err;
  }
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

// heed demo: the list, the help, and what every demo does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/demo_run.h"

namespace heed::demo_list_test {
namespace {

TEST(CliDemo, ListIsGroupedAndNamesRequirements) {
  const Outcome list = run_heed({"demo", "--list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(run_heed({"demo"}).out, list.out);
  for (const char* text : {"Kernel regression\n", "Masks and batches\n", "fuzzy-dictionary",
                           "(R31-R34)", "(R102-R105)"}) {
    EXPECT_NE(list.out.find(text), std::string::npos) << text;
  }
  std::istringstream lines(list.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

// What scripts/requirements reads.
TEST(CliDemo, ListAsJsonHasWhatTheListShows) {
  const std::string list = run_heed({"demo"}).out;
  const nlohmann::json demos = run_json({"demo"});
  for (const auto& demo : demos) {
    const std::string requirements = demo["requirements"];
    EXPECT_TRUE(std::regex_match(requirements, std::regex("R\\d+(-R\\d+)?(, R\\d+(-R\\d+)?)*")))
        << requirements;
    for (const char* field : {"name", "group", "about", "requirements"}) {
      EXPECT_NE(list.find(demo[field].get<std::string>()), std::string::npos) << demo;
    }
    EXPECT_TRUE(demo["trains"].is_boolean()) << demo;
  }
}

// Lines by their characters; none of the demos prints wide or combining ones.
int widest_line(const std::string& text) {
  int widest = 0, width = 0;
  for (const char c : text) {
    if (c == '\n') {
      width = 0;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      widest = std::max(widest, ++width);
    }
  }
  return widest;
}

// A line "label value" whose label is longer than its column of 46, so that it pushes its value out
// of line; empty if there is none.
std::string pushed_value(const std::string& text) {
  const std::regex line_of_a_number("  ([ -~]*[^ ]) (yes|no|-?[0-9][-+.e0-9]*)");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, line_of_a_number) || parts.length(1) <= 46) continue;
    if (parts.str(1).find("  ") == std::string::npos) return line;  // not a row of a table
  }
  return "";
}

// Each runs, says its formula, prints numbers in 80 columns, and draws.
TEST(CliDemo, EveryDemoRunsPrintsAndDraws) {
  ::unsetenv("COLUMNS");
  for (const auto& [name, page] : pages()) {
    const std::string folder = temporary("demos/" + name);
    std::vector<std::string> arguments{"demo", name, "-o", folder};
    const auto options = short_demos().at(name);
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome text = run_heed(arguments);
    EXPECT_EQ(text.code, 0) << name << text.err;
    EXPECT_GT(text.out.size(), 200u) << name;
    EXPECT_LE(widest_line(text.out), 80) << name << "\n" << text.out;
    EXPECT_EQ(pushed_value(text.out), "") << name;
    EXPECT_FALSE(page["numbers"].empty()) << name;
    EXPECT_FALSE(page["formula"].empty()) << name;
    EXPECT_EQ(page["requirements"].get<std::string>()[0], 'R') << name;
    EXPECT_TRUE(std::filesystem::exists(folder + "/" + name + ".svg")) << name;
  }
}

TEST(CliDemo, EveryHelpFitsEightyColumnsAndItsExampleRuns) {
  for (const auto& [name, options] : short_demos()) {
    const Outcome help = run_heed({"demo", name, "--help"});
    EXPECT_EQ(help.code, 0);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
    const size_t at = help.out.rfind("\n  heed ");
    ASSERT_NE(at, std::string::npos) << name;
    const std::string example = help.out.substr(at + 8);
    std::string line = "'" HEED_PROGRAM "' " + example.substr(0, example.find('\n'));
    for (const std::string& option : options) line += " " + option;
    line += " > /dev/null 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
  }
}

TEST(CliDemo, TablesInJsonHaveNames) {
  const auto& page = pages().at("saturation");
  EXPECT_EQ(page["tables"]["points"]["columns"][1], "max weight");
  EXPECT_EQ(page["tables"]["points"]["title"], "By scale");
  const auto& weights = pages().at("fuzzy-dictionary")["tables"]["weights"];
  EXPECT_EQ(weights["rows"][0], "sum");
  EXPECT_EQ(weights["columns"][2], "orange");
}

// R112: the errata that the demos name are those of the list.
TEST(CliDemo, ErrataAreNamed) {
  std::set<int> named;
  for (const auto& [name, page] : pages()) {
    if (!page.contains("errata")) continue;
    for (const auto& erratum : page["errata"]) named.insert(erratum["number"].get<int>());
  }
  for (const int number : {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 22, 23, 26, 27, 35}) {
    EXPECT_TRUE(named.contains(number)) << number;
  }
}

// A mistyped demo is called one, and those that are like it are named.
TEST(CliDemo, UnknownDemosAreSuggested) {
  const auto says = [](const std::string& name, const std::string& message) {
    const Outcome outcome = run_heed({"demo", name});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "heed: " + message + " (see heed demo --help)\n");
  };
  says("nosuch", "unknown demo 'nosuch'; 'heed demo' lists them all");
  says("kernel", "unknown demo 'kernel'; did you mean 'kernels'? 'heed demo' lists them all");
  says("attention",
       "unknown demo 'attention'; did you mean 'self-attention', 'cross-attention' or "
       "'chained-attention'? 'heed demo' lists them all");
  says("regresion",
       "unknown demo 'regresion'; did you mean 'regression' or 'regression-weights'? 'heed demo' "
       "lists them all");
  says("softmax",
       "unknown demo 'softmax'; did you mean 'masked-softmax'? 'heed demo' lists them all");
  const Outcome option = run_heed({"demo", "--lst"});
  EXPECT_NE(option.err.find("unknown option '--lst'; did you mean '--list'?"), std::string::npos)
      << option.err;
}

TEST(CliDemo, WrongInputs) {
  EXPECT_EQ(run_heed({"demo", "kernels", "--width", "0"}).code, 2);
  const auto says = [](const std::vector<std::string>& arguments, const std::string& text) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  };
  says({"demo", "pooling", "--q", "1,2,3"}, "--q has 3 numbers, the rows of --k have 2");
  says({"demo", "weightings", "--v", "1;2"}, "--v has 2 rows, --k 3");
  says({"demo", "gaussian-score", "--q", "1"}, "--q has 1 numbers, the rows of --k have 2");
  says({"demo", "pooling", "--normalizer", "sum"}, "--normalizer sum: scaled-dot gives a key");
  says({"demo", "fuzzy-dictionary", "--similarity", "-1,1,0"}, "--similarity: -1 is negative");
  says({"demo", "layer-norm", "--epsilon", "0", "--x", "2,2"}, "is 0 / 0");
  EXPECT_EQ(run_heed({"demo", "pooling", "--q", "none.csv"}).code, 1);
  EXPECT_EQ(run_heed({"demo", "kernels", "-o", "/dev/null/x"}).code, 1);
}

}  // namespace
}  // namespace heed::demo_list_test

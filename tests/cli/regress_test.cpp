#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/io/npy.h"
#include "tests/cli/program.h"

namespace heed {
namespace {

std::vector<std::string> squares(const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"regress", "--x", "0,1,2", "--y", "0,1,4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(CliRegress, ByHand) {
  const double a = std::exp(-0.5);
  const double b = std::exp(-2.0);
  const auto page = run_json(squares({"--query", "0,1"}));
  expect_near(page["output"], {{(a + 4 * b) / (1 + a + b)}, {(1 + 4 * a) / (1 + 2 * a)}});
  expect_near(page["weights"][1], {a / (1 + 2 * a), 1 / (1 + 2 * a), a / (1 + 2 * a)});
  expect_near(run_json(squares({"--query", "1", "--kernel", "boxcar"}))["output"], {{5 / 3.0}});
  expect_near(run_json(squares({"--query", "0.25", "--kernel", "triangular"}))["output"], {{0.25}});
  expect_near(run_json(squares({"--query", "0.5", "--kernel", "epanechnikov"}))["output"], {{0.5}});
  expect_near(run_json(squares({"--query", "7", "--kernel", "constant"}))["output"], {{5 / 3.0}});
  expect_near(run_json(squares({"--query", "0", "--width", "0.5"}))["output"],
              {{(std::exp(-2.0) + 4 * std::exp(-8.0)) / (1 + std::exp(-2.0) + std::exp(-8.0))}});
}

TEST(CliRegress, PointsInThePlane) {
  const std::vector<std::string> plane{"regress", "--x", "0,0;1,0;0,10", "--y", "1,2,4",
                                       "--query", "0,0", "--width",      "1,10"};
  const double w = std::exp(-0.5);
  expect_near(run_json(plane)["output"], {{(1 + 6 * w) / (1 + 2 * w)}});
}

TEST(CliRegress, EmptyRules) {
  const auto at = [](const std::string& rule) {
    return squares({"--query", "9", "--kernel", "boxcar", "--empty", rule});
  };
  const Outcome refused = run_heed(at("error"));
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("no observation is in reach of query 0"), std::string::npos);
  expect_near(run_json(at("uniform"))["output"], {{5 / 3.0}});
  expect_near(run_json(at("nearest"))["output"], {{4}});
  expect_near(run_json(at("nan"))["output"], {{nullptr}});
  EXPECT_EQ(run_heed(at("never")).code, 2);
}

TEST(CliRegress, TableFilesAndPicture) {
  const Outcome printed = run_heed(squares({"--query", "0,1", "--kernel", "boxcar"}));
  EXPECT_EQ(printed.out.rfind(
                "Predictions [2, 1]\n              0\nquery 0  0.5000\nquery 1  1.6667\n", 0),
            0u)
      << printed.out;
  const std::string y = temporary("regress.npy");
  const std::string w = temporary("regress_w.npy");
  const std::string svg = temporary("regress.svg");
  const Outcome written = run_heed(squares({"--query", "0,1", "-o", y, "--weights", w, "--figure",
                                            svg, "-t", "1", "--dtype", "float64"}));
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(load_npy(y).text(), "float64 [2, 1]");
  EXPECT_EQ(load_npy(w).text(), "float64 [2, 3]");
  EXPECT_NE(contents(svg).find("prediction"), std::string::npos);
}

TEST(CliRegress, QueriesThatAreNotNumbers) {
  std::string queries = "nan";
  for (int i = 0; i < 40; ++i) queries += fmt::format(",{}{}", i * 7 % 40, i % 3 ? "" : ",nan");
  const std::string svg = temporary("nan.svg");
  const Outcome outcome = run_heed(squares({"--query", queries, "--figure", svg}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(contents(svg).find("prediction"), std::string::npos);
}

TEST(CliRegress, WrongInputs) {
  EXPECT_EQ(run_heed({"regress", "--x", "1"}).code, 2);
  EXPECT_EQ(run_heed(squares({"--query", "1", "--kernel", "constant", "--width", "2"})).code, 2);
  EXPECT_EQ(run_heed({"regress", "--x", "1,2", "--y", "1,2,3", "--query", "1"}).code, 1);
  EXPECT_EQ(run_heed({"regress", "--x", "1,2;3,4", "--y", "1,2", "--query", "1,2,3"}).code, 1);
  EXPECT_EQ(run_heed({"regress", "--x", "1,2", "--y", "1,2", "--query", "none.csv"}).code, 1);
}

}  // namespace
}  // namespace heed

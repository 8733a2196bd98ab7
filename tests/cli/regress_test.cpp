#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/io/npy.h"
#include "tests/cli/program.h"

namespace heed::regress_test {
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

// One clear line, as for tables.
TEST(CliRegress, ArraysThatAreNotNumbers) {
  const auto refused = [](const std::vector<std::string>& arguments, const char* part) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  refused(squares({"--query", "1,nan"}), "--query: row 2 has nan, which is not a number");
  refused({"regress", "--x", "1,inf", "--y", "1,2", "--query", "1"}, "--x: row 2 has inf");
  refused({"regress", "--x", "1,2", "--y", "nan,2", "--query", "1"}, "--y: row 1 has nan");
}

TEST(CliRegress, WrongInputs) {
  EXPECT_EQ(run_heed({"regress", "--x", "1"}).code, 2);
  EXPECT_EQ(run_heed(squares({"--query", "1", "--kernel", "constant", "--width", "2"})).code, 2);
  EXPECT_EQ(run_heed({"regress", "--x", "1,2", "--y", "1,2,3", "--query", "1"}).code, 1);
  EXPECT_EQ(run_heed({"regress", "--x", "1,2;3,4", "--y", "1,2", "--query", "1,2,3"}).code, 1);
  EXPECT_EQ(run_heed({"regress", "--x", "1,2", "--y", "1,2", "--query", "none.csv"}).code, 1);
}

std::string csv_file(const std::string& name, const std::string& text) {
  const std::string path = temporary(name);
  std::ofstream(path) << text;
  return path;
}

// y = x^2 in years, far from 0.
std::string years() {
  std::string text = "year,level,kind\n";
  for (int i = 0; i <= 40; ++i) {
    text += fmt::format("{},{},{}\n", 1980 + i, (i - 20) * (i - 20) / 10.0, i < 20 ? "old" : "new");
  }
  return csv_file("years.csv", text);
}

// R15: a table with its columns, the width by cross-validation.
TEST(CliRegressTable, FitsColumns) {
  const auto page = run_json({"regress", years(), "--x", "year", "--y", "level", "--grid", "5"});
  EXPECT_EQ(page["rows"], 41);
  EXPECT_EQ(page["at"].size(), 5u);
  EXPECT_EQ(page["at"][4][0], 2020);
  EXPECT_NEAR(page["output"][2][0].get<double>(), 0, 0.5);
  EXPECT_LT(page["left_out_error"].get<double>(), 2);
  const Outcome report = run_heed({"regress", years(), "--x", "year", "--y", "level"});
  EXPECT_EQ(report.code, 0) << report.err;
  for (const char* text : {"41 rows", "leave-one-out", "% of the variance", "fit"}) {
    EXPECT_NE(report.out.find(text), std::string::npos) << text;
  }
  // The same as arrays in double.
  const auto fixed = run_json(
      {"regress", years(), "--x", "year", "--y", "level", "--bandwidth", "3", "--grid", "3"});
  std::string x;
  std::string y;
  for (int i = 0; i <= 40; ++i) {
    x += fmt::format("{}{}", i > 0 ? "," : "", 1980 + i);
    y += fmt::format("{}{}", i > 0 ? "," : "", (i - 20) * (i - 20) / 10.0);
  }
  const auto arrays = run_json({"regress", "--x", x, "--y", y, "--query", "1980,2000,2020",
                                "--bandwidth", "3", "--dtype", "float64"});
  expect_near(fixed["output"], arrays["output"], 1e-9);
}

// Points may be typed: a list for one column, rows for several.
TEST(CliRegressTable, TypedPoints) {
  const std::vector<std::string> level{"regress", years(), "--x",         "year",
                                       "--y",     "level", "--bandwidth", "3"};
  const auto with = [](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const std::string at = csv_file("typed_at.csv", "year\n1985\n2001.5\n2015\n");
  const auto typed = run_json(with(level, {"--query", "1985,2001.5,2015"}));
  EXPECT_EQ(typed["output"], run_json(with(level, {"--at", at}))["output"]);
  EXPECT_EQ(typed, run_json(with(level, {"--query", "1985;2001.5;2015"})));
  EXPECT_EQ(typed["at"][1][0], 2001.5);
  // All of them are printed, and drawn on the whole fit.
  std::string many;
  for (int i = 0; i < 30; ++i) many += fmt::format("{}{}.25", i > 0 ? "," : "", 1985 + i);
  const std::string svg = temporary("typed.svg");
  const Outcome report = run_heed(with(level, {"--query", many, "--plot", svg}));
  EXPECT_EQ(report.code, 0) << report.err;
  for (int i = 0; i < 30; ++i) {
    EXPECT_NE(report.out.find(fmt::format("       {}.25 ", 1985 + i)), std::string::npos) << i;
  }
  EXPECT_EQ(report.out.find("every "), std::string::npos) << report.out;
  for (const char* label : {">data<", ">fit<", ">prediction<"}) {
    EXPECT_NE(contents(svg).find(label), std::string::npos) << label;
  }
  const auto kinds =
      run_json({"regress", years(), "--x", "year", "--y", "kind", "--query", "1985"});
  EXPECT_GT(kinds["output"][0][1].get<double>(), 0.9);
}

TEST(CliRegressTable, TypedPointsOfSeveralColumns) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{},{},{}\n", i % 7, i % 11 * 10, i % 7 * 2);
  const std::string data = csv_file("typed_plane.csv", text);
  const auto plane = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"regress", data, "--x",         "a,b",
                                       "--y",     "c",  "--bandwidth", "1,20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  const std::string two = csv_file("typed_two.csv", "a,b\n1,20\n3,40\n");
  EXPECT_EQ(run_json(plane({"--query", "1,20;3,40"}))["output"],
            run_json(plane({"--at", two}))["output"]);
  EXPECT_EQ(run_json(plane({"--query", "1,20"}))["output"].size(), 1u);
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const char* part) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, code) << outcome.out;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  refused(plane({"--query", "1,20,3"}), 1,
          "--query is [1, 3], --x has 2 columns (a, b): expected a number for each of them, in "
          "this order, with ';' between points, as in --query '1,2;3,4'");
  refused(plane({"--query", "1"}), 1, "--query is [1, 1], --x has 2 columns (a, b)");
  const auto line = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"regress", data, "--x", "a", "--y", "c", "--bandwidth", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  refused(line({"--query", "1,2;3,4"}), 1, "--x has 1 column (a): expected one number per point");
  refused(line({"--query", "3,nan"}), 1, "--query: point 2 has nan");
  refused(line({"--query", "3", "--at", two}), 2, "--query and --at exclude each other");
  refused(line({"--query", "3", "--grid", "5"}), 2, "--query and --grid exclude each other");
  refused(line({"--query", "3", "--weights", "w.npy"}), 2, "--weights is for arrays");
  refused(line({"--query", "90", "--kernel", "boxcar"}), 1, "at a = 90: no row of");
}

// R16: words are classes.
TEST(CliRegressTable, ClassProbabilities) {
  const std::string at = csv_file("at.csv", "year\n1985\n2015\n");
  const std::string out = temporary("classes.csv");
  const std::string svg = temporary("classes.svg");
  const Outcome outcome = run_heed(
      {"regress", years(), "--x", "year", "--y", "kind", "--at", at, "-o", out, "--plot", svg});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string text = contents(out);
  EXPECT_EQ(text.rfind("year,kind,P(new),P(old)\n1985,old,", 0), 0u) << text;
  EXPECT_NE(text.find("\n2015,new,"), std::string::npos) << text;
  EXPECT_NE(contents(svg).find("probability"), std::string::npos);
  const auto page = run_json({"regress", years(), "--x", "year", "--y", "kind", "--at", at});
  EXPECT_NEAR(page["output"][0][0].get<double>() + page["output"][0][1].get<double>(), 1, 1e-9);
}

TEST(CliRegressTable, TwoColumnsAndRules) {
  std::string text = "a,b,c\n";
  for (int i = 0; i < 50; ++i) text += fmt::format("{},{},{}\n", i % 7, i % 11 * 10, i % 7 * 2);
  const std::string file = csv_file("plane.csv", text);
  const std::string svg = temporary("plane.svg");
  const auto page = run_json({"regress", file, "--x", "a,b", "--y", "c", "--bandwidth", "1,20",
                              "--grid", "4", "--plot", svg});
  EXPECT_EQ(page["output"].size(), 16u);
  EXPECT_EQ(page["bandwidth"].size(), 2u);
  EXPECT_NE(contents(svg).find("regression of c"), std::string::npos);
  // Without a grid, predictions are at the data, and the picture is a map of the plane all the
  // same.
  const std::string map = temporary("plane-map.svg");
  const auto at_data =
      run_json({"regress", file, "--x", "a,b", "--y", "c", "--bandwidth", "1,20", "--plot", map});
  EXPECT_EQ(at_data["output"].size(), 50u);
  EXPECT_NE(contents(map).find(">a</text>"), std::string::npos);
  EXPECT_NE(contents(map).find(">b</text>"), std::string::npos);
  const std::string far = csv_file("far.csv", "a,b\n100,0\n");
  const auto empty = [&](const std::string& rule) {
    return run_heed({"regress", file, "--x", "a,b", "--y", "c", "--kernel", "boxcar", "--bandwidth",
                     "1", "--at", far, "--empty", rule, "--json"});
  };
  EXPECT_EQ(empty("error").code, 1);
  EXPECT_EQ(empty("nearest").code, 0);
  EXPECT_EQ(empty("nan").code, 0);
}

// One clear line, exit 1, and no file is written.
TEST(CliRegressTable, BadInput) {
  const auto fails = [](const std::string& text, const std::string& message,
                        const std::vector<std::string>& more = {}) {
    const std::string out = temporary("never.csv");
    std::vector<std::string> arguments{
        "regress", csv_file("bad.csv", text), "--x", "a", "--y", "b", "-o", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  fails("a,c\n1,2\n2,3\n", "no column 'b'");
  fails("a,b\n1,2\nnan,3\n", "line 3, column 'a': 'nan' is not a finite number");
  fails("a,b\n1,2\n,3\n", "line 3, column 'a'");
  fails("a,b\n1,2\n", "needs at least 2");
  fails("a,b\n1,2\n1,3\n", "column 'a' is 1 in every row");
  fails("a,b\n1,2\n1\n", "line 3 has 1 fields");
  fails("a,b\n", "no row below it");
  fails("", "empty");
  fails("1,2\n3,4\n", "must name the columns");
  EXPECT_EQ(run_heed({"regress", "none.csv", "--x", "a", "--y", "b"}).code, 1);
  EXPECT_EQ(
      run_heed({"regress", years(), "--x", "year", "--y", "level", "--bandwidth", "1,2"}).code, 1);
  for (const auto& [width, code] : {std::pair{"0", 1}, {"-1", 1}, {"nan", 1}, {"x", 2}}) {
    const Outcome outcome =
        run_heed({"regress", years(), "--x", "year", "--y", "level", "--bandwidth", width});
    EXPECT_EQ(outcome.code, code) << width << ": " << outcome.err;
  }
}

// A result that would be written over its own data is refused, whatever the file is called.
TEST(CliRegressTable, ResultsDoNotReplaceData) {
  const std::string data = csv_file("own.csv", "a,b\n1,2\n2,3\n3,5\n");
  const std::string link = temporary("own_link.csv");
  std::filesystem::remove(link);
  std::filesystem::create_symlink(data, link);
  const std::string before = contents(data);
  const std::string at = csv_file("own_at.csv", "a\n1.5\n");
  const auto refused = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("would replace"), std::string::npos) << outcome.err;
  };
  for (const std::string& out : {data, link}) {
    refused({"regress", data, "--x", "a", "--y", "b", "-o", out});
  }
  refused({"regress", data, "--x", "a", "--y", "b", "--at", at, "-o", at});
  EXPECT_EQ(contents(data), before);
  EXPECT_EQ(contents(at), "a\n1.5\n");
  const std::string x = csv_file("own_x.csv", "1\n2\n");
  refused({"regress", "--x", x, "--y", "1,2", "--query", "1", "-o", x});
  refused({"regress", "--x", x, "--y", "1,2", "--query", "1", "--weights", x});
}

// A column of numbers with a cell that is none is an error, not a column of classes.
TEST(CliRegressTable, OneWordDoesNotMakeClasses) {
  const auto run = [](const std::string& text, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "regress", csv_file("mixed.csv", text), "--x", "a", "--y", "b", "--grid", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments);
  };
  const std::string mixed = "a,b\n1,2\n2,NA\n3,5\n4,7\n";
  const Outcome outcome = run(mixed);
  EXPECT_EQ(outcome.code, 1) << outcome.out;
  EXPECT_NE(outcome.err.find("line 3, column 'b': 'NA' is not a finite number"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("--classes"), std::string::npos) << outcome.err;
  EXPECT_EQ(run(mixed, {"--classes"}).code, 0);
  EXPECT_EQ(run("a,b\n1,no\n2,2\n3,yes\n4,yes\n").code, 0);  // words, for the most part
}

TEST(CliRegressTable, MessagesNameWhatWasTyped) {
  const auto says = [](const std::vector<std::string>& arguments, const std::string& text) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_NE(outcome.code, 0);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    return outcome.err;
  };
  const std::string data = csv_file("two.csv", "a,b\n1,2\n2,3\n");
  const std::string far = csv_file("far_at.csv", "a\n\n1.5\n100\n");
  says({"regress", data, "--x", "a", "--y", "b", "--kernel", "boxcar", "--bandwidth", "1", "--at",
        far},
       far + ": line 4: no row of " + data + " is in reach; use a larger --bandwidth, or --empty");
  says({"regress", data, "--x", "a", "--y", "b", "--bandwidth", "1,2"},
       "--bandwidth has 2 numbers; --x has 1 column");
  says({"regress", csv_file("twice.csv", "a,a,b\n1,2,3\n2,3,4\n"), "--x", "a", "--y", "b"},
       "column 'a' is there twice");
  says({"regress", data, "--x", "a", "--y", "a"}, "'a' is in --x and in --y");
  const std::string no_hint =
      says({"regress", data, "--x", "z", "--y", "b"}, "no column 'z'; there are: a, b");
  EXPECT_EQ(no_hint.find("did you mean"), std::string::npos) << no_hint;
  const std::string latin = csv_file("latin.csv", "a,b\n1,caf\xe9\n2,th\xe9\n");
  says({"regress", latin, "--x", "a", "--y", "b"}, "--encoding latin1");
  EXPECT_EQ(run_heed({"regress", latin, "--x", "a", "--y", "b", "--encoding", "latin1"}).code, 0);
}

// What is printed fits a terminal, however long the names are.
TEST(CliRegressTable, FitsEightyColumns) {
  std::string text = "a_long_name_of_a_column,another_long_name,c\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("{},{},{}\n", i, i % 7, i % 5);
  const Outcome outcome = run_heed({"regress", csv_file("wide.csv", text), "--x",
                                    "a_long_name_of_a_column,another_long_name", "--y", "c"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    EXPECT_TRUE(width <= 80 || line.find("wide.csv") != std::string::npos) << line;
  }
}

}  // namespace
}  // namespace heed::regress_test

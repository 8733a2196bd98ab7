#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "heed/io/array.h"
#include "heed/io/npy.h"
#include "tests/cli/program.h"

namespace heed::attention_test {
namespace {

using Arguments = std::vector<std::string>;

// Two queries and keys that are the unit vectors; scores are 1 (or scaled) on the diagonal, else 0.
Arguments unit(const Arguments& more = {}) {
  Arguments arguments{"attention", "--q", "1,0;0,1", "--k", "1,0;0,1", "--v", "1,2;3,4"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Queries, keys and values on a line.
Arguments on_a_line(const std::string& score, const Arguments& more = {}) {
  Arguments arguments{"attention", "--q",     "0",       "--k", "0;0.5;1;3",
                      "--v",       "1;2;4;8", "--score", score};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Weights (w, 1 - w) of a query whose scores differ by `difference`.
double share(double difference) { return 1 / (1 + std::exp(-difference)); }

TEST(CliAttention, TypedNumbers) {
  const double w = share(1 / std::sqrt(2.0));
  const auto page = run_json(unit());
  expect_near(page["weights"], {{w, 1 - w}, {1 - w, w}});
  expect_near(page["output"], {{3 - 2 * w, 4 - 2 * w}, {1 + 2 * w, 2 + 2 * w}});
  const double lse = std::log(std::exp(1 / std::sqrt(2.0)) + 1);
  expect_near(page["log_sum_exp"], {lse, lse});
  EXPECT_EQ(page["dtype"], "float32");
}

TEST(CliAttention, TablesAndPicture) {
  const Outcome outcome = run_heed(unit());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out,
            "Output [2, 2]\n"
            "              0       1\n"
            "query 0  1.6605  2.6605\n"
            "query 1  2.3395  3.3395\n"
            "\n"
            "Weights [2, 2]\n"
            "              0       1\n"
            "query 0  0.6698  0.3302\n"
            "query 1  0.3302  0.6698\n"
            "\n"
            "Weights: queries down, keys across\n"
            "  0 1\n"
            "0 ██▒▒\n"
            "1 ▒▒██\n"
            "  0   ░░▒▒▓▓██ 0.67\n");
}

TEST(CliAttention, Scores) {
  const double dot = share(1);
  expect_near(run_json(unit({"--score", "dot"}))["weights"], {{dot, 1 - dot}, {1 - dot, dot}});
  const double scaled = share(3);
  expect_near(run_json(unit({"--scale", "3"}))["weights"],
              {{scaled, 1 - scaled}, {1 - scaled, scaled}});
  const double capped = share(2 * std::tanh(0.5));
  expect_near(run_json(unit({"--score", "dot", "--softcap", "2"}))["weights"][0],
              {capped, 1 - capped});
  // q' M k with M = [[2, 0], [0, 5]]
  expect_near(run_json(unit({"--score", "bilinear", "--m", "2,0;0,5"}))["weights"],
              {{share(2), 1 - share(2)}, {1 - share(5), share(5)}});
  // h = 1: tanh(q_0 + k_0)
  const double additive = share(std::tanh(2.0) - std::tanh(1.0));
  expect_near(run_json(unit({"--score", "additive", "--w-q", "1,0", "--w-k", "1,0", "--w-v",
                             "1"}))["weights"][0],
              {additive, 1 - additive});
}

TEST(CliAttention, DistancesAndKernels) {
  const double a = std::exp(-0.125);
  const double b = std::exp(-0.5);
  const double c = std::exp(-4.5);
  const double sum = 1 + a + b + c;
  expect_near(run_json(on_a_line("gaussian"))["weights"], {{1 / sum, a / sum, b / sum, c / sum}});
  expect_near(run_json(on_a_line("boxcar"))["weights"], {{1 / 3.0, 1 / 3.0, 1 / 3.0, 0}});
  expect_near(run_json(on_a_line("triangular"))["output"], {{(1 + 0.5 * 2) / 1.5}});
  expect_near(run_json(on_a_line("epanechnikov"))["output"], {{(1 + 0.75 * 2) / 1.75}});
  expect_near(run_json(on_a_line("constant"))["output"], {{15 / 4.0}});
  expect_near(run_json(on_a_line("boxcar", {"--width", "0.5"}))["weights"], {{0.5, 0.5, 0, 0}});
  expect_near(run_json({"attention", "--q", "0,0", "--k", "2,0;0,2", "--v", "1;3", "--score",
                        "boxcar", "--width", "2,1"})["output"],
              {{1}});
}

TEST(CliAttention, Normalizers) {
  expect_near(run_json(on_a_line("triangular", {"--normalizer", "none"}))["weights"],
              {{1, 0.5, 0, 0}});
  expect_near(run_json(on_a_line("gaussian", {"--normalizer", "one-hot"}))["output"], {{1}});
  expect_near(run_json(on_a_line("gaussian", {"--normalizer", "none"}))["weights"][0][2],
              std::exp(-0.5));
  expect_near(run_json(on_a_line("constant", {"--normalizer", "softmax"}))["output"], {{15 / 4.0}});
  const auto far =
      run_json({"attention", "--q", "9", "--k", "0;1", "--v", "1;2", "--score", "boxcar"});
  expect_near(far["output"], {{0}});
  EXPECT_EQ(far["empty_rows"], 1);
}

TEST(CliAttention, NegativeWeights) {
  Arguments arguments{"attention", "--q",     "1",   "--k",          "2;-1", "--v",
                      "1;3",       "--score", "dot", "--normalizer", "sum"};
  const Outcome refused = run_heed(arguments);
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("a weight is negative"), std::string::npos) << refused.err;
  arguments.push_back("--allow-negative");
  const auto page = run_json(arguments);
  expect_near(page["weights"], {{2, -1}});
  expect_near(page["output"], {{-1}});
}

TEST(CliAttention, CountsEmptyRows) {
  const auto note = [](const std::string& q, const std::string& heads) {
    return run_heed({"attention", "--q", q, "--k", "0,0;1,1", "--v", "1,1;2,2", "--score", "boxcar",
                     "--heads", heads})
        .err;
  };
  EXPECT_EQ(
      note("9,9;0,0", "1"),
      "note: 1 (query, head) pair has keys in reach whose weights are all 0; its output is 0\n");
  EXPECT_EQ(
      note("9,9;0,0", "2"),
      "note: 2 (query, head) pairs have keys in reach whose weights are all 0; their output is "
      "0\n");
}

TEST(CliAttention, Masks) {
  const Arguments three{"attention", "--q", "1;1;1", "--k", "1;1;1", "--v", "3;6;9"};
  const auto output = [&](const Arguments& more) {
    Arguments arguments = three;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_json(arguments)["output"];
  };
  expect_near(output({"--causal"}), {{3}, {4.5}, {6}});
  expect_near(output({"--causal", "--offset", "1"}), {{4.5}, {6}, {6}});
  expect_near(output({"--window", "1,0"}), {{3}, {4.5}, {7.5}});
  expect_near(output({"--window", "-1,0"}), {{3}, {4.5}, {6}});
  expect_near(output({"--exclude-self"}), {{7.5}, {6}, {4.5}});
  expect_near(output({"--lengths", "2"}), {{4.5}, {4.5}, {4.5}});
  expect_near(output({"--lengths", "1,2,0"}), {{3}, {4.5}, {0}});
  expect_near(output({"--mask", "1,0,0;0,1,1;0,0,0"}), {{3}, {7.5}, {0}});
  expect_near(output({"--mask", "1,0,1"}), {{6}, {6}, {6}});
  expect_near(output({"--bias", "0,-inf,0"}), {{6}, {6}, {6}});
  expect_near(output({"--bias", "0,0," + std::to_string(std::log(2))}), {{6.75}, {6.75}, {6.75}},
              1e-5);
  expect_near(output({"--causal", "--mask", "0,1,1"}), {{0}, {6}, {7.5}});
}

TEST(CliAttention, ShapesOfFiles) {
  const std::string y = temporary("y.npy");
  const std::string w = temporary("w.npy");
  const std::string l = temporary("l.npy");
  const auto shapes = [&](const Arguments& inputs) {
    Arguments arguments{"attention", "-o", y, "--weights", w, "--lse", l};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    return load_npy(y).shape().text() + " " + load_npy(w).shape().text() + " " +
           load_npy(l).shape().text();
  };
  const std::string q3 = array_file("q3.npy", {2, 5, 12});
  const std::string k3 = array_file("k3.npy", {2, 7, 12});
  const std::string v3 = array_file("v3.npy", {2, 7, 8});
  EXPECT_EQ(shapes({"--q", q3, "--k", k3, "--v", v3}), "[2, 5, 8] [2, 1, 5, 7] [2, 1, 5]");
  EXPECT_EQ(shapes({"--q", q3, "--k", k3, "--v", v3, "--heads", "4"}),
            "[2, 5, 8] [2, 4, 5, 7] [2, 4, 5]");
  const std::string kg = array_file("kg.npy", {2, 7, 6});
  const std::string vg = array_file("vg.npy", {2, 7, 4});
  EXPECT_EQ(shapes({"--q", q3, "--k", kg, "--v", vg, "--heads", "4", "--kv-heads", "2"}),
            "[2, 5, 8] [2, 4, 5, 7] [2, 4, 5]");
  EXPECT_EQ(shapes({"--q", array_file("q4.npy", {2, 4, 5, 3}), "--k",
                    array_file("k4.npy", {2, 2, 7, 3}), "--v", array_file("v4.npy", {2, 2, 7, 6})}),
            "[2, 4, 5, 6] [2, 4, 5, 7] [2, 4, 5]");
  EXPECT_EQ(shapes({"--q", "1,2", "--k", "1,2;3,4", "--v", "1,2,3;4,5,6"}), "[1, 3] [1, 2] [1]");
  EXPECT_EQ(shapes({"--q", "1,2", "--k", "1,2;3,4", "--v", "1,2;4,5", "--heads", "2"}),
            "[1, 2] [2, 1, 2] [2, 1]");
  const std::string none = array_file("none.npy", {0, 2, 3});
  EXPECT_EQ(shapes({"--q", none, "--k", none, "--v", none}), "[0, 2, 3] [0, 1, 2, 2] [0, 1, 2]");
  const std::string empty = array_file("empty.npy", {0, 3});
  EXPECT_EQ(shapes({"--q", "1,2,3", "--k", empty, "--v", empty}), "[1, 3] [1, 0] [1]");
}

TEST(CliAttention, LayoutsAgree) {
  // The same numbers as [B, T, H*D] with --heads and as [B, H, T, D].
  const int64_t B = 2, H = 3, T = 4, S = 5, D = 2;
  const auto both = [&](const std::string& name, int64_t length) {
    const std::string joined = array_file(name + "_joined.npy", {B, length, H * D}, DType::f64);
    const Tensor source = load_npy(joined);
    Tensor heads = Tensor::empty({B, H, length, D}, DType::f64);
    for (int64_t b = 0; b < B; ++b) {
      for (int64_t h = 0; h < H; ++h) {
        for (int64_t t = 0; t < length; ++t) {
          for (int64_t d = 0; d < D; ++d) {
            heads.data<double>()[((b * H + h) * length + t) * D + d] =
                source.data<double>()[(b * length + t) * H * D + h * D + d];
          }
        }
      }
    }
    save_npy(temporary(name + "_heads.npy"), heads);
    return std::pair(joined, temporary(name + "_heads.npy"));
  };
  const auto [q3, q4] = both("q", T);
  const auto [k3, k4] = both("k", S);
  const auto [v3, v4] = both("v", S);
  const auto joined = run_json({"attention", "--q", q3, "--k", k3, "--v", v3, "--heads", "3"});
  const auto split = run_json({"attention", "--q", q4, "--k", k4, "--v", v4});
  EXPECT_EQ(joined["dtype"], "float64");
  EXPECT_EQ(joined["weights"], split["weights"]);
  EXPECT_EQ(joined["log_sum_exp"], split["log_sum_exp"]);
  for (int b = 0; b < B; ++b) {
    for (int h = 0; h < H; ++h) {
      for (int t = 0; t < T; ++t) {
        for (int d = 0; d < D; ++d) {
          EXPECT_EQ(joined["output"][b][t][h * D + d], split["output"][b][h][t][d]);
        }
      }
    }
  }
  const auto masked = run_json({"attention", "--q", q4, "--k", k4, "--v", v4, "--lengths", "2,5"});
  EXPECT_EQ(masked["weights"][0][1][2][2], 0);
  EXPECT_NE(masked["weights"][1][1][2][4], 0);
}

TEST(CliAttention, TypesAndFormats) {
  const std::string csv = temporary("a.csv");
  save_array(csv, load_array("1,0;0,1"));
  const auto from_csv = run_json({"attention", "--q", csv, "--k", csv, "--v", "1,2;3,4"});
  EXPECT_EQ(from_csv["output"], run_json(unit())["output"]);
  EXPECT_EQ(run_json(unit({"--dtype", "float64"}))["dtype"], "float64");
  const double w = share(1 / std::sqrt(2.0));
  expect_near(run_json(unit({"--dtype", "float64"}))["weights"][0][0], w, 1e-15);
  const std::string half = array_file("half.npy", {3, 2}, DType::f16);
  EXPECT_EQ(run_json({"attention", "--q", half, "--k", half, "--v", half})["dtype"], "float32");
  const std::string out = temporary("y.csv");
  EXPECT_EQ(run_heed(unit({"-o", out})).code, 0);
  EXPECT_NEAR(load_array(out).data<float>()[0], 3 - 2 * w, 1e-6);
}

TEST(CliAttention, SameBitsForAnyThreads) {
  const std::string q = array_file("q_threads.npy", {3, 70, 32});
  const auto one = run_json({"attention", "--q", q, "--k", q, "--v", q, "--heads", "2", "-t", "1"});
  EXPECT_EQ(one, run_json({"attention", "--q", q, "--k", q, "--v", q, "--heads", "2", "-t", "3"}));
}

TEST(CliAttention, SaysWhatWasLeftOut) {
  const std::string q = array_file("q_large.npy", {2, 3, 30, 24});
  const Outcome outcome = run_heed({"attention", "--q", q, "--k", q, "--v", q});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("not shown: 14 of 30 rows"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Not shown: 2 more pairs of sequence and head"), std::string::npos);
}

TEST(CliAttention, WrongFilesAndShapes) {
  const auto fails = [](const Arguments& arguments, const std::string& message) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.rfind("heed: ", 0), 0u) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  fails({"attention", "--q", "none.npy", "--k", "1", "--v", "1"}, "none.npy: cannot open");
  fails({"attention", "--q", "q.txt", "--k", "1", "--v", "1"}, "'q.txt' is neither");
  fails({"attention", "--q", "1e39", "--k", "1", "--v", "1"},
        "--q: 1e+39 is too large for float32");
  fails({"attention", "--q", "1e400", "--k", "1", "--v", "1"},
        "1e400 in row 1, column 1 is outside the range of float64");
  fails(unit({"--bias", "1e39,0"}), "--bias: 1e+39 is too large for float32");
  fails(unit({"--score", "gaussian", "--width", "1e39"}), "--width: 1e+39 is too large");
  fails({"attention", "--q", "1,2;3", "--k", "1", "--v", "1"}, "row 2 has 1 numbers");
  fails({"attention", "--q", "1,2", "--k", "1,2,3", "--v", "1"}, "same width");
  fails({"attention", "--q", "1,2", "--k", "1,2;3,4", "--v", "1"},
        "a value is needed for each key");
  fails({"attention", "--q", "1,2", "--k", array_file("k_3d.npy", {1, 2, 2}), "--v", "1"},
        "same number of axes");
  fails(unit({"--heads", "3"}), "cannot be split into 3 heads");
  fails(unit({"--lengths", "1,2,3"}), "--lengths is float64 [1, 3]: expected [B] or [B, T]");
  fails(unit({"--lengths", "3"}), "3 is not a number of keys between 0 and 2");
  fails(unit({"--lengths", "1.5"}), "1.5 is not a number of keys");
  fails(unit({"--mask", "1,1,1"}), "--mask is float64 [1, 3]: expected [T, S]");
  fails(unit({"--mask", "1,0.5"}), "0.5 is neither 0 nor 1");
  fails(unit({"--bias", "1;2;3"}), "--bias is");
  fails(unit({"--score", "bilinear", "--m", "1,2,3"}), "");
  fails(unit({"--score", "gaussian", "--width", "1,2,3"}), "");
  fails(unit({"-o", temporary("no/folder.npy")}), "cannot write");
  fails({"attention", "--q", "1,2", "--k", "1;2", "--v", "1;2", "--score", "constant"},
        "--score constant needs queries and keys of the same width");
  fails(unit({"--scale", "1e39"}), "the scale 1e+39 is too large for float32");
  fails(unit({"--softcap", "1e39"}), "softcap 1e+39 is too large for float32");
  fails(unit({"--softcap", "1e-60"}), "softcap 1e-60 is too small for float32");
}

// A file of 80 bytes can claim any number of sequences, heads or rows without a number in them.
TEST(CliAttention, EmptyArraysStaySmall) {
  for (const Shape& shape : {Shape{20'000'000, 0, 4}, Shape{1, 30'000'000, 0, 3},
                             Shape{0, 20'000'000, 4}, Shape{1 << 28, 0}}) {
    const std::string array = array_file("claims.npy", shape);
    const Outcome outcome = run_heed({"attention", "--q", array, "--k", array, "--v", array});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("an array without numbers has at most"), std::string::npos)
        << outcome.err;
  }
}

void expect_wrong_usage(const Arguments& arguments, const std::string& message) {
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
}

TEST(CliAttention, EmptyValues) {
  for (const char* option :
       {"--mask", "--lengths", "--bias", "--window", "-o", "--weights", "--lse", "--heads",
        "--offset", "--softcap", "--normalizer", "--scale", "--dtype", "-m", "--to", "--head"}) {
    const std::string name = option == std::string("-o")   ? "--output"
                             : option == std::string("-m") ? "--model"
                                                           : option;
    expect_wrong_usage(unit({option, ""}), name + ": the value is empty");
  }
  expect_wrong_usage(unit({"--score", "gaussian", "--width", ""}), "--width: the value is empty");
}

TEST(CliAttention, OptionsOfArraysAndOfModels) {
  for (const Arguments& more : {Arguments{"-p", "a"},
                                {"--to", "a"},
                                {"--kind", "self"},
                                {"--layer", "0"},
                                {"--head", "0"},
                                {"--top", "2"}}) {
    expect_wrong_usage(unit(more), (more[0] == "-p" ? "--prompt" : more[0]) +
                                       " goes with a model (-m), not with arrays");
  }
  for (const Arguments& more : {Arguments{"--q", "1"},
                                {"--k", "1"},
                                {"--v", "1"},
                                {"--causal"},
                                {"--mask", "1"},
                                {"--score", "dot"},
                                {"--width", "1"},
                                {"--normalizer", "sum"},
                                {"--softcap", "2"},
                                {"--heads", "2"},
                                {"--dtype", "float64"},
                                {"--lse", "l.npy"}}) {
    Arguments arguments{"attention", "-m", "none", "-p", "a"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_wrong_usage(arguments, more[0] + " goes with arrays, not with a model (-m)");
  }
  const Arguments top{"attention", "-m", "none", "-p", "a", "--top", "2", "-o"};
  for (const char* file : {"a.npy", "a.csv", "a.svg", "a.html"}) {
    Arguments arguments = top;
    arguments.push_back(file);
    expect_wrong_usage(arguments, "--top goes with what is printed and with .json");
  }
}

TEST(CliAttention, NamesOfResults) {
  const std::string y = temporary("named.npy");
  std::filesystem::remove(y);
  expect_wrong_usage(unit({"-o", temporary("y.txt")}), "must end in one of .npy, .csv");
  expect_wrong_usage(unit({"-o", y, "--weights", "w.svg"}), "--weights: 'w.svg' must end in");
  expect_wrong_usage(unit({"-o", y, "--weights", y}), "-o and --weights name the same file");
  expect_wrong_usage(unit({"--weights", y, "--lse", temporary("./named.npy")}),
                     "--weights and --lse name the same file");
  expect_wrong_usage({"attention", "-m", "none", "-p", "a", "-o", y, "--weights", y},
                     "-o and --weights name the same file");
  expect_wrong_usage({"attention", "-m", "none", "-p", "a", "--weights", "w.svg"},
                     "--weights: 'w.svg' must end in");
  const std::string q = array_file("q_named.npy", {2, 3, 4});
  const Outcome late = run_heed(
      {"attention", "--q", q, "--k", q, "--v", q, "-o", y, "--weights", temporary("w.csv")});
  EXPECT_EQ(late.code, 1);
  EXPECT_NE(late.err.find("a .csv file holds a matrix, this has 4 axes"), std::string::npos)
      << late.err;
  EXPECT_FALSE(std::filesystem::exists(y));
  expect_wrong_usage(unit({"--scale", "nan"}), "--scale: 'nan' is not a finite number");
}

}  // namespace
}  // namespace heed::attention_test

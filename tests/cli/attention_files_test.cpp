// heed attention with masks, biases and lengths in .npy files of every shape that it takes, against
// plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "heed/io/npy.h"
#include "tests/cli/program.h"

namespace heed::attention_files_test {
namespace {

// All different, so that no axis passes for another.
constexpr int64_t B = 2, H = 3, T = 4, S = 5, D = 2;
constexpr double kExcluded = -std::numeric_limits<double>::infinity();

// A score: of a sequence, a head, a query and a key.
struct Place {
  int64_t b, h, t, s;
};

// What is added to the score of a place.
using Added = std::function<double(const Place&)>;

std::string queries_file() { return array_file("files_q.npy", {B, H, T, D}); }
std::string keys_file() { return array_file("files_k.npy", {B, H, S, D}); }
std::string values_file() { return array_file("files_v.npy", {B, H, S, D}); }

Outcome attend_with(const std::string& option, const std::string& file,
                    const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"attention", "--q",         queries_file(), "--k", keys_file(),
                                     "--v",       values_file(), option,         file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_heed(arguments);
}

double number_in_row(const Tensor& array, int64_t row, int64_t column) {
  return array.data<float>()[row * array.dim(-1) + column];
}

// Weights and output with the file must be the softmax of the scores with `added`.
void expect_attention(const std::string& option, const std::string& file, const Added& added) {
  SCOPED_TRACE(option + " " + load_npy(file).text());
  const std::string output_file = temporary("files_y.npy"), weights_file = temporary("files_w.npy");
  const Outcome outcome = attend_with(option, file, {"-o", output_file, "--weights", weights_file});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Tensor q = load_npy(queries_file()), k = load_npy(keys_file()), v = load_npy(values_file());
  const Tensor output = load_npy(output_file), weights = load_npy(weights_file);
  ASSERT_EQ(output.text(), "float32 [2, 3, 4, 2]");
  ASSERT_EQ(weights.text(), "float32 [2, 3, 4, 5]");
  for (int64_t row = 0; row < B * H * T; ++row) {
    const int64_t pair = row / T;  // of sequence and head
    double expected[S] = {};
    double sum = 0;
    for (int64_t s = 0; s < S; ++s) {
      double dot = 0;
      for (int64_t d = 0; d < D; ++d) {
        dot += number_in_row(q, row, d) * number_in_row(k, pair * S + s, d);
      }
      const double score = dot / std::sqrt(static_cast<double>(D));
      expected[s] = std::exp(score + added({pair / H, pair % H, row % T, s}));
      sum += expected[s];
    }
    for (double& weight : expected) weight = sum > 0 ? weight / sum : 0;
    for (int64_t s = 0; s < S; ++s) {
      EXPECT_NEAR(number_in_row(weights, row, s), expected[s], 1e-5) << row << ", key " << s;
    }
    for (int64_t d = 0; d < D; ++d) {
      double mean = 0;
      for (int64_t s = 0; s < S; ++s) mean += expected[s] * number_in_row(v, pair * S + s, d);
      EXPECT_NEAR(number_in_row(output, row, d), mean, 1e-5) << row << ", column " << d;
    }
  }
}

// A shape, and how far apart the neighbors along B, H, T and S lie in the file; 0: it repeats.
struct TableCase {
  Shape shape;
  int64_t steps[4];

  double entry(const Tensor& numbers, const Place& at) const {
    const int64_t i = at.b * steps[0] + at.h * steps[1] + at.t * steps[2] + at.s * steps[3];
    return numbers.data<double>()[i];
  }
};

// The numbers of an array, each made into another.
Tensor mapped(const Tensor& numbers, double (*map)(double)) {
  Tensor result = numbers.clone();
  double* const values = result.data<double>();
  std::transform(values, values + result.size(), values, map);
  return result;
}

TEST(CliAttentionFiles, MasksAndBiasesOfEveryShape) {
  const TableCase tables[] = {
      {{T, S}, {0, 0, S, 1}},
      {{B, T, S}, {T * S, 0, S, 1}},
      {{1, T, S}, {0, 0, S, 1}},
      {{B, 1, S}, {S, 0, 0, 1}},
      {{B, 1, T, S}, {T * S, 0, S, 1}},
      {{1, H, 1, S}, {0, S, 0, 1}},
      {{B, H, T, 1}, {H * T, T, 1, 0}},  // rows without any key among them
      {{B, H, T, S}, {H * T * S, T * S, S, 1}},
  };
  const std::string file = temporary("files_table.npy");
  int number = 0;
  for (const TableCase& table : tables) {
    const std::string random = "files_random" + std::to_string(number++) + ".npy";
    const Tensor numbers = load_npy(array_file(random, table.shape, DType::f64));
    // In a mask of bytes whatever is not 0 counts as 1.
    const Tensor seen = mapped(numbers, [](double x) {
      return x > 0.5 ? 255.0 : x > -0.5 ? 1.0 : 0.0;
    });
    for (const DType type : {DType::boolean, DType::u8}) {
      save_npy(file, seen.to(type));
      expect_attention("--mask", file,
                       [&](const Place& at) { return table.entry(seen, at) != 0 ? 0 : kExcluded; });
    }
    const Tensor bias = mapped(numbers, [](double x) { return x > -0.5 ? x : kExcluded; });
    save_npy(file, bias.to(DType::f32));
    expect_attention("--bias", file, [&](const Place& at) { return table.entry(bias, at); });
  }
}

TEST(CliAttentionFiles, LengthsPerSequenceAndPerQuery) {
  const std::string file = temporary("files_lengths.npy");
  const std::vector<int64_t> sequences{2, 5};
  const std::vector<int64_t> queries{0, 1, 2, 3, 5, 4, 1, 0};
  const Tensor per_sequence = Tensor::from(sequences, {B});
  const Tensor per_query = Tensor::from(queries, {B, T});
  for (const DType type : {DType::i64, DType::i32, DType::u8}) {
    save_npy(file, per_sequence.to(type));
    expect_attention("--lengths", file, [&](const Place& at) {
      return at.s < per_sequence.data<int64_t>()[at.b] ? 0 : kExcluded;
    });
    save_npy(file, per_query.to(type));
    expect_attention("--lengths", file, [&](const Place& at) {
      return at.s < per_query.data<int64_t>()[at.b * T + at.t] ? 0 : kExcluded;
    });
  }
}

TEST(CliAttentionFiles, WrongShapesAreOneLine) {
  const auto refused = [](const std::string& option, const Tensor& array,
                          const std::string& message) {
    const std::string file = temporary("files_wrong.npy");
    save_npy(file, array);
    const Outcome outcome = attend_with(option, file);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "heed: " + option + " is " + array.text() + ": " + message + "\n");
  };
  const std::string table =
      "expected [T, S], [B, T, S] or [B, H, T, S] with B, H, T, S = 2, 3, 4, 5, or 1 for an axis "
      "that repeats";
  refused("--mask", Tensor::zeros({H, T, S}, DType::boolean), table);  // heads, as NumPy has it
  refused("--mask", Tensor::zeros({S}, DType::u8), table);
  refused("--bias", Tensor::zeros({B, S, T}), table);
  refused("--bias", Tensor::zeros({H, B, T, S}), table);
  refused("--bias", Tensor::zeros({1, B, H, T, S}), table);
  const std::string lengths = "expected [B] or [B, T] with B = 2 and T = 4";
  refused("--lengths", Tensor::zeros({T}, DType::i64), lengths);
  refused("--lengths", Tensor::zeros({T, B}, DType::i64), lengths);
  refused("--lengths", Tensor::zeros({B, T, 1}, DType::i64), lengths);
}

}  // namespace
}  // namespace heed::attention_files_test

// A weight by formula does not depend on where the words stand; a weight by position does.

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/diagrams.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/weights.h"
#include "heed/base/random.h"

namespace heed::cli {
namespace {

struct PositionFreeArguments {
  std::string sentence = "a hearing on the issue is scheduled today";
  std::string pair = "is hearing";
  int64_t insert = 2;
  uint64_t seed = 1;
};

void add_position_free_options(Command& command, PositionFreeArguments& arguments) {
  command.add_option("--sentence", arguments.sentence, "Words").type_name("WORDS");
  command.add_option("--pair", arguments.pair, "Two of them (default 'is hearing')")
      .type_name("WORDS");
  command.add_option("--insert", arguments.insert, "Words to put before the sentence (default 2)")
      .type_name("N")
      .check(whole_number(0, 100));
  add_seed(command, arguments.seed);
}

constexpr int64_t kWidth = 16;

Tensor embed(const std::vector<std::string>& words, uint64_t seed) {
  Tensor x = Tensor::empty({static_cast<int64_t>(words.size()), kWidth}, DType::f64);
  for (size_t i = 0; i < words.size(); ++i) {
    uint64_t site = 0;
    for (const char c : words[i]) site = mix_bits(site ^ static_cast<unsigned char>(c));
    const RandomKey key = random_key({.seed = seed, .site = site});
    for (int64_t c = 0; c < kWidth; ++c) {
      x.data<double>()[static_cast<int64_t>(i) * kWidth + c] =
          random_normal(key, static_cast<uint32_t>(c));
    }
  }
  return x;
}

int64_t place_of(const std::vector<std::string>& words, const std::string& word) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) wrong_usage(fmt::format("'{}' is not in the sentence", word));
  return found - words.begin();
}

// The score of one query and one key, and which weights the layers by position would use.
struct Pair {
  double score;
  int64_t query, key;
};

Pair pair_in(const std::vector<std::string>& words, const std::vector<std::string>& pair,
             uint64_t seed) {
  const Tensor x = embed(words, seed);
  const int64_t i = place_of(words, pair[0]);
  const int64_t j = place_of(words, pair[1]);
  const Rows rows = Rows::single(x.dim(0));
  const Tensor scores =
      attention_weights(x, x, rows, rows, {.score = ScaledDot{}, .normalizer = Normalizer::none});
  return {scores.data<double>()[i * x.dim(0) + j], i, j};
}

void show_position_free_demo(const PositionFreeArguments& arguments, Lesson& lesson) {
  const std::vector<std::string> words = word_list(arguments.sentence);
  const std::vector<std::string> pair = word_list(arguments.pair);
  if (pair.size() != 2) wrong_usage("--pair takes two words");
  std::vector<std::string> moved;
  for (int64_t i = 0; i < arguments.insert; ++i) moved.push_back(fmt::format("word{}", i));
  // And one between the two: the distance changes as well.
  for (size_t i = 0; i < words.size(); ++i) {
    moved.push_back(words[i]);
    if (i == static_cast<size_t>(std::min(place_of(words, pair[0]), place_of(words, pair[1])))) {
      moved.emplace_back("really");
    }
  }
  const Pair before = pair_in(words, pair, arguments.seed);
  const Pair after = pair_in(moved, pair, arguments.seed);
  lesson.formula(
      "dense        output_i = sum_j w_ij x_j            w by the two positions\n"
      "convolution  output_i = sum_k w_k x_{i+k}         w by the distance\n"
      "attention    output_i = sum_j f(x_i, x_j) x_j     w by what the words are");
  lesson.number("score_before", fmt::format("attention score of {} -> {}", pair[0], pair[1]),
                before.score);
  lesson.number("score_after", "the same with words put before and between", after.score);
  lesson.fact("same", "the same", before.score == after.score);
  lesson.say(fmt::format(
      "A dense layer used w_{},{} and now uses w_{},{}; a convolution used w_{:+d} and now uses "
      "w_{:+d}: other weights, which would have to learn the same again.",
      before.query + 1, before.key + 1, after.query + 1, after.key + 1, before.key - before.query,
      after.key - after.query));
  const Tensor x = embed(words, arguments.seed);
  const Rows rows = Rows::single(x.dim(0));
  Figure map(
      {.title = "Scores f(x_i, x_j) of drawn embeddings", .x_label = "word", .y_label = "word"});
  map.heat_map(
      attention_weights(x, x, rows, rows, {.score = ScaledDot{}, .normalizer = Normalizer::none}),
      {.row_labels = words, .column_labels = words});
  lesson.figure("", map);
  const Tensor weights = attention_weights(x, x, rows, rows, {.score = ScaledDot{}});
  const int64_t from = place_of(words, pair[0]);
  lesson.picture("arcs",
                 word_arcs(fmt::format("Weights of \"{}\" by the formula", pair[0]), words,
                           static_cast<size_t>(from), numbers_of(weights.slice(0, from, from + 1)))
                     .svg());
  lesson.erratum(25, "recurrent networks may also read backwards; Bahdanau's encoder does.");
}

}  // namespace

Demo position_free_demo() {
  return {"position-free",
          "The attention layer",
          "Weights by formula instead of by position",
          "R47, R62, R74",
          "--insert 5",
          with_options<PositionFreeArguments>(add_position_free_options, show_position_free_demo)};
}

}  // namespace heed::cli

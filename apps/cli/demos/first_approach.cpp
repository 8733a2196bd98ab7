// Mixing embeddings by plain dot products, without projections.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "heed/base/random.h"
#include "heed/textbook/self_share.h"

namespace heed::cli {
namespace {

struct FirstApproachArguments {
  std::string words = "the cat sat on the mat";
  std::string x;
  int64_t width = 8;
  uint64_t seed = 1;
};

void add_first_approach_options(Command& command, FirstApproachArguments& arguments) {
  command.add_option("--words", arguments.words, "A sentence (default 'the cat sat on the mat')")
      .type_name("WORDS");
  command.add_option("--x", arguments.x, "Embeddings, one row per word (default: drawn)")
      .type_name("ROWS");
  command.add_option("--width", arguments.width, "Width of drawn embeddings (default 8)")
      .type_name("N");
  add_seed(command, arguments.seed);
}

// The same word has the same embedding.
Tensor drawn(const std::vector<std::string>& words, const FirstApproachArguments& arguments) {
  const auto n = static_cast<int64_t>(words.size());
  Tensor x = Tensor::empty({n, arguments.width}, DType::f64);
  for (int64_t i = 0; i < n; ++i) {
    uint64_t site = 0;
    for (const char c : words[i]) {
      site = mix_bits(site ^ static_cast<unsigned char>(c));
    }
    const RandomKey key = random_key({.seed = arguments.seed, .site = site});
    for (int64_t c = 0; c < arguments.width; ++c) {
      x.data<double>()[i * arguments.width + c] =
          0.7 * random_normal(key, static_cast<uint32_t>(c));
    }
  }
  return x;
}

void show_first_approach_demo(const FirstApproachArguments& arguments, Lesson& lesson) {
  std::vector<std::string> words = word_list(arguments.words);
  const Tensor x =
      arguments.x.empty() ? drawn(words, arguments) : matrix_option("--x", arguments.x);
  if (static_cast<int64_t>(words.size()) != x.dim(0)) words = numbered("word", x.dim(0));
  lesson.formula("w_ij = softmax_j(x_i . x_j)        y_i = sum_j w_ij x_j");
  const SelfShare result = self_share(x);
  lesson.number("dot_products", "dot products: n^2", static_cast<double>(result.dot_products));
  lesson.number("self_share", "mean weight of a word on itself", result.share);
  const auto map = [&](const char* title, const Tensor& weights) {
    Figure figure({.title = title, .x_label = "mixes in", .y_label = "word"});
    figure.heat_map(weights,
                    {.row_labels = words, .column_labels = words, .low = 0, .values = true});
    return figure;
  };
  lesson.figures(
      "", "Every word becomes a mixture of all words",
      {map("with itself", result.weights), map("the diagonal masked", result.weights_without_self)},
      2);
  lesson.say(
      "A vector is most similar to itself, so a word keeps a large share of itself; equal words "
      "share equally. Queries, keys and values give a word three roles: what it seeks, how it "
      "presents itself, and what it offers.");
}

}  // namespace

Demo first_approach_demo() {
  return {
      "first-approach",
      "Pooling over keys and values",
      "Mixing embeddings by plain dot products",
      "R9, R10",
      "--words 'to be or not to be'",
      with_options<FirstApproachArguments>(add_first_approach_options, show_first_approach_demo)};
}

}  // namespace heed::cli

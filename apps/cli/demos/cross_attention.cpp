// Attention between two modalities, of different lengths and not synchronized.

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/base/random.h"

namespace heed::cli {
namespace {

struct CrossAttentionArguments {
  int64_t frames = 12;
  std::string text = "the train arrives at the station";
  int64_t shift = 2;
  int64_t width = 16;
  uint64_t seed = 1;
};

void add_cross_attention_options(Command& command, CrossAttentionArguments& arguments) {
  command.add_option("--frames", arguments.frames, "Frames of audio, L_q (default 12)")
      .type_name("N")
      .check(whole_number(1, 1000));
  command.add_option("--text", arguments.text, "Words, L_k of them").type_name("WORDS");
  command.add_option("--shift", arguments.shift, "Words moved on around the end (default 2)")
      .type_name("N")
      .check(whole_number(0, 1000));
  add_seed(command, arguments.seed);
}

void show_cross_attention_demo(const CrossAttentionArguments& arguments, Lesson& lesson) {
  const std::vector<std::string> words = word_list(arguments.text);
  const auto S = static_cast<int64_t>(words.size());
  if (S == 0) wrong_usage("--text needs at least one word");
  const int64_t T = arguments.frames;
  const int64_t D = arguments.width;
  Tensor k = Tensor::empty({S, D}, DType::f64);
  const RandomKey key = random_key({.seed = arguments.seed});
  for (int64_t i = 0; i < k.size(); ++i) {
    k.data<double>()[i] = 1.5 * random_normal(key, static_cast<uint32_t>(i));
  }
  // A frame sounds like the word that is spoken in it, with noise.
  const RandomKey noise = random_key({.seed = arguments.seed, .site = 1});
  Tensor q = Tensor::empty({T, D}, DType::f64);
  for (int64_t t = 0; t < T; ++t) {
    const int64_t word = t * S / T;
    for (int64_t c = 0; c < D; ++c) {
      q.data<double>()[t * D + c] = std::as_const(k).data<double>()[word * D + c] +
                                    0.5 * random_normal(noise, static_cast<uint32_t>(t * D + c));
    }
  }
  Tensor shifted = Tensor::empty({S, D}, DType::f64);
  for (int64_t j = 0; j < S; ++j) {
    const int64_t to = (j + arguments.shift) % S;
    shifted.slice(0, to, to + 1).copy_from(k.slice(0, j, j + 1));
  }
  const NoGrad no_gradients;
  const Rows frames = Rows::single(T);
  const Rows text = Rows::single(S);
  const Tensor weights = attention_weights(q, k, frames, text);
  const Tensor y = attention(q, k, k, frames, text).value();
  const Tensor moved = attention(q, shifted, shifted, frames, text).value();
  double difference = 0;
  for (int64_t i = 0; i < y.size(); ++i) {
    difference = std::max(difference, std::abs(y.data<double>()[i] - moved.data<double>()[i]));
  }
  lesson.formula("V_audio/text = Attention(Q_audio, K_text, V_text)        [L_q, d_v]");
  lesson.number("frames", "frames of audio, L_q", static_cast<double>(T));
  lesson.number("words", "words, L_k", static_cast<double>(S));
  lesson.number("shift_difference",
                fmt::format("largest difference, text moved on by {}", arguments.shift), difference,
                3);
  Figure map({.title = "Which word a frame attends to", .x_label = "word", .y_label = "frame"});
  map.heat_map(weights, {.row_labels = numbered("", T), .column_labels = words, .low = 0});
  lesson.figure("", map);
  lesson.say(
      "The two need no common clock and no common length: a frame finds its word by what it is, "
      "and "
      "text that is shifted gives the same result. The audio here is made up; the same holds for "
      "pictures and video, where attention came from.");
}

}  // namespace

Demo cross_attention_demo() {
  return {"cross-attention",
          "The attention layer",
          "Audio that attends to text",
          "R50, R51",
          "--frames 20 --shift 3",
          with_options<CrossAttentionArguments>(add_cross_attention_options,
                                                show_cross_attention_demo)};
}

}  // namespace heed::cli

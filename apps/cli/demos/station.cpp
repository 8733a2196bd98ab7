// The same word in three sentences, layer by layer.

#include <fmt/format.h>

#include <cmath>

#include "apps/cli/demos/context_model.h"
#include "apps/cli/demos/demo.h"
#include "heed/base/fail.h"

namespace heed::cli {
namespace {

using Kind = ContextSentence::Kind;

struct StationArguments {
  ContextModelOptions model;
  std::string word = "station";
  std::string texts =
      "summer is my favorite station; winter is my favorite station; the train station is around "
      "the corner";
};

void add_station_options(Command& command, StationArguments& arguments) {
  command
      .add_option("--texts", arguments.texts,
                  "Three sentences, separated by ';' (default: those of the notes)")
      .type_name("TEXTS");
  command.add_option("--word", arguments.word, "The word to compare (default station)")
      .type_name("WORD");
  add_context_model_options(command, arguments.model);
}

// The states of a word before the first layer and after each, [L + 1, C].
Tensor states_of(const Pipeline& model, const std::string& text, int64_t word) {
  const EmbedOptions options{.layers = model.all_layers(), .pool = EmbedPool::none};
  const Tensor rows = model.embed(text, options).slice(1, word, word + 1).clone();
  return rows.reshape({rows.dim(0), rows.dim(2)});
}

// Row by row.
std::vector<double> cosines(const Tensor& a, const Tensor& b) {
  std::vector<double> result;
  const float *x = a.data<float>(), *y = b.data<float>();
  for (int64_t row = 0; row < a.dim(0); ++row) {
    double xy = 0, xx = 0, yy = 0;
    for (int64_t i = 0; i < a.dim(1); ++i, ++x, ++y) {
      xy += static_cast<double>(*x) * *y;
      xx += static_cast<double>(*x) * *x;
      yy += static_cast<double>(*y) * *y;
    }
    result.push_back(xy / std::sqrt(xx * yy));
  }
  return result;
}

std::vector<std::string> sentences_of(const std::string& text) {
  std::vector<std::string> sentences;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    std::string sentence;
    for (const std::string& word : word_list(text.substr(begin, end - begin))) {
      sentence += (sentence.empty() ? "" : " ") + word;
    }
    if (!sentence.empty()) sentences.push_back(sentence);
    begin = end + 1;
  }
  return sentences;
}

// Mean similarity, after each layer, of "station" in two unseen sentences of the same or of
// different meaning.
struct Means {
  std::vector<double> same, different;
};

Means unseen_means(const Pipeline& model, const std::vector<ContextSentence>& sentences) {
  std::vector<std::pair<Kind, Tensor>> stations;
  for (const ContextSentence& sentence : sentences) {
    if (sentence.kind != Kind::season && sentence.kind != Kind::place) continue;
    stations.emplace_back(sentence.kind, states_of(model, sentence.text.source, sentence.word));
  }
  const auto layers = static_cast<size_t>(model.blocks() + 1);
  Means means{std::vector<double>(layers), std::vector<double>(layers)};
  double same = 0, different = 0;
  for (size_t i = 0; i < stations.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool is_same = stations[i].first == stations[j].first;
      (is_same ? same : different) += 1;
      const std::vector<double> each = cosines(stations[i].second, stations[j].second);
      std::vector<double>& sum = is_same ? means.same : means.different;
      for (size_t layer = 0; layer < layers; ++layer) sum[layer] += each[layer];
    }
  }
  for (double& x : means.same) x /= std::max(1.0, same);
  for (double& x : means.different) x /= std::max(1.0, different);
  return means;
}

void show_station_demo(const StationArguments& arguments, Lesson& lesson) {
  const std::vector<std::string> texts = sentences_of(arguments.texts);
  if (texts.size() != 3) {
    fail("--texts: three sentences separated by ';' are needed, got {}", texts.size());
  }
  lesson.formula(
      "cos(a, b) = a . b / (|a| |b|)\n"
      "a, b: one word in two sentences, after a layer");
  const Pipeline model = context_model(arguments.model);
  const std::vector<ContextSentence> unseen = unseen_context_sentences(arguments.model.seed);
  tell_translations(model, unseen, lesson);

  std::vector<Tensor> states;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t at = word_index(model, texts[i], arguments.word, "--texts");
    states.push_back(states_of(model, texts[i], at));
    lesson.say(fmt::format("{}. {} -> {}", i + 1, texts[i], model.translate(texts[i]).text));
  }
  const std::vector<std::string> pairs{"1 and 2", "1 and 3", "2 and 3"};
  const std::vector<std::vector<double>> by_pair{
      cosines(states[0], states[1]), cosines(states[0], states[2]), cosines(states[1], states[2])};
  const auto layers = static_cast<int64_t>(by_pair[0].size());
  std::vector<double> cells, passed;
  std::vector<std::string> names;
  for (int64_t after = 0; after < layers; ++after) {
    passed.push_back(static_cast<double>(after));
    names.push_back(after == 0 ? "embedding" : fmt::format("layer {}", after - 1));
    for (const auto& pair : by_pair) cells.push_back(pair[after]);
  }
  lesson.table("cosine", fmt::format("Similarity of \"{}\" in two sentences", arguments.word),
               Tensor::from(cells, {layers, 3}), {names, pairs}, 4);
  const auto differs = [&](size_t layer) {
    return by_pair[0][layer] < 0.9999 && by_pair[1][layer] < 0.9999 && by_pair[2][layer] < 0.9999;
  };
  const double last[] = {by_pair[0].back(), by_pair[1].back(), by_pair[2].back()};
  lesson.fact("same_at_first", "the same vector before the first layer",
              by_pair[0][0] > 1 - 1e-6 && by_pair[1][0] > 1 - 1e-6 && by_pair[2][0] > 1 - 1e-6);
  lesson.fact("differs_after_one", "three different vectors after one layer", differs(1));
  lesson.fact("first_two_nearest", "1 and 2 most similar after the last layer",
              last[0] > last[1] && last[0] > last[2]);

  const Means means = unseen_means(model, unseen);
  lesson.number("same_meaning", "mean of unseen stations, same meaning", means.same.back(), 4);
  lesson.number("other_meaning", "mean of a season and a place", means.different.back(), 4);
  Figure figure({.title = "One word, more and more of its sentence",
                 .x_label = "layers passed",
                 .y_label = "cosine"});
  for (size_t i = 0; i < 3; ++i) {
    figure.line(numbers(passed), numbers(by_pair[i]),
                {.label = fmt::format("sentences {}", pairs[i])});
  }
  figure.line(numbers(passed), numbers(means.same),
              {.label = "unseen, same meaning", .style = LineStyle::dashed});
  figure.line(numbers(passed), numbers(means.different),
              {.label = "unseen, other meaning", .style = LineStyle::dashed});
  lesson.figure("", figure);
  lesson.erratum(12,
                 "\"favorite station\" is a slip of translation: estación is both the season and "
                 "the station. The sentence is kept as it stands, since it shows the point.");
}

}  // namespace

Demo station_demo() {
  Demo demo{"station",
            "Words in context",
            "One word in three sentences, layer by layer",
            "R99",
            "--seed 2",
            with_options<StationArguments>(add_station_options, show_station_demo)};
  demo.trains = true;
  return demo;
}

}  // namespace heed::cli

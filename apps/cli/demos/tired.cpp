// Who is tired: which nouns are mixed into an adjective.

#include <fmt/format.h>

#include "apps/cli/demos/context_model.h"
#include "apps/cli/demos/demo.h"
#include "heed/textbook/attention_rollout.h"

namespace heed::cli {
namespace {

using Kind = ContextSentence::Kind;

struct TiredArguments {
  ContextModelOptions model;
  std::string text = "the woman started the journey tired";
  std::string word = "tired", subject = "woman", object = "journey";
};

void add_tired_options(Command& command, TiredArguments& arguments) {
  command.add_option("--text", arguments.text, "The sentence (default: that of the notes)")
      .type_name("TEXT");
  command.add_option("--word", arguments.word, "The word that looks (default tired)")
      .type_name("WORD");
  command.add_option("--subject", arguments.subject, "The first word to look at (default woman)")
      .type_name("WORD");
  command.add_option("--object", arguments.object, "The second word to look at (default journey)")
      .type_name("WORD");
  add_context_model_options(command, arguments.model);
}

// How much of each word (column) is in each word (row): the mean of the heads of every layer, and
// last of all layers together.
struct Mix {
  std::vector<Tensor> layers;  // float64 [T, T]
  std::vector<std::string> words;
};

Mix mix_of(const Pipeline& model, const std::string& text) {
  Mix mix;
  for (int64_t layer = 0; layer < model.blocks(); ++layer) {
    const AttentionMap map =
        model.attention(text, "", {.layer = fmt::format("encoder.{}.attention", layer)});
    const Tensor weights = map.weights.to(DType::f64);
    mix.words = map.queries;
    mix.layers.push_back(weights);
  }
  mix.layers.push_back(attention_rollout(mix.layers));
  return mix;
}

double weight(const Tensor& mix, int64_t query, int64_t key) {
  return mix.data<double>()[query * mix.dim(1) + key];
}

// Of the unseen adjectives that are said of the subject (or of the object), how many are mixed more
// with it than with the other noun, in each layer and in all together.
std::vector<double> shares(const Pipeline& model, const std::vector<ContextSentence>& sentences,
                           Kind kind) {
  std::vector<double> right(static_cast<size_t>(model.blocks()) + 1);
  double count = 0;
  for (const ContextSentence& sentence : sentences) {
    if (sentence.kind != kind) continue;
    ++count;
    const bool of_subject = kind == Kind::of_subject;
    const int64_t noun = of_subject ? sentence.subject : sentence.object;
    const int64_t other = of_subject ? sentence.object : sentence.subject;
    const Mix mix = mix_of(model, sentence.text.source);
    for (size_t i = 0; i < right.size(); ++i) {
      const Tensor& part = mix.layers[i];
      right[i] += weight(part, sentence.word, noun) > weight(part, sentence.word, other) ? 1 : 0;
    }
  }
  for (double& x : right) x *= 100 / std::max(1.0, count);
  return right;
}

void show_tired_demo(const TiredArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "A = mean over heads of softmax(Q K^T / sqrt(D))\n"
      "all layers: product of (A + I) / 2");
  const Pipeline model = context_model(arguments.model);
  const auto index = [&](const std::string& word, const char* option) {
    return word_index(model, arguments.text, word, option);
  };
  const int64_t word = index(arguments.word, "--word");
  const int64_t subject = index(arguments.subject, "--subject");
  const int64_t object = index(arguments.object, "--object");
  const std::vector<ContextSentence> unseen = unseen_context_sentences(arguments.model.seed);
  tell_translations(model, unseen, lesson);
  lesson.say(fmt::format("{} -> {}", arguments.text, model.translate(arguments.text).text));

  const Mix mix = mix_of(model, arguments.text);
  std::vector<double> cells;
  std::vector<std::string> names;
  std::vector<Figure> panels;
  for (size_t i = 0; i < mix.layers.size(); ++i) {
    const bool is_all = i + 1 == mix.layers.size();
    cells.push_back(weight(mix.layers[i], word, subject));
    cells.push_back(weight(mix.layers[i], word, object));
    names.push_back(is_all ? "all layers" : fmt::format("layer {}", i));
    Figure figure({.title = names.back(), .x_label = "mixed in", .y_label = "into"});
    figure.heat_map(
        mix.layers[i],
        {.row_labels = mix.words, .column_labels = mix.words, .low = 0, .values = true});
    panels.push_back(figure);
  }
  const auto rows = static_cast<int64_t>(names.size());
  lesson.table("weights", fmt::format("What is mixed into \"{}\"", arguments.word),
               Tensor::from(cells, {rows, 2}), {names, {arguments.subject, arguments.object}}, 4);
  lesson.fact("more_with_subject",
              fmt::format("more of \"{}\" than of \"{}\"", arguments.subject, arguments.object),
              cells[cells.size() - 2] > cells.back());
  std::vector<double> table = shares(model, unseen, Kind::of_subject);
  const std::vector<double> of_object = shares(model, unseen, Kind::of_object);
  table.insert(table.end(), of_object.begin(), of_object.end());
  lesson.table("unseen_percent", "Unseen adjectives with more of their noun than of the other, %",
               Tensor::from(table, {2, rows}),
               {{"said of the subject (tired)", "said of the object (open)"}, names}, 4);
  lesson.figures("", "What is mixed into each word", panels, 2, false,
                 static_cast<int>(panels.size()) - 1);
}

}  // namespace

Demo tired_demo() {
  Demo demo{"tired",
            "Words in context",
            "Which nouns are mixed into an adjective",
            "R101",
            "--subject started --seed 2",
            with_options<TiredArguments>(add_tired_options, show_tired_demo)};
  demo.trains = true;
  return demo;
}

}  // namespace heed::cli

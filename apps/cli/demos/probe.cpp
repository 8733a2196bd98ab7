// What linear probes read off each layer: the form of a word, and its meaning in its sentence.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/demos/context_model.h"
#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/corpora/context_labels.h"
#include "heed/io/atomic_file.h"
#include "heed/pipeline/probe.h"

namespace heed::cli {
namespace {

struct ProbeDemoArguments {
  ContextModelOptions model;
  int64_t sentences = 1000;
  int64_t epochs = 20;
};

void add_probe_options(Command& command, ProbeDemoArguments& arguments) {
  command.add_option("--sentences", arguments.sentences, "To train probes on (default 1000)")
      .check(whole_number(10, 100'000))
      .type_name("N");
  command.add_option("--epochs", arguments.epochs, "Passes over them (default 20)")
      .check(whole_number(1, 1000))
      .type_name("N");
  add_context_model_options(command, arguments.model);
}

// A folder for the two files, gone at the end.
struct ProbeFolder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("heed-demo-probe-{}", ::getpid());
  ProbeFolder() { std::filesystem::create_directories(path); }
  ~ProbeFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ProbeFolder(const ProbeFolder&) = delete;
  ProbeFolder& operator=(const ProbeFolder&) = delete;
};

// CoNLL-U, the form as the part of speech and the meaning as a feature.
void write_labels(const std::string& file, const std::vector<ContextSentence>& sentences) {
  std::string text;
  for (const ContextSentence& sentence : sentences) {
    int64_t number = 0;
    for (const ContextLabel& label : context_labels(sentence)) {
      text += fmt::format("{}\t{}\t_\t{}\t_\tMeaning={}\t0\t_\t_\t_\n", ++number, label.word,
                          label.form, label.meaning);
    }
    text += "\n";
  }
  write_file(file, text);
}

std::vector<double> percents(const ProbeReport& report) {
  std::vector<double> result;
  result.reserve(report.layers.size());
  for (const LayerProbe& layer : report.layers) result.push_back(100 * layer.valid_accuracy);
  return result;
}

void show_probe_demo(const ProbeDemoArguments& arguments, Lesson& lesson) {
  lesson.formula("y = softmax(W (x - mean) / deviation + b)        x: a word after a layer");
  const Pipeline model = context_model(arguments.model);
  const std::vector<ContextSentence> unseen = unseen_context_sentences(arguments.model.seed);
  tell_translations(model, unseen, lesson);

  const ProbeFolder folder;
  const std::string train = folder.path / "train.conllu", test = folder.path / "test.conllu";
  std::vector<ContextSentence> trained;
  for (int64_t i = 0; i < arguments.sentences; ++i) {
    trained.push_back(context_sentence(CorpusPart::train, arguments.model.seed, i));
  }
  write_labels(train, trained);
  write_labels(test, unseen);
  const ProbeReport forms =
      probe(model, train, test, {.label = "upos", .epochs = arguments.epochs});
  const ProbeReport meanings = probe(
      model, train, test, {.label = "Meaning", .epochs = arguments.epochs, .only_labeled = true});
  lesson.say(
      "The model stays as it is; a linear map is trained on the states of each layer to tell a "
      "label of the word. Form: the class of a word, verbs by tense. Meaning: whether \"station\" "
      "is a season or a place, \"left\" is to go, to let or a side, and the gender of what an "
      "adjective is said of. The word alone does not tell its meaning, so the embedding "
      "is the control, and so is the most frequent label.");

  const std::vector<double> form = percents(forms), meaning = percents(meanings);
  std::vector<double> cells{100 * forms.majority, 100 * meanings.majority}, x;
  std::vector<std::string> rows{"most frequent label"};
  for (size_t after = 0; after < form.size(); ++after) {
    cells.insert(cells.end(), {form[after], meaning[after]});
    rows.push_back(after == 0 ? "embedding" : fmt::format("layer {}", after - 1));
    x.push_back(static_cast<double>(after));
  }
  lesson.table("right_percent", "Right labels of words in unseen sentences, %",
               Tensor::from(cells, {static_cast<int64_t>(rows.size()), 2}),
               {rows, {"form", "meaning"}}, 2);
  lesson.number("form_words", "words asked for their form", static_cast<double>(forms.valid_words));
  lesson.number("meaning_words", "words asked for their meaning",
                static_cast<double>(meanings.valid_words));
  lesson.fact("form_below", "form is told best before the first layer",
              form.front() >= *std::max_element(form.begin(), form.end()));
  lesson.fact("meaning_above", "meaning is told better by the last layer",
              meaning.back() > meaning[std::min<size_t>(1, meaning.size() - 1)]);
  Figure figure({.title = "What a linear probe reads off each layer",
                 .x_label = "layers passed",
                 .y_label = "% right, unseen sentences",
                 .y_range = AxisRange{0, 100}});
  figure.line(numbers(x), numbers(form), {.label = "form"});
  figure.line(numbers(x), numbers(meaning), {.label = "meaning"});
  figure.line(numbers({x.front(), x.back()}), numbers({100 * forms.majority, 100 * forms.majority}),
              {.label = "most frequent form", .style = LineStyle::dashed});
  figure.line(numbers({x.front(), x.back()}),
              numbers({100 * meanings.majority, 100 * meanings.majority}),
              {.label = "most frequent meaning", .style = LineStyle::dashed});
  lesson.figure("", figure);
}

}  // namespace

Demo probe_demo() {
  Demo demo{"probe",
            "Words in context",
            "What each layer tells: form and meaning",
            "R100",
            "--sentences 300 --epochs 10",
            with_options<ProbeDemoArguments>(add_probe_options, show_probe_demo)};
  demo.trains = true;
  return demo;
}

}  // namespace heed::cli

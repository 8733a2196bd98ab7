// One vector for a whole sentence, or attention to all of it (Bahdanau et al. 2015).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/diagrams.h"
#include "apps/cli/demos/trained_run.h"
#include "apps/cli/options/option_checks.h"
#include "heed/corpora/reversed_corpus.h"
#include "heed/io/atomic_file.h"
#include "heed/pipeline/pipeline.h"
#include "heed/run/task_names.h"

namespace heed::cli {
namespace {

constexpr int64_t kReversedTrained = 20000, kReversedTested = 500;

struct Arguments {
  int64_t longest = 20;
  int64_t width = 64;
  int64_t steps = 800;
  uint64_t seed = 1;
};

void add_bottleneck_options(Command& command, Arguments& arguments) {
  command.add_option("--longest", arguments.longest, "Letters at most (default 20)")
      .check(whole_number(4, 100))
      .type_name("N");
  command.add_option("--dim", arguments.width, "Width of the states (default 64)")
      .check(whole_number(8, 1024))
      .type_name("N");
  command.add_option("--steps", arguments.steps, "Steps of training (default 800)")
      .check(whole_number(1, 1'000'000))
      .type_name("N");
  add_seed(command, arguments.seed);
}

std::vector<std::string> write_pairs(const std::string& base, const Arguments& arguments,
                                     uint64_t seed, int64_t count) {
  std::string sources, targets;
  for (int64_t i = 0; i < count; ++i) {
    const TextPair pair = reversed_pair(CorpusPart::train, seed, i, arguments.longest);
    sources += pair.source + "\n";
    targets += pair.target + "\n";
  }
  write_file(base + ".source", sources);
  write_file(base + ".target", targets);
  return {base + ".source", base + ".target"};
}

Pipeline trained(const Arguments& arguments, ModelKind model) {
  TrainSettings recipe = small_translator(arguments.steps, arguments.seed);
  recipe.model = model;
  recipe.dim = arguments.width;
  recipe.lr = 4e-3;
  return load(trained_run(
      {.name = fmt::format("bottleneck-{}", name_of(model)),
       .data = fmt::format("1 {} {}", kReversedTrained, arguments.longest),
       .settings = recipe,
       .what = model == ModelKind::rnn ? "a fixed context" : "Bahdanau's attention",
       .write = [&](const std::string& data, TrainSettings& settings) {
         settings.train = write_pairs(data + "/train", arguments, arguments.seed, kReversedTrained);
         settings.valid = write_pairs(data + "/valid", arguments, arguments.seed + 1, 100);
       }}));
}

// The test texts by their length, in four ranges.
struct Range {
  int64_t first, last;
  std::vector<TextPair> pairs = {};
};

std::vector<Range> unseen(const Arguments& arguments) {
  std::vector<Range> ranges;
  for (int64_t i = 0; i < 4; ++i) {
    ranges.push_back({arguments.longest * i / 4 + 1, arguments.longest * (i + 1) / 4});
  }
  for (int64_t i = 0; i < kReversedTested; ++i) {
    TextPair pair = reversed_pair(CorpusPart::test, arguments.seed, i, arguments.longest);
    const auto length = static_cast<int64_t>(word_list(pair.source).size());
    const auto range = std::find_if(ranges.begin(), ranges.end(),
                                    [&](const Range& r) { return length <= r.last; });
    range->pairs.push_back(std::move(pair));
  }
  return ranges;
}

// Texts without an error, in percent.
double exact(const Pipeline& model, const std::vector<TextPair>& pairs) {
  if (pairs.empty()) return NAN;
  std::vector<std::string> sources;
  sources.reserve(pairs.size());
  for (const TextPair& pair : pairs) sources.push_back(pair.source);
  const std::vector<GeneratedText> generated = model.translate(sources);
  double right = 0;
  for (size_t i = 0; i < pairs.size(); ++i) right += generated[i].text == pairs[i].target ? 1 : 0;
  return 100 * right / static_cast<double>(pairs.size());
}

// Both models on the longest of some short rows, as they write it.
void draw_models(const Pipeline& fixed, const Pipeline& attending,
                 const std::vector<TextPair>& pairs, Lesson& lesson) {
  if (pairs.empty()) return;
  const TextPair& pair = *std::max_element(
      pairs.begin(), pairs.end(),
      [](const TextPair& a, const TextPair& b) { return a.source.size() < b.source.size(); });
  const std::vector<std::string> source = word_list(pair.source);
  // A model that has not learned may never end.
  const size_t max = source.size() + 2;
  std::vector<std::string> generated = word_list(fixed.translate(pair.source).text);
  generated.resize(std::min(generated.size(), max));
  if (generated.empty()) generated.emplace_back("(nothing)");
  lesson.picture(
      "fixed",
      seq2seq_diagram({.title = "A fixed context", .source = source, .target = generated}).svg());
  AttentionMap map = attending.attention(pair.source);
  const auto shown = static_cast<int64_t>(std::min(map.queries.size(), max));
  map.queries.resize(static_cast<size_t>(shown));
  lesson.picture("attention", seq2seq_diagram({.title = "Attention to all states",
                                               .source = map.keys,
                                               .target = map.queries,
                                               .weights = map.weights.slice(0, 0, shown)})
                                  .svg());
}

void show_bottleneck_demo(const Arguments& arguments, Lesson& lesson) {
  lesson.formula(
      "fixed context   s_t = f(s_{t-1}, y_{t-1}, h_T)     one vector for all\n"
      "attention       s_t = f(s_{t-1}, y_{t-1}, c_t)     another one for each step\n"
      "                c_t = sum_i softmax_i(a(s_{t-1}, h_i)) h_i");
  const Pipeline fixed = trained(arguments, ModelKind::rnn);
  const Pipeline attending = trained(arguments, ModelKind::rnn_attention);
  lesson.say(fmt::format(
      "Two GRU translators of width {} write rows of up to {} letters backwards. One passes a "
      "single "
      "vector from its encoder to its decoder, the other looks at all states. {} unseen rows:",
      arguments.width, arguments.longest, kReversedTested));
  std::vector<double> cells, x, by_model[2];
  std::vector<std::string> rows;
  for (const Range& range : unseen(arguments)) {
    by_model[0].push_back(exact(fixed, range.pairs));
    by_model[1].push_back(exact(attending, range.pairs));
    cells.insert(cells.end(), {by_model[0].back(), by_model[1].back()});
    rows.push_back(fmt::format("{}-{} letters", range.first, range.last));
    x.push_back(static_cast<double>(range.first + range.last) / 2);
  }
  lesson.table("exact_percent", "Rows without a mistake, %",
               Tensor::from(cells, {static_cast<int64_t>(rows.size()), 2}),
               {rows, {"fixed context", "attention"}}, 4);
  lesson.fact("gap_grows", "the gap grows from the shortest to the longest",
              cells[7] - cells[6] > cells[1] - cells[0]);
  Figure figure({.title = "Rows without a mistake",
                 .x_label = "letters",
                 .y_label = "%",
                 .y_range = AxisRange{0, 100}});
  figure.line(numbers(x), numbers(by_model[0]), {.label = "fixed context"});
  figure.line(numbers(x), numbers(by_model[1]), {.label = "attention"});
  lesson.figure("", figure);
  draw_models(fixed, attending, unseen(arguments).front().pairs, lesson);
}

}  // namespace

Demo bottleneck_demo() {
  Demo demo{"bottleneck",
            "The attention layer",
            "One vector for a sentence, or attention",
            "R58, R59",
            "--longest 12 --dim 32",
            with_options<Arguments>(add_bottleneck_options, show_bottleneck_demo)};
  demo.trains = true;
  return demo;
}

}  // namespace heed::cli

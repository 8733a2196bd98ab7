// Why attention: a weight for each pair of positions, for each distance, or for each pair of words.

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/trained_run.h"
#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/textbook/distance_experiment.h"

namespace heed::cli {
namespace {

constexpr const char* kMixes[] = {"dense", "convolution", "attention"};
constexpr size_t kMixCount = std::size(kMixes);

void add_motivation_options(Command& command, DistanceExperimentOptions& arguments) {
  command.add_option("--steps", arguments.steps, "Steps of training, of each model (default 2000)")
      .check(whole_number(1, 1'000'000))
      .type_name("N");
  command.add_option("--d", arguments.width, "Width; rows have twice as many words (default 16)")
      .check(whole_number(4, 256))
      .type_name("N");
  command.add_option("--kernel", arguments.kernel, "Kernel of the convolution (default 9)")
      .check(whole_number(1, 255))
      .type_name("N");
  command.add_option("--blocks", arguments.blocks, "Blocks of each model (default 2)")
      .check(whole_number(1, 16))
      .type_name("N");
  command.add_option("--tested", arguments.tested, "Unseen rows of each distance (default 100)")
      .check(whole_number(1, 100'000))
      .type_name("N");
  add_seed(command, arguments.seed);
}

// The number of parameters, then the accuracy at each distance.
std::vector<double> trained_mix(size_t kind, const DistanceExperimentOptions& arguments) {
  const int64_t kernel = kMixes[kind] == std::string("convolution") ? arguments.kernel : 0;
  const std::string recipe =
      fmt::format("1 {} {} {} {} {} {} {}", kMixes[kind], arguments.width, arguments.blocks, kernel,
                  arguments.steps, arguments.tested, arguments.seed);
  const Tensor kept = kept_numbers("motivation", recipe, [&] {
    say("Training {}, once\n", kMixes[kind]);
    const DistanceResult made = distance_experiment(static_cast<MixKind>(kind), arguments);
    std::vector<double> all{static_cast<double>(made.parameters)};
    all.insert(all.end(), made.accuracy.begin(), made.accuracy.end());
    return numbers(all);
  });
  return {kept.data<double>(), kept.data<double>() + kept.size()};
}

enum class Zone : uint8_t { trained, between, beyond };

Zone zone_of(int64_t distance, int64_t length) {
  if (is_trained_distance(distance, length)) return Zone::trained;
  return 3 * distance <= 2 * length ? Zone::between : Zone::beyond;
}

// The mean in percent of the distances of a zone.
double percent(const std::vector<double>& result, int64_t length, Zone zone) {
  double sum = 0, count = 0;
  for (int64_t d = 1; d < length; ++d) {
    if (zone_of(d, length) != zone) continue;
    sum += result[d];
    ++count;
  }
  return 100 * sum / std::max(1.0, count);
}

std::string shown_row(const DistanceRow& row) {
  std::string text;
  for (const int32_t word : row.words) text += (text.empty() ? "" : " ") + distance_word(word);
  return fmt::format("\"{}\" -> {}", text, distance_noun(row.answer));
}

void show_motivation_demo(const DistanceExperimentOptions& arguments, Lesson& lesson) {
  if (arguments.width % 2 != 0) fail("--d: the width must be even, for two heads");
  if (arguments.kernel % 2 == 0) fail("--kernel: the kernel must be odd");
  lesson.formula(
      "dense        y_i = sum_j w_ij x_j             a weight per pair of positions\n"
      "convolution  y_i = sum_k W_k x_(i+k)          a weight per distance in reach\n"
      "attention    y_i = sum_j f(x_i, x_j) W_v x_j  a weight per pair of words");
  const int64_t length = 2 * arguments.width;
  const int64_t reach = arguments.blocks * (arguments.kernel - 1) / 2;
  std::vector<std::vector<double>> results;
  results.reserve(kMixCount);
  for (size_t kind = 0; kind < kMixCount; ++kind) {
    results.push_back(trained_mix(kind, arguments));
  }
  lesson.say(
      fmt::format("Which noun goes with the verb at the end? A guess that knows the verb's six "
                  "nouns is right in {:.1f} %. A row, and its answer:",
                  100 * kDistanceChance));
  lesson.say(
      shown_row(distance_row(arguments.seed, 1, 0, length, std::min<int64_t>(5, length - 1))));
  lesson.say(fmt::format(
      "Three models that differ in one layer only were trained at distances up to {} between the "
      "two words, except 4, 8, 12 and so on. The convolution reaches {} words back.",
      2 * length / 3, reach));

  std::vector<double> cells;
  for (const Zone zone : {Zone::trained, Zone::between, Zone::beyond}) {
    for (const auto& result : results) cells.push_back(percent(result, length, zone));
  }
  const std::vector<std::string> names(std::begin(kMixes), std::end(kMixes));
  lesson.table("parameters", "Parameters", numbers({results[0][0], results[1][0], results[2][0]}),
               {{""}, names});
  lesson.table("right_percent", "Right answers for unseen rows, %", Tensor::from(cells, {3, 3}),
               {{"trained distances", "between them", "beyond them"}, names}, 1);

  std::vector<double> x, by_distance;
  for (int64_t d = 1; d < length; ++d) {
    x.push_back(static_cast<double>(d));
    for (const auto& result : results) by_distance.push_back(100 * result[d]);
  }
  std::vector<std::string> rows;
  for (int64_t d = 1; d < length; ++d) {
    rows.push_back(fmt::format("{}{}", d, zone_of(d, length) == Zone::trained ? "" : " unseen"));
  }
  lesson.table("by_distance_percent", "By distance, %", Tensor::from(by_distance, {length - 1, 3}),
               {rows, names}, 1);
  Figure figure({.title = "Right answers by distance",
                 .x_label = "words from noun to verb",
                 .y_label = "%",
                 .y_range = AxisRange{0, 100}});
  for (size_t kind = 0; kind < kMixCount; ++kind) {
    std::vector<double> y;
    for (size_t d = 1; d < results[kind].size(); ++d) y.push_back(100 * results[kind][d]);
    figure.line(numbers(x), numbers(y), {.label = kMixes[kind]});
  }
  figure.line(numbers({x.front(), x.back()}),
              numbers({100 * kDistanceChance, 100 * kDistanceChance}),
              {.label = "a guess", .style = LineStyle::dashed});
  lesson.figure("", figure);
}

}  // namespace

Demo motivation_demo() {
  Demo demo{"motivation",
            "The attention layer",
            "Weights by position, by distance or by formula",
            "R47, R62",
            "--kernel 5",
            with_options<DistanceExperimentOptions>(add_motivation_options, show_motivation_demo)};
  demo.trains = true;
  return demo;
}

}  // namespace heed::cli

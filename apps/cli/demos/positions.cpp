// Three codes of positions, and their duties.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/textbook/position_similarity.h"

namespace heed::cli {
namespace {

struct PositionsArguments {
  PositionSimilarityOptions code;
  std::string at = "0,1,2,5,10,50,100";
};

void add_positions_options(Command& command, PositionsArguments& arguments) {
  const auto size = [&](const char* name, int64_t& slot, const char* help, int64_t low,
                        int64_t max) {
    command.add_option(name, slot, help).type_name("N").check(whole_number(low, max));
  };
  size("--positions", arguments.code.positions, "Positions (default 64)", 2, 512);
  size("--width", arguments.code.width, "d of the sinusoids, even (default 64)", 2, 4096);
  size("--k0", arguments.code.first, "First k: 0 (default) in the paper, 1 in the notes", 0, 1);
  command.add_option("--lambda", arguments.code.lambda, "Of the Gaussian (default 0.01)")
      .type_name("L")
      .check(positive_number());
  command.add_option("--at", arguments.at, "Distances to print").type_name("NUMBERS");
}

void show_positions_demo(const PositionsArguments& arguments, Lesson& lesson) {
  lesson.formula(
      "linear       phi(i) = i:  phi(i).phi(j) = i j\n"
      "Gaussian     phi(i).phi(j) = exp(-lambda (i - j)^2), of infinite width\n"
      "sinusoidal   phi(i).phi(j) = sum_k cos(w_k (i - j)),  w_k = 10000^(-2k/d)");
  const std::vector<std::pair<std::string, PositionCode>> codes{
      {"linear", PositionCode::linear},
      {"Gaussian", PositionCode::gaussian},
      {"sinusoidal", PositionCode::sinusoidal}};
  std::vector<Figure> panels;
  std::vector<double> criteria;
  std::vector<std::string> names;
  for (const auto& [name, code] : codes) {
    const Tensor similarity = position_similarity(code, arguments.code);
    const PositionCriteria met = position_criteria(similarity);
    criteria.push_back(met.distinct ? 1 : 0);
    criteria.push_back(static_cast<double>(met.nearest_is_most_similar));
    criteria.push_back(static_cast<double>(met.monotone_to));
    names.push_back(name);
    Figure map({.title = name, .x_label = "position", .y_label = "position"});
    map.heat_map(similarity);
    panels.push_back(map);
  }
  lesson.table("criteria", fmt::format("Criteria, for {} positions", arguments.code.positions),
               Tensor::from(criteria, {3, 3}),
               {names, {"distinct (1: yes)", "most like themselves", "falls up to distance"}});
  std::vector<double> values;
  std::vector<std::string> distances;
  for (const int64_t distance : whole_list("--at", arguments.at)) {
    values.push_back(sinusoidal_similarity(distance, arguments.code.width, arguments.code.first));
    distances.push_back(std::to_string(distance));
  }
  lesson.table("sinusoidal", "Sinusoidal similarity by distance",
               Tensor::from(values, {1, static_cast<int64_t>(values.size())}),
               {{"phi.phi"}, distances}, 2);
  lesson.figures("", "Similarity of positions", panels, 3);
  lesson.erratum(8,
                 "the notes start at k = 1, which drops the fastest wave; the paper starts at 0.");
  lesson.erratum(
      35,
      "the notes call the sinusoids a truncation of the Gaussian's basis; their similarity "
      "is a sum of cosines, which is not a Gaussian and not monotone.");
}

}  // namespace

Demo positions_demo() {
  return {"positions",
          "Positions",
          "Three codes of positions, and their duties",
          "R75, R79-R81",
          "--width 16 --k0 1",
          with_options<PositionsArguments>(add_positions_options, show_positions_demo)};
}

}  // namespace heed::cli

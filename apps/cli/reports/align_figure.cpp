#include "apps/cli/reports/align_figure.h"

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/figure/figure.h"
#include "heed/io/atomic_file.h"

namespace heed::cli {
namespace {

using Curve = std::vector<double>;

Tensor tensor(const Curve& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

// The scores of all validations, by name; "step" among them.
std::map<std::string, Curve> read_validations(const std::string& folder) {
  std::map<std::string, Curve> curves;
  std::ifstream in(folder + "/log.jsonl");
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("valid")) continue;
    curves["step"].push_back(json["step"].get<double>());
    for (const auto& [name, value] : json["valid"].items()) {
      if (value.is_number()) curves[name].push_back(value.get<double>());
    }
  }
  return curves;
}

}  // namespace

void write_align_figure(const std::string& folder, const std::string& svg) {
  std::map<std::string, Curve> curves = read_validations(folder);
  const Curve& steps = curves["step"];
  if (steps.empty()) fail("{}: there is no validation in its log to draw", folder);
  Figure scores({.title = "Scores", .x_label = "step"});
  Figure both({.title = "What the distance bought", .x_label = "KL, nats per answer"});
  for (const auto& [name, label] :
       {std::pair{"reward", "reward model"}, {"true", "true score"}, {"accuracy", "pairs right"}}) {
    if (curves[name].size() != steps.size()) continue;
    scores.line(tensor(steps), tensor(curves[name]), {.label = label});
    both.scatter(tensor(curves["kl"]), tensor(curves[name]), {.label = label});
  }
  Figure kl({.title = "KL to the starting model", .x_label = "step", .y_label = "nats per answer"});
  kl.line(tensor(steps), tensor(curves["kl"]));
  FigureGrid grid({.columns = 3});
  grid.add(scores).add(kl).add(both);
  write_file(svg, grid.svg({.width = 360, .height = 300}));
  say("the curves are in {}\n", svg);
}

}  // namespace heed::cli

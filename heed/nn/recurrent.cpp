#include "heed/nn/recurrent.h"

#include <cmath>
#include <optional>

#include "heed/base/fail.h"
#include "heed/ops/affine.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/dropout.h"
#include "heed/ops/gru_sequence.h"
#include "heed/ops/lstm_sequence.h"
#include "heed/ops/split.h"

namespace heed {

RecurrentLayer::RecurrentLayer(const ParameterScope& scope, CellKind cell, int64_t in,
                               int64_t hidden)
    : cell_(cell), width_(hidden) {
  check(in > 0 && hidden > 0, "recurrent: {} inputs and {} units; both must be at least 1", in,
        hidden);
  const int64_t gates = gate_count(cell) * hidden;
  const Initializer uniform = Initializer::uniform(1 / std::sqrt(static_cast<double>(hidden)));
  weight = scope.create("weight", {in, gates}, uniform);
  bias = scope.create("bias", {gates}, uniform);
  recurrent = scope.create("recurrent", {hidden, gates}, uniform);
  // For an LSTM it would only be added to the other one.
  if (cell == CellKind::gru) recurrent_bias = scope.create("recurrent_bias", {gates}, uniform);
}

Variable RecurrentLayer::input_gates(const Variable& x) const { return affine(x, weight, bias); }

Variable RecurrentLayer::states(const Variable& gx, const Variable& start,
                                const std::vector<int64_t>& counts) const {
  return cell_ == CellKind::gru ? gru_sequence(gx, recurrent, recurrent_bias, start, counts)
                                : lstm_sequence(gx, recurrent, recurrent_bias, start, counts);
}

Variable RecurrentLayer::hidden(const Variable& states) const {
  return cell_ == CellKind::gru ? states : split(states, {width_, width_})[0];
}

Recurrent::Recurrent(const ParameterScope& scope, int64_t in, const RecurrentOptions& options)
    : options_(options) {
  check(options.layers >= 1, "recurrent: {} layers; there must be at least 1", options.layers);
  int64_t width = in;
  for (int64_t i = 0; i < options.layers; ++i) {
    const ParameterScope layer = scope.in(std::to_string(i));
    layers.emplace_back(options.bidirectional ? layer.in("forward") : layer, options.cell, width,
                        options.hidden);
    if (options.bidirectional) {
      layers.emplace_back(layer.in("reversed"), options.cell, width, options.hidden);
    }
    sites_.push_back(layer.in("dropout").site());
    width = this->width();
  }
}

RecurrentResult Recurrent::operator()(const Variable& x, const Rows& rows, const Pass& pass,
                                      const std::vector<Variable>& start) const {
  rows.require_total(x.value().dim(0), "recurrent");
  check(start.empty() || start.size() == layers.size(), "recurrent: {} states for {} layers",
        start.size(), layers.size());
  using Direction = TimeMajor::Direction;
  std::vector<TimeMajor> times;
  times.emplace_back(rows, Direction::forward);
  if (options_.bidirectional) times.emplace_back(rows, Direction::reversed);

  RecurrentResult result{x, {}};
  for (size_t i = 0; i < layers.size(); i += times.size()) {
    Variable input = result.y;
    if (i > 0 && pass.training && options_.dropout > 0) {
      input = dropout(input, rows,
                      {.p = options_.dropout, .site = pass.site(sites_[i / times.size()])});
    }
    std::vector<Variable> outputs;
    for (size_t k = 0; k < times.size(); ++k) {
      const RecurrentLayer& layer = layers[i + k];
      const Variable before = start.empty() ? Variable() : start[i + k];
      const Variable states = layer.states(layer.input_gates(times[k].forth(input)),
                                           times[k].sorted(before), times[k].counts());
      result.last.push_back(times[k].last(states, before));
      outputs.push_back(times[k].back(layer.hidden(states)));
    }
    result.y = outputs.size() == 1 ? outputs[0] : concatenate(outputs, 1);
  }
  return result;
}

}  // namespace heed

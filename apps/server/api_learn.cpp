// POST /api/learn/..: the small computations of the textbook views.

#include <cmath>

#include "apps/server/fields.h"
#include "apps/server/json_text.h"
#include "apps/server/route.h"
#include "heed/textbook/masked_softmax.h"
#include "heed/textbook/position_similarity.h"
#include "heed/textbook/saturation.h"
#include "heed/textbook/score_variance.h"
#include "heed/textbook/self_attention_steps.h"

namespace heed::server {
namespace {

constexpr size_t kMaxScores = 1 << 16;

Tensor matrix_field(Fields& fields, const std::string& name) {
  const std::vector<std::vector<double>> rows = fields.rows(name, kMaxScores);
  if (rows.empty()) fields.refuse(name, "expected at least one row");
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return Tensor::from(values,
                      {static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())});
}

std::vector<double> softmax(const std::vector<double>& scores, double scale) {
  double max = -INFINITY, sum = 0;
  for (const double s : scores) max = std::max(max, scale * s);
  std::vector<double> weights;
  weights.reserve(scores.size());
  for (const double s : scores) weights.push_back(std::exp(scale * s - max));
  for (const double w : weights) sum += w;
  for (double& w : weights) w /= sum;
  return weights;
}

// phi(i) of each position, [n, width]: sines and cosines, or the position itself.
Json codes_json(const std::string& code, const PositionSimilarityOptions& options) {
  Json rows = Json::array();
  for (int64_t i = 0; i < options.positions; ++i) {
    Json row = Json::array();
    const auto place = static_cast<double>(i);
    if (code == "linear") row.push_back(i);
    for (int64_t k = options.first; code == "sinusoidal" && k < options.first + options.width / 2;
         ++k) {
      const double rate =
          std::pow(10000.0, -2 * static_cast<double>(k) / static_cast<double>(options.width));
      row.push_back(std::sin(place * rate));
      row.push_back(std::cos(place * rate));
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

HttpAnswer post_masked_softmax(Service& service, const Call& call) {
  Fields fields(call.body);
  const Tensor scores = matrix_field(fields, "scores");
  const std::vector<int64_t> lengths = fields.integers("lengths", kMaxScores, {0, scores.dim(1)});
  const double constant = fields.number("constant", -1e6, {-1e300, 1e300});
  fields.reject_unknown_fields();
  if (static_cast<int64_t>(lengths.size()) != scores.dim(0)) {
    fields.refuse("lengths", "expected one length for each row of scores");
  }
  Json page;
  service.compute(call.http, [&] {
    page = {{"weights", tensor_json(masked_softmax(scores, lengths))},
            {"by_constant", tensor_json(softmax_masked_by_constant(scores, lengths, constant))}};
  });
  return json_answer(page);
}

HttpAnswer post_scaled_softmax(Service& /*service*/, const Call& call) {
  Fields fields(call.body);
  const std::vector<double> scores = fields.numbers("scores", 1024);
  const std::vector<double> scales = fields.numbers("scales", 256);
  fields.reject_unknown_fields();
  if (scores.empty()) fields.refuse("scores", "expected at least one number");
  if (scales.empty()) fields.refuse("scales", "expected at least one number");
  Json points = Json::array();
  for (const SaturationPoint& point : saturation(scores, scales)) {
    points.push_back({{"scale", point.scale},
                      {"weights", softmax(scores, point.scale)},
                      {"largest", point.largest},
                      {"entropy", point.entropy},
                      {"gradient_norm", point.gradient_norm},
                      {"float_gradient_norm", number_json(point.float_gradient_norm)}});
  }
  return json_answer({{"points", points}});
}

HttpAnswer post_score_variance(Service& service, const Call& call) {
  Fields fields(call.body);
  const std::vector<int64_t> widths = fields.integers("widths", 32, {1, 4096});
  if (widths.empty()) fields.refuse("widths", "expected at least one width");
  const int64_t samples = fields.integer("samples", 1000, {1, 10000});
  const auto seed = static_cast<uint64_t>(fields.integer("seed", 0, {0, INT64_MAX - 1}));
  fields.reject_unknown_fields();
  Json points = Json::array();
  service.compute(call.http, [&] {
    for (const int64_t width : widths) {
      const ScoreVariance found = score_variance(
          {.batch = (samples + 99) / 100, .length = 10, .width = width, .seed = seed});
      points.push_back({{"width", width},
                        {"variance", found.score_variance},
                        {"scaled_variance", found.scaled_variance},
                        {"largest_weight", found.largest_weight},
                        {"largest_scaled_weight", found.largest_scaled_weight}});
    }
  });
  return json_answer({{"points", points}});
}

HttpAnswer post_positions(Service& service, const Call& call) {
  Fields fields(call.body);
  const std::string name =
      fields.one_of("code", "sinusoidal", {"linear", "gaussian", "sinusoidal"});
  const PositionSimilarityOptions options{.positions = fields.integer("positions", 64, {1, 512}),
                                          .width = fields.integer("width", 64, {2, 1024}),
                                          .first = fields.integer("first", 0, {0, 1}),
                                          .lambda = fields.number("lambda", 0.01, {0, 1e6})};
  fields.reject_unknown_fields();
  if (options.width % 2 != 0) fields.refuse("width", "expected an even number");
  const PositionCode code = name == "linear"     ? PositionCode::linear
                            : name == "gaussian" ? PositionCode::gaussian
                                                 : PositionCode::sinusoidal;
  Json page;
  service.compute(call.http, [&] {
    const Tensor similarity = position_similarity(code, options);
    const PositionCriteria criteria = position_criteria(similarity);
    page = {{"similarity", tensor_json(similarity)},
            {"codes", codes_json(name, options)},
            {"criteria",
             {{"distinct", criteria.distinct},
              {"nearest_is_most_similar", criteria.nearest_is_most_similar},
              {"monotone_to", criteria.monotone_to}}}};
  });
  return json_answer(page);
}

HttpAnswer post_self_attention(Service& service, const Call& call) {
  Fields fields(call.body);
  SelfAttentionExample example;
  if (fields.has("x")) {
    example = {matrix_field(fields, "x"), matrix_field(fields, "w_q"), matrix_field(fields, "w_k"),
               matrix_field(fields, "w_v")};
  }
  const int64_t seed = fields.integer("seed", 42, {0, INT64_MAX - 1});
  fields.reject_unknown_fields();
  Json page;
  service.compute(call.http, [&] {
    if (!example.x.defined()) example = self_attention_example(static_cast<uint64_t>(seed));
    const SelfAttentionSteps steps =
        self_attention_steps(example.x, example.w_q, example.w_k, example.w_v);
    page = {{"x", tensor_json(example.x)},         {"w_q", tensor_json(example.w_q)},
            {"w_k", tensor_json(example.w_k)},     {"w_v", tensor_json(example.w_v)},
            {"q", tensor_json(steps.q)},           {"k", tensor_json(steps.k)},
            {"v", tensor_json(steps.v)},           {"scores", tensor_json(steps.scores)},
            {"scaled", tensor_json(steps.scaled)}, {"weights", tensor_json(steps.weights)},
            {"output", tensor_json(steps.output)}, {"difference", steps.difference},
            {"dot_products", steps.dot_products},  {"parameters", steps.parameters}};
  });
  return json_answer(page);
}

}  // namespace heed::server

// POST /api/learn/query: one query against its keys, number by number, and the same by the engine.

#include <cmath>

#include "apps/server/fields.h"
#include "apps/server/json_text.h"
#include "apps/server/route.h"
#include "heed/attention/attention.h"

namespace heed::server {
namespace {

constexpr size_t kMaxCells = 1 << 14;

struct QueryRequest {
  std::vector<double> q;                          // [D]
  std::vector<std::vector<double>> keys, values;  // [S, D], [S, Dv]
  std::vector<bool> allowed;                      // [S]
  std::string score;
  double width = 1;
};

QueryRequest read_query(Fields& fields) {
  QueryRequest request;
  request.q = fields.numbers("q", kMaxCells);
  request.keys = fields.rows("keys", kMaxCells);
  request.values = fields.rows("values", kMaxCells);
  request.score = fields.one_of("score", "scaled_dot", {"scaled_dot", "dot", "gaussian"});
  request.width = fields.number("width", 1, {1e-9, 1e9});
  if (request.q.empty()) fields.refuse("q", "expected at least one number");
  if (request.keys.empty() || request.keys[0].size() != request.q.size()) {
    fields.refuse("keys", "expected at least one key, as wide as the query");
  }
  if (request.values.size() != request.keys.size()) {
    fields.refuse("values", "expected one value for each key");
  }
  request.allowed.assign(request.keys.size(), true);
  const nlohmann::json& allowed = fields.value("allowed");
  if (!allowed.is_null()) {
    const std::string expected = "expected true or false for each key";
    if (!allowed.is_array() || allowed.size() != request.keys.size()) {
      fields.refuse("allowed", expected);
    }
    for (size_t j = 0; j < allowed.size(); ++j) {
      if (!allowed[j].is_boolean()) fields.refuse("allowed", expected);
      request.allowed[j] = allowed[j].get<bool>();
    }
  }
  fields.reject_unknown_fields();
  return request;
}

Tensor matrix_of_rows(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return Tensor::from(all,
                      {static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())});
}

// y by the engine, [Dv].
Tensor by_engine(const QueryRequest& request) {
  const auto S = static_cast<int64_t>(request.keys.size());
  const auto D = static_cast<int64_t>(request.q.size());
  const Tensor k = matrix_of_rows(request.keys).reshape({S, 1, D});
  const Tensor v = matrix_of_rows(request.values);
  const Tensor q = Tensor::from(request.q, {1, 1, D});
  AttentionOptions options;
  if (request.score == "dot") options.score = Dot{};
  if (request.score == "gaussian") {
    options.score = Gaussian{Tensor::from(std::vector<double>{request.width}, {1})};
  }
  std::vector<double> bias;
  for (const bool is_allowed : request.allowed) bias.push_back(is_allowed ? 0 : -INFINITY);
  options.bias = Tensor::from(bias, {1, S});
  return attention(q, k, v.reshape({S, 1, v.dim(1)}), Rows::single(1), Rows::single(S), options)
      .value()
      .reshape({v.dim(1)});
}

// Every step of softmax(a(q, k)) v.
Json steps_json(const QueryRequest& request) {
  const size_t S = request.keys.size(), D = request.q.size(), width = request.values[0].size();
  const bool is_gaussian = request.score == "gaussian";
  const double scale = is_gaussian                     ? -0.5
                       : request.score == "scaled_dot" ? 1 / std::sqrt(static_cast<double>(D))
                                                       : 1;
  std::vector<std::vector<double>> products(S), contributions(S);
  std::vector<double> dots(S), scores(S), exponentials(S), weights(S), output(width);
  double max = -INFINITY, sum = 0;
  for (size_t j = 0; j < S; ++j) {
    for (size_t d = 0; d < D; ++d) {
      const double difference = (request.q[d] - request.keys[j][d]) / request.width;
      products[j].push_back(is_gaussian ? difference * difference
                                        : request.q[d] * request.keys[j][d]);
      dots[j] += products[j][d];
    }
    scores[j] = scale * dots[j];
    if (request.allowed[j]) max = std::max(max, scores[j]);
  }
  for (size_t j = 0; j < S; ++j) {
    exponentials[j] = request.allowed[j] ? std::exp(scores[j] - max) : 0;
    sum += exponentials[j];
  }
  Json masked = Json::array();
  for (size_t j = 0; j < S; ++j) {
    weights[j] = sum > 0 ? exponentials[j] / sum : 0;
    masked.push_back(request.allowed[j] ? number_json(scores[j]) : Json());
    for (size_t d = 0; d < width; ++d) {
      contributions[j].push_back(weights[j] * request.values[j][d]);
      output[d] += contributions[j][d];
    }
  }
  return {{"products", products},
          {"dots", dots},
          {"scale", scale},
          {"scores", scores},
          {"masked", masked},
          {"maximum", number_json(max)},
          {"exponentials", exponentials},
          {"sum", sum},
          {"weights", weights},
          {"contributions", contributions},
          {"output", output}};
}

}  // namespace

HttpAnswer post_query(Service& service, const Call& call) {
  Fields fields(call.body);
  const QueryRequest request = read_query(fields);
  Json page = steps_json(request);
  service.compute(call.http, [&] {
    const Tensor y = by_engine(request);
    double difference = 0;
    for (size_t d = 0; d < page["output"].size(); ++d) {
      difference =
          std::max(difference, std::abs(page["output"][d].get<double>() - y.data<double>()[d]));
    }
    page["engine_output"] = tensor_json(y);
    page["difference"] = difference;
  });
  return json_answer(page);
}

}  // namespace heed::server

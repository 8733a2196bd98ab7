// POST /api/regress: kernel regression (Nadaraya and Watson).

#include <cmath>

#include "apps/server/fields.h"
#include "apps/server/json_text.h"
#include "apps/server/route.h"
#include "heed/regression/bandwidth.h"
#include "heed/regression/kernel_regression.h"
#include "heed/textbook/kernel_curve.h"

namespace heed::server {
namespace {

constexpr size_t kMaxPoints = 4096;

Tensor column(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size()), 1});
}

Score kernel_of(const std::string& name, double width) {
  const Tensor one = Tensor::from(std::vector<double>{width}, {1});
  if (name == "boxcar") return Boxcar{one};
  if (name == "triangular") return Triangular{one};
  if (name == "epanechnikov") return Epanechnikov{one};
  if (name == "constant") return Constant{};
  return Gaussian{one};
}

EmptyRule empty_rule(const std::string& name) {
  if (name == "uniform") return EmptyRule::uniform;
  return name == "nearest" ? EmptyRule::nearest : EmptyRule::nan;
}

// The kernel from -3 to 3 widths.
Json curve_json(const std::string& kernel) {
  std::vector<double> places;
  for (int i = -60; i <= 60; ++i) places.push_back(i / 20.0);
  return {{"u", places}, {"k", tensor_json(kernel_curve(kernel_of(kernel, 1), places))}};
}

}  // namespace

HttpAnswer post_regress(Service& service, const Call& call) {
  Fields fields(call.body);
  const std::vector<double> x = fields.numbers("x", kMaxPoints);
  const std::vector<double> y = fields.numbers("y", kMaxPoints);
  const std::vector<double> query = fields.numbers("query", kMaxPoints);
  if (x.empty() || x.size() != y.size()) fields.refuse("y", "expected one number for each of x");
  if (query.empty()) fields.refuse("query", "expected at least one number");
  const std::string kernel = fields.one_of(
      "kernel", "gaussian", {"gaussian", "boxcar", "triangular", "epanechnikov", "constant"});
  const RegressionOptions rules{
      .empty = empty_rule(fields.one_of("empty", "nan", {"nan", "uniform", "nearest"}))};
  const nlohmann::json& given = fields.value("width");
  const bool is_auto = given.is_string() && given == "auto";
  double width = is_auto ? 1 : fields.number("width", 1, {1e-12, 1e12});
  const bool with_weights = fields.flag("weights", true);
  fields.reject_unknown_fields();
  if (is_auto && x.size() < 2) fields.refuse("width", "auto needs at least two observations");

  Json page;
  service.compute(call.http, [&] {
    const Tensor seen = column(x), answers = column(y), places = column(query);
    if (is_auto && kernel != "constant") {
      width = choose_bandwidth(seen, answers, kernel_of(kernel, 1)).widths[0];
    }
    RegressionOptions options = rules;
    options.kernel = kernel_of(kernel, width);
    page = {{"width", width},
            {"prediction", tensor_json(kernel_regression(places, seen, answers, options)
                                           .reshape({static_cast<int64_t>(query.size())}))}};
    if (with_weights) {
      page["weights"] = tensor_json(kernel_regression_weights(places, seen, options));
    }
    if (x.size() > 1) {
      page["error"] = number_json(leave_one_out_error(seen, answers, options.kernel));
    }
    page["curve"] = curve_json(kernel);
  });
  return json_answer(page);
}

}  // namespace heed::server

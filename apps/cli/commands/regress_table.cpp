#include "apps/cli/commands/regress_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/inputs/csv_table.h"
#include "apps/cli/inputs/score_options.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/options/overwriting.h"
#include "apps/cli/reports/report.h"
#include "apps/message.h"
#include "heed/base/error.h"
#include "heed/base/fail.h"
#include "heed/io/array.h"
#include "heed/io/atomic_file.h"
#include "heed/regression/bandwidth.h"

namespace heed::cli {
namespace {

constexpr int64_t kGridPoints = 100;         // for one coordinate, if nothing is asked for
constexpr int64_t kMaxGrid = 1'000'000;      // points in all
constexpr int64_t kMapPoints = 30;           // of a map, per column, if nothing is asked for
constexpr int64_t kMaxMap = 200;             // finer maps show no more
constexpr int64_t kDoublePairs = 2'000'000;  // below, double is fast enough

struct TableData {
  std::vector<std::string> x_names;
  std::string y_name;
  Tensor x;                          // [M, D]
  Tensor y;                          // [M, 1], or one-hot [M, C]
  std::vector<std::string> classes;  // empty for regression
  Tensor at;                         // [N, D]
  std::vector<int64_t> at_lines;     // of the file with them, if they are from one
};

Tensor one_hot(const CsvTable& table, size_t column, std::vector<std::string>& classes) {
  for (int64_t row = 0; row < table.rows(); ++row) {
    const std::string& label = table.cell(row, column);
    if (label.empty()) {
      fail("{}: row {} has no value in column '{}'", table.path(), row + 1, table.names()[column]);
    }
    if (std::find(classes.begin(), classes.end(), label) == classes.end()) {
      classes.push_back(label);
    }
  }
  std::sort(classes.begin(), classes.end());
  const auto C = static_cast<int64_t>(classes.size());
  if (C > 1000) {
    fail("{}: column '{}' has {} different values; is it a class?", table.path(),
         table.names()[column], C);
  }
  Tensor y = Tensor::zeros({table.rows(), C}, DType::f64);
  for (int64_t row = 0; row < table.rows(); ++row) {
    const auto at = std::lower_bound(classes.begin(), classes.end(), table.cell(row, column));
    y.data<double>()[row * C + (at - classes.begin())] = 1;
  }
  return y;
}

// Points at equal distances over the range of every coordinate.
Tensor grid_over(const Tensor& x, int64_t points) {
  const int64_t D = x.dim(1);
  double total = 1;
  for (int64_t c = 0; c < D; ++c) total *= static_cast<double>(points);
  if (total > static_cast<double>(kMaxGrid)) {
    fail("--grid {} with {} columns is {:.3g} points; at most {} are possible", points, D, total,
         kMaxGrid);
  }
  const auto N = static_cast<int64_t>(total);
  Tensor at = Tensor::empty({N, D}, DType::f64);
  for (int64_t c = 0; c < D; ++c) {
    double low = INFINITY;
    double high = -INFINITY;
    for (int64_t i = 0; i < x.dim(0); ++i) {
      low = std::min(low, x.data<double>()[i * D + c]);
      high = std::max(high, x.data<double>()[i * D + c]);
    }
    int64_t stride = 1;  // the last coordinate changes fastest
    for (int64_t later = c + 1; later < D; ++later) stride *= points;
    for (int64_t i = 0; i < N; ++i) {
      const auto step = static_cast<double>(i / stride % points);
      at.data<double>()[i * D + c] =
          points > 1 ? low + (high - low) * step / static_cast<double>(points - 1)
                     : (low + high) / 2;
    }
  }
  return at;
}

// Typed points: rows by ';', one number per column of --x. Of a single column, a list is enough.
Tensor typed_points(const std::string& text, const std::vector<std::string>& columns) {
  Tensor at = load_array(text, DType::f64).to(DType::f64).contiguous();
  const auto D = static_cast<int64_t>(columns.size());
  if (at.rank() == 1 || (D == 1 && at.rank() == 2 && at.dim(0) == 1)) {
    at = at.reshape(D == 1 ? Shape{at.size(), 1} : Shape{1, at.size()});
  }
  check(at.rank() == 2 && at.dim(1) == D,
        "--query is {}, --x has {} column{} ({}): expected {}, with ';' between points, as in "
        "--query '{}'",
        at.shape().text(), D, D == 1 ? "" : "s", fmt::join(columns, ", "),
        D == 1 ? "one number per point" : "a number for each of them, in this order",
        D == 1   ? "1;2"
        : D == 2 ? "1,2;3,4"
                 : "1,2,3;4,5,6");
  for (int64_t i = 0; i < at.size(); ++i) {
    const double number = std::as_const(at).data<double>()[i];
    check(std::isfinite(number), "--query: point {} has {}, which is not a number; leave it out",
          i / D + 1, number);
  }
  return at;
}

TableData load_table(const TableArguments& arguments) {
  const CsvTable table(arguments.data, encoding_of(arguments.encoding));
  TableData data;
  data.x_names = name_list("--x", arguments.x);
  data.y_name = arguments.y;
  data.x = table.numbers(data.x_names);
  const size_t y = table.column(arguments.y);
  check(std::find(data.x_names.begin(), data.x_names.end(), arguments.y) == data.x_names.end(),
        "'{}' is in --x and in --y; nothing explains itself", arguments.y);
  if (arguments.classes || !table.is_numeric(y)) {
    data.y = one_hot(table, y, data.classes);
  } else {
    try {
      data.y = table.numbers({arguments.y});
    } catch (const Error& error) {
      fail("{}; leave the row out, or read the column as classes with --classes", error.what());
    }
  }
  if (table.rows() < 2) {
    fail("{}: there is one row; a regression needs at least 2", table.path());
  }
  const int64_t D = data.x.dim(1);
  for (int64_t c = 0; c < D; ++c) {
    bool is_constant = true;
    for (int64_t i = 1; i < data.x.dim(0) && is_constant; ++i) {
      is_constant = std::as_const(data.x).data<double>()[i * D + c] ==
                    std::as_const(data.x).data<double>()[c];
    }
    if (is_constant) {
      fail(
          "{}: column '{}' is {} in every row: it cannot explain anything; "
          "leave it out of --x",
          table.path(), data.x_names[c], std::as_const(data.x).data<double>()[c]);
    }
  }
  if (!arguments.at.empty()) {
    const CsvTable places(arguments.at, encoding_of(arguments.encoding));
    data.at = places.numbers(data.x_names);
    for (int64_t row = 0; row < places.rows(); ++row) data.at_lines.push_back(places.line(row));
  } else if (!arguments.query.empty()) {
    data.at = typed_points(arguments.query, data.x_names);
  } else if (arguments.grid > 0 || D == 1) {
    data.at = grid_over(data.x, arguments.grid > 0 ? arguments.grid : kGridPoints);
  } else {
    data.at = data.x;
  }
  return data;
}

struct Fit {
  std::vector<double> widths;  // empty for the constant kernel
  bool is_chosen = false;
  Bandwidth cv;
  RegressionOptions options;
  Tensor answer;  // [N, C], float64
};

Tensor predict(const TableData& data, const Tensor& at, const RegressionOptions& options) {
  const bool is_small = at.dim(0) * data.x.dim(0) <= kDoublePairs;
  return scaled_kernel_regression(at, data.x, data.y, options, is_small ? DType::f64 : DType::f32);
}

// The rule "error" with a message that says where. Answers are NaN only where nothing is in reach.
void require_rows_in_reach(const TableArguments& arguments, const TableData& data,
                           const Tensor& answer) {
  const int64_t C = answer.dim(1);
  const int64_t D = data.at.dim(1);
  for (int64_t row = 0; row < answer.dim(0); ++row) {
    if (!std::isnan(answer.data<double>()[row * C])) continue;
    std::string where;
    if (!data.at_lines.empty()) {
      where = fmt::format("{}: line {}", arguments.at, data.at_lines[row]);
    }
    for (int64_t c = 0; where.empty() || (data.at_lines.empty() && c < D); ++c) {
      where += fmt::format("{}{} = {:.6g}", c > 0 ? ", " : "at ", data.x_names[c],
                           std::as_const(data.at).data<double>()[row * D + c]);
    }
    fail(
        "{}: no row of {} is in reach; use a larger --bandwidth, or --empty nearest, uniform or "
        "nan",
        where, arguments.data);
  }
}

Fit fit(const TableArguments& arguments, const TableData& data) {
  Fit result;
  ScoreArguments named;
  named.score = arguments.kernel;
  RegressionOptions options{make_score(named, DType::f64), arguments.empty};
  const int64_t D = data.x.dim(1);
  const bool has_width = arguments.kernel != "constant";
  if (has_width && arguments.bandwidth == "cv") {
    result.is_chosen = true;
    result.cv = choose_bandwidth(data.x, data.y, options.kernel);
    result.widths = result.cv.widths;
  } else if (has_width) {
    result.widths = number_list("--bandwidth", arguments.bandwidth);
    if (result.widths.size() != 1 && static_cast<int64_t>(result.widths.size()) != D) {
      fail("--bandwidth has {} numbers; --x has {} column{}: one width{}, or cv",
           result.widths.size(), D, D == 1 ? "" : "s", D == 1 ? "" : " for all or one for each");
    }
  }
  if (has_width) {
    const Tensor width = Tensor::from(result.widths, {static_cast<int64_t>(result.widths.size())});
    named.width = "1";
    options.kernel = std::visit(
        [&](auto score) -> Score {
          if constexpr (requires { score.width; }) score.width = width;
          return score;
        },
        options.kernel);
  }
  const bool is_strict = options.empty == EmptyRule::error;
  if (is_strict) options.empty = EmptyRule::nan;
  result.options = options;
  result.answer = predict(data, data.at, options);
  if (is_strict) require_rows_in_reach(arguments, data, result.answer);
  return result;
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::vector<std::string> header(const TableData& data) {
  std::vector<std::string> names = data.x_names;
  if (data.classes.empty()) {
    names.push_back(data.y_name);
    return names;
  }
  names.push_back(data.y_name);
  for (const std::string& label : data.classes) names.push_back("P(" + label + ")");
  return names;
}

size_t largest_column(const Fit& fitted, int64_t row) {
  const int64_t C = fitted.answer.dim(1);
  size_t best = 0;
  for (int64_t c = 1; c < C; ++c) {
    if (fitted.answer.data<double>()[row * C + c] >
        fitted.answer.data<double>()[row * C + static_cast<int64_t>(best)]) {
      best = static_cast<size_t>(c);
    }
  }
  return best;
}

std::vector<std::string> row_cells(const TableData& data, const Fit& fitted, int64_t row) {
  std::vector<std::string> cells;
  const int64_t D = data.x.dim(1);
  const int64_t C = fitted.answer.dim(1);
  for (int64_t c = 0; c < D; ++c) {
    cells.push_back(number_text(std::as_const(data.at).data<double>()[row * D + c]));
  }
  if (!data.classes.empty()) {
    const bool is_known = !std::isnan(fitted.answer.data<double>()[row * C]);
    cells.push_back(is_known ? data.classes[largest_column(fitted, row)] : "");
  }
  for (int64_t c = 0; c < C; ++c) {
    cells.push_back(number_text(fitted.answer.data<double>()[row * C + c]));
  }
  return cells;
}

Figure fit_picture(const TableArguments& arguments, const TableData& data, const Fit& fitted,
                   const std::string& title) {
  const int64_t C = fitted.answer.dim(1);
  if (data.x.dim(1) == 1) {
    // Typed points are few: they lie on a fit of its own.
    const bool is_typed = !arguments.query.empty();
    const Tensor at = is_typed ? grid_over(data.x, kGridPoints) : data.at;
    const Tensor answer = is_typed ? predict(data, at, fitted.options) : fitted.answer;
    std::vector<int64_t> order(static_cast<size_t>(at.dim(0)));
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return std::as_const(at).data<double>()[a] < std::as_const(at).data<double>()[b];
    });
    Figure figure({.title = title,
                   .x_label = data.x_names[0],
                   .y_label = data.classes.empty() ? data.y_name : "probability"});
    if (data.classes.empty()) figure.scatter(data.x, data.y, {.label = "data", .color = 1});
    for (int64_t c = 0; c < C; ++c) {
      std::vector<double> x;
      std::vector<double> f;
      for (const int64_t row : order) {
        x.push_back(std::as_const(at).data<double>()[row]);
        f.push_back(std::as_const(answer).data<double>()[row * C + c]);
      }
      const std::string label = data.classes.empty() ? "fit" : data.classes[c];
      const auto n = static_cast<int64_t>(x.size());
      figure.line(Tensor::from(x, {n}), Tensor::from(f, {n}),
                  {.label = label, .color = data.classes.empty() ? 0 : static_cast<int>(c)});
      if (!is_typed) continue;
      figure.scatter(data.at, fitted.answer.slice(1, c, c + 1).contiguous(),
                     {.label = data.classes.empty() ? "prediction" : "",
                      .color = data.classes.empty() ? 2 : static_cast<int>(c)});
    }
    return figure;
  }
  // More than one coordinate: what was predicted against what was seen, where both are known.
  Figure figure(
      {.title = title + ": predictions", .x_label = data.x_names[0], .y_label = data.y_name});
  figure.scatter(data.at.slice(1, 0, 1), fitted.answer.slice(1, 0, 1));
  return figure;
}

// The answers over the range of two columns as a map, the second column across; gray where no row
// is in reach. Of classes, the probability of the first.
Figure map_of(const TableArguments& arguments, const TableData& data, const Fit& fitted,
              const std::string& title) {
  const int64_t n = arguments.grid > 1 ? std::min(arguments.grid, kMaxMap) : kMapPoints;
  const Tensor at = grid_over(data.x, n);
  const Tensor answer = predict(data, at, fitted.options);
  const auto labels = [&](int64_t column) {
    std::vector<std::string> result;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = column == 0 ? i * n : i;
      result.push_back(fmt::format("{:.4g}", std::as_const(at).data<double>()[row * 2 + column]));
    }
    return result;
  };
  const std::string what =
      data.classes.empty() ? "" : fmt::format(": probability of {}", data.classes[0]);
  Figure figure({.title = title + what, .x_label = data.x_names[1], .y_label = data.x_names[0]});
  figure.heat_map(answer.slice(1, 0, 1).contiguous().reshape({n, n}),
                  {.row_labels = labels(0), .column_labels = labels(1)});
  return figure;
}

// One width in the line of the kernel, or a line for each column.
std::string widths_text(const TableData& data, const Fit& fitted) {
  if (fitted.widths.size() == 1) return fmt::format(", bandwidth {:.6g}", fitted.widths[0]);
  std::string text;
  for (size_t i = 0; i < fitted.widths.size(); ++i) {
    text += fmt::format("\nbandwidth {:.6g} of {}", fitted.widths[i], data.x_names[i]);
  }
  return text;
}

void print_fit(const TableArguments& arguments, const TableData& data, const Fit& fitted,
               const Figure& figure) {
  print_result("{}: {} rows; {} from {}\n", arguments.data, data.x.dim(0), data.y_name,
               arguments.x);
  print_result("kernel {}", arguments.kernel);
  print_result("{}", widths_text(data, fitted));
  print_result("\n");
  if (fitted.is_chosen) {
    print_result("bandwidth by leave-one-out cross-validation\n");
    double mean = 0;
    double variance = 0;
    const Tensor& y = data.y;
    const auto n = static_cast<double>(y.dim(0));
    for (int64_t c = 0; c < y.dim(1); ++c) {
      mean = 0;
      for (int64_t i = 0; i < y.dim(0); ++i) mean += y.data<double>()[i * y.dim(1) + c] / n;
      for (int64_t i = 0; i < y.dim(0); ++i) {
        variance += std::pow(y.data<double>()[i * y.dim(1) + c] - mean, 2) / n;
      }
    }
    print_result("left-out rows: mean squared error {:.6g}", fitted.cv.error);
    if (variance > 0) {
      print_result(", {:.1f} % of the variance explained", 100 * (1 - fitted.cv.error / variance));
    }
    print_result("\n");
  }
  fmt::print("\n{}\n", figure.terminal(stdout_terminal()));
  constexpr int64_t kShown = 10;
  const std::vector<std::string> names = header(data);
  const bool is_typed = !arguments.query.empty();  // every point was asked for
  const int64_t step = is_typed ? 1 : std::max<int64_t>(1, fitted.answer.dim(0) / kShown);
  for (const std::string& name : names) print_result("{:>14}", name.substr(0, 13));
  print_result("\n");
  for (int64_t row = 0; row < fitted.answer.dim(0); row += step) {
    for (const std::string& cell : row_cells(data, fitted, row)) {
      double value = 0;
      const bool is_number = std::sscanf(cell.c_str(), "%lf", &value) == 1;
      print_result("{:>14}", is_number ? fmt::format("{:.6g}", value) : cell.substr(0, 13));
    }
    print_result("\n");
  }
  if (step > 1) {
    print_result("every {}th of {} predictions; -o FILE writes them all\n", step,
                 fitted.answer.dim(0));
  }
}

void print_table_json(const TableArguments& arguments, const TableData& data, const Fit& fitted) {
  nlohmann::ordered_json page;
  page["rows"] = data.x.dim(0);
  page["kernel"] = arguments.kernel;
  page["x"] = data.x_names;
  page["y"] = data.y_name;
  page["bandwidth"] = fitted.widths;
  if (fitted.is_chosen) page["left_out_error"] = fitted.cv.error;
  if (!data.classes.empty()) page["classes"] = data.classes;
  page["at"] = to_json(data.at);
  page["output"] = to_json(fitted.answer);
  print_result("{}\n", page.dump());
}

}  // namespace

void regress_table(const TableArguments& arguments) {
  const TableData data = load_table(arguments);
  const Fit fitted = fit(arguments, data);
  const std::string title = fmt::format("{} regression of {}", arguments.kernel, data.y_name);
  const bool is_map = data.x.dim(1) == 2;
  const Figure figure =
      is_map ? map_of(arguments, data, fitted, title) : fit_picture(arguments, data, fitted, title);
  refuse_overwriting("-o", arguments.output, {arguments.data, arguments.at, arguments.query});
  if (!arguments.output.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (int64_t row = 0; row < fitted.answer.dim(0); ++row) {
      rows.push_back(row_cells(data, fitted, row));
    }
    write_csv_table(arguments.output, header(data), rows);
    say("wrote {}: {} predictions\n", arguments.output, rows.size());
  }
  if (!arguments.plot.empty()) {
    write_file(arguments.plot, figure.svg({.width = 640, .height = 440}));
    say("wrote {}\n", arguments.plot);
  }
  if (arguments.json) {
    print_table_json(arguments, data, fitted);
  } else if (arguments.output.empty()) {
    print_fit(arguments, data, fitted, figure);
  }
}

}  // namespace heed::cli

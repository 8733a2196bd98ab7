// heed regress: kernel regression on the columns of a CSV file, or on arrays.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/commands/regress_table.h"
#include "apps/cli/console/result.h"
#include "apps/cli/inputs/score_options.h"
#include "apps/cli/inputs/typed_array.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/options/overwriting.h"
#include "apps/cli/reports/report.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/io/array.h"
#include "heed/io/atomic_file.h"
#include "heed/regression/kernel_regression.h"

namespace heed::cli {
namespace {

struct RegressArguments {
  std::string data;
  std::string bandwidth;
  std::string at;
  std::string encoding = "utf-8";
  int64_t grid = 0;
  bool classes = false;
  std::string x;
  std::string y;
  std::string query;
  ScoreArguments kernel{.score = "gaussian"};
  std::string empty = "error";
  std::string dtype;
  std::string output;
  std::string weights;
  std::string figure;
  bool json = false;
  int threads = 0;
};

// Points as [n, D]. A list of numbers, which is how points on a line are typed, becomes a column:
// a vector always, a single row unless it is one point of `width` coordinates.
Tensor points(const char* option, const std::string& text, int64_t width) {
  Tensor array = load_array(text, DType::f64);
  const bool is_row = array.rank() == 2 && array.dim(0) == 1 && !is_npy_path(text);
  if (array.rank() == 1 || (is_row && array.dim(1) != width)) {
    array = array.reshape({array.size(), 1});
  }
  if (array.rank() != 2) {
    fail("{} is {}: expected [n, D], one point per row", option, array.text());
  }
  return array;
}

// A row with NaN or infinity would make every prediction NaN, or be left out in silence.
void require_numbers(const char* option, const Tensor& array) {
  const Tensor all = array.to(DType::f64).contiguous();
  for (int64_t i = 0; i < all.size(); ++i) {
    check(std::isfinite(std::as_const(all).data<double>()[i]),
          "{}: row {} has {}, which is not a number; leave the row out", option, i / all.dim(1) + 1,
          std::as_const(all).data<double>()[i]);
  }
}

struct RegressData {
  Tensor x;      // [M, D]
  Tensor y;      // [M, C]
  Tensor query;  // [N, D]
};

RegressData load_data(const RegressArguments& arguments) {
  RegressData data;
  data.x = points("--x", arguments.x, 1);
  data.y = points("--y", arguments.y, 1);
  data.query = points("--query", arguments.query, data.x.dim(1));
  const auto is_double = [](const std::string& text, const Tensor& array) {
    return is_npy_path(text) && array.dtype() == DType::f64;
  };
  const bool any = is_double(arguments.x, data.x) || is_double(arguments.y, data.y) ||
                   is_double(arguments.query, data.query);
  const bool wanted = arguments.dtype.empty() ? any : arguments.dtype == "float64";
  const DType type = wanted ? DType::f64 : DType::f32;
  data.x = converted("--x", data.x, type);
  data.y = converted("--y", data.y, type);
  data.query = converted("--query", data.query, type);
  require_numbers("--x", data.x);
  require_numbers("--y", data.y);
  require_numbers("--query", data.query);
  if (data.x.dim(0) != data.y.dim(0)) {
    fail("--x is {} and --y is {}: a row of y is needed for each row of x", data.x.shape().text(),
         data.y.shape().text());
  }
  if (data.x.dim(1) != data.query.dim(1)) {
    fail("--x is {} and --query is {}: they need the same number of coordinates",
         data.x.shape().text(), data.query.shape().text());
  }
  return data;
}

EmptyRule empty_rule(const std::string& name) {
  if (name == "uniform") return EmptyRule::uniform;
  if (name == "nearest") return EmptyRule::nearest;
  if (name == "nan") return EmptyRule::nan;
  return EmptyRule::error;
}

// The columns of a matrix as points over x; the x that belong to it need not be in order.
Figure fit_figure(const RegressData& data, const Tensor& answer, const std::string& title) {
  Figure figure({.title = title, .x_label = "x", .y_label = "y"});
  std::vector<int64_t> order(static_cast<size_t>(data.query.dim(0)));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  const Tensor at = data.query.to(DType::f64);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return at.data<double>()[a] < at.data<double>()[b];
  });
  const int64_t outputs = answer.dim(1);
  const Tensor values = answer.to(DType::f64).contiguous();
  for (int64_t column = 0; column < outputs; ++column) {
    std::vector<double> x;
    std::vector<double> f;
    for (const int64_t row : order) {
      x.push_back(at.data<double>()[row]);
      f.push_back(values.data<double>()[row * outputs + column]);
    }
    const std::string which = outputs > 1 ? fmt::format(" {}", column) : "";
    const auto color = static_cast<int>(column);
    figure.scatter(data.x, data.y.slice(1, column, column + 1),
                   {.label = "data" + which, .color = color});
    figure.line(Tensor::from(x, {data.query.dim(0)}), Tensor::from(f, {data.query.dim(0)}),
                {.label = "prediction" + which, .color = outputs > 1 ? color : 1});
  }
  return figure;
}

void print_answers(const RegressData& data, const Tensor& answer) {
  const TerminalOptions terminal = stdout_terminal();
  print_result("Predictions {}\n{}", answer.shape().text(),
               table(answer, {.row_name = "query", .width = terminal.width}));
  if (data.x.dim(1) == 1 && data.query.dim(0) > 1) {
    fmt::print("\n{}", fit_figure(data, answer, "").terminal(terminal));
  }
}

void regress_arrays(const RegressArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const std::vector<std::string> inputs{arguments.x, arguments.y, arguments.query};
  refuse_overwriting("-o", arguments.output, inputs);
  refuse_overwriting("--weights", arguments.weights, inputs);
  const RegressData data = load_data(arguments);
  RegressionOptions options;
  options.kernel = make_score(arguments.kernel, data.x.dtype());
  options.empty = empty_rule(arguments.empty);
  const Tensor answer = kernel_regression(data.query, data.x, data.y, options);
  const bool with_weights = !arguments.weights.empty() || arguments.json ||
                            (!arguments.figure.empty() && data.x.dim(1) > 1);
  const Tensor weights =
      with_weights ? kernel_regression_weights(data.query, data.x, options) : Tensor();
  if (!arguments.output.empty()) save_and_tell(arguments.output, answer);
  if (!arguments.weights.empty()) save_and_tell(arguments.weights, weights);
  if (!arguments.figure.empty()) {
    const std::string title = "Kernel regression, " + arguments.kernel.score;
    Figure figure({.title = title + ": weights", .x_label = "observation", .y_label = "query"});
    if (data.x.dim(1) == 1) {
      figure = fit_figure(data, answer, title);
    } else {
      figure.heat_map(weights, {.low = 0});
    }
    write_file(arguments.figure, figure.svg({.width = 640, .height = 440}));
    say("wrote {}\n", arguments.figure);
  }
  if (arguments.json) {
    nlohmann::ordered_json page;
    page["dtype"] = name(answer.dtype());
    page["output"] = to_json(answer);
    page["weights"] = to_json(weights);
    print_result("{}\n", page.dump());
  } else if (arguments.output.empty()) {
    print_answers(data, answer);
  }
}

void check_bandwidth(const std::string& text) {
  if (text.empty() || text == "cv") return;
  for (const double width : number_list("--bandwidth", text)) {
    check(width > 0 && std::isfinite(width),
          "--bandwidth: {} is not a width; give a number above 0, or cv to have it chosen", width);
  }
}

void check_table(const Command& command, const RegressArguments& arguments) {
  for (const char* name : {"--x", "--y"}) require_option(command, name);
  for (const char* name : {"--weights", "--dtype"}) {
    if (command.has(name)) {
      wrong_usage(fmt::format("{} is for arrays, and {} is a CSV file", name, arguments.data));
    }
  }
  std::vector<std::string> places;
  for (const char* name : {"--query", "--at", "--grid"}) {
    if (command.has(name)) places.emplace_back(name);
  }
  if (places.size() > 1) {
    wrong_usage(fmt::format("{} and {} exclude each other", places[0], places[1]));
  }
  if (!arguments.kernel.width.empty() && !arguments.bandwidth.empty()) {
    wrong_usage("--width and --bandwidth are the same; give one of them");
  }
  if (arguments.kernel.score == "constant" &&
      (!arguments.kernel.width.empty() || !arguments.bandwidth.empty())) {
    wrong_usage("the constant kernel has no bandwidth");
  }
  check_bandwidth(arguments.bandwidth);
  check_width(arguments.kernel);
  require_svg("--plot", arguments.figure);
}

// With arrays --bandwidth is another name of --width.
void check_arrays(const Command& command, RegressArguments& arguments) {
  for (const char* name : {"--at", "--grid", "--classes", "--encoding"}) {
    if (command.has(name)) wrong_usage(fmt::format("{} needs a CSV file", name));
  }
  if (arguments.bandwidth.empty()) return;
  if (arguments.bandwidth == "cv") wrong_usage("--bandwidth cv needs a CSV file");
  if (!arguments.kernel.width.empty()) {
    wrong_usage("--width and --bandwidth are the same; give one of them");
  }
  arguments.kernel.width = arguments.bandwidth;
}

TableArguments table_arguments(const RegressArguments& arguments) {
  TableArguments table;
  table.data = arguments.data;
  table.x = arguments.x;
  table.y = arguments.y;
  table.kernel = arguments.kernel.score;
  if (!arguments.bandwidth.empty()) table.bandwidth = arguments.bandwidth;
  if (!arguments.kernel.width.empty()) table.bandwidth = arguments.kernel.width;
  table.at = arguments.at;
  table.query = arguments.query;
  table.encoding = arguments.encoding;
  table.grid = arguments.grid;
  table.classes = arguments.classes;
  table.empty = empty_rule(arguments.empty);
  table.output = arguments.output;
  table.plot = arguments.figure;
  table.json = arguments.json;
  return table;
}

}  // namespace

void add_regress_command(CLI::App& app, Run& run) {
  Command command(app, "regress", "Kernel regression on a table or on arrays");
  auto arguments = std::make_shared<RegressArguments>();
  command.add_option("data", arguments->data, "A CSV file; --x and --y then name columns of it")
      .type_name("FILE");
  const auto array = [&](const char* name, std::string& slot, const char* help) {
    command.add_option(name, slot, help).type_name("ARRAY").group("Arrays");
  };
  array("--x", arguments->x, "Columns, as in a,b; or where data was seen, [M, D] (required)");
  array("--y", arguments->y,
        "A column, words are classes; or what was seen, [M, C]; one-hot rows give probabilities "
        "(required)");
  array("--query", arguments->query,
        "Where to predict, [N, D]: 6,12,18 of one column; 1,2;3,4 are two points of two");
  command.add_option("--at", arguments->at, "Where to predict: a CSV file with the columns of --x")
      .type_name("FILE")
      .group("Table");
  command
      .add_option("--grid", arguments->grid,
                  "Predict at N points per column of --x, over its range (default 100 for one "
                  "column, else at the data)")
      .type_name("N")
      .check(whole_number(1, 1000000))
      .group("Table");
  command.add_flag("--classes", arguments->classes, "Numbers in --y are classes too")
      .group("Table");
  command.add_option("--encoding", arguments->encoding, "Of the files: utf-8 (default) or latin1")
      .check(one_of({"utf-8", "latin1"}))
      .type_name("NAME")
      .group("Table");
  command
      .add_option("--bandwidth", arguments->bandwidth,
                  "cv (default for a table: by leave-one-out), one width, or one per column")
      .type_name("H")
      .group("Score");
  command
      .add_option("--dtype", arguments->dtype,
                  "float32 or float64 (default: float64 if a .npy file is, else float32)")
      .check(one_of({"float32", "float64"}))
      .type_name("TYPE")
      .group("Arrays");
  command
      .add_option("--kernel", arguments->kernel.score,
                  "gaussian (default), boxcar, triangular, epanechnikov or constant")
      .check(one_of({"gaussian", "boxcar", "triangular", "epanechnikov", "constant"}))
      .type_name("NAME")
      .group("Score");
  add_width_option(command, arguments->kernel);
  command
      .add_option(
          "--empty", arguments->empty,
          "Answer where no observation is in reach: error (default), uniform, nearest or nan")
      .check(one_of({"error", "uniform", "nearest", "nan"}))
      .type_name("RULE")
      .group("Score");
  const auto file = [&](const char* name, std::string& slot, const char* help) {
    command.add_option(name, slot, help).type_name("FILE").group("Results");
  };
  file("-o,--output", arguments->output, "Write the predictions here instead of printing them");
  file("--weights", arguments->weights, "Write the weights of the observations, [N, M]");
  file("--figure,--plot", arguments->figure,
       "Draw the fit (of arrays with D > 1: the weights) into this .svg file");
  command.add_flag("--json", arguments->json, "Print predictions and weights as JSON")
      .group("Results");
  command.add_option("-t,--threads", arguments->threads, "Threads (default: all cores)")
      .type_name("N")
      .check(whole_number(1, 1024))
      .group("Results");
  command.footer(
      "With a CSV file, columns are scaled in double before anything is computed.\n"
      "Without one, ARRAY is a .npy or .csv file or typed numbers, as in 1,2;3,4.\n"
      "Example:\n"
      "  heed regress data.csv --x a,b --y c --bandwidth cv --grid 50 --plot fit.svg\n"
      "  heed regress data.csv --x a,b --y c --query '1,2;3,4'\n"
      "  heed regress --x 0,1,2,3 --y 0,1,4,9 --query 0.5,1.5,2.5 --width 0.5");
  command.callback([&run, command, arguments] {
    if (!arguments->data.empty()) {
      check_table(command, *arguments);
      run = [arguments] {
        if (arguments->threads > 0) set_threads(arguments->threads);
        regress_table(table_arguments(*arguments));
      };
      return;
    }
    check_arrays(command, *arguments);
    for (const char* name : {"--x", "--y", "--query"}) require_option(command, name);
    if (arguments->kernel.score == "constant" && !arguments->kernel.width.empty()) {
      wrong_usage("the constant kernel has no --width");
    }
    check_width(arguments->kernel);
    require_svg("--figure", arguments->figure);
    run = [arguments] { regress_arrays(*arguments); };
  });
}

}  // namespace heed::cli

#include "apps/cli/demos/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/cli/reports/report.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/figure/label.h"
#include "heed/io/atomic_file.h"

namespace heed::cli {
namespace {

constexpr int kTextWidth = 80;
constexpr int64_t kMaxRows = 24;

std::string wrapped(const std::string& text, const std::string& indent = "") {
  std::istringstream words(text);
  std::string result;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > kTextWidth) {
      result += line + "\n";
      line.clear();
    }
    line += line.empty() ? (result.empty() ? "" : indent) + word : " " + word;
  }
  return result + line + "\n";
}

std::string number_text(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (value == std::round(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}g}", value, digits);
}

// Whether a column has few digits over a wide range, such as 0.1, 1, 10, 1000: fixed decimals would
// only be zeros.
bool are_short(const Tensor& matrix, int64_t column) {
  double smallest = INFINITY;
  double largest = 0;
  for (int64_t row = 0; row < matrix.dim(0); ++row) {
    const double x = matrix.data<double>()[row * matrix.dim(1) + column];
    if (!std::isfinite(x) || x == 0) continue;
    if (std::stod(fmt::format("{:.3g}", x)) != x) return false;
    smallest = std::min(smallest, std::abs(x));
    largest = std::max(largest, std::abs(x));
  }
  return largest >= 1000 * smallest;
}

// The numbers of one column look alike: whole, with fixed decimals, or, where many of them are too
// small for that, with an exponent.
std::vector<std::string> column_texts(const Tensor& matrix, int64_t column, int digits) {
  const int64_t columns = matrix.dim(1);
  double largest = 0;
  bool is_whole = true;
  int64_t small = 0;
  int64_t all = 0;
  for (int64_t row = 0; row < matrix.dim(0); ++row) {
    const double x = std::abs(matrix.data<double>()[row * columns + column]);
    if (!std::isfinite(x)) continue;
    largest = std::max(largest, x);
    is_whole = is_whole && x == std::round(x);
    all += x != 0 ? 1 : 0;
    small += x != 0 && x < 0.5 * std::pow(10.0, -digits) ? 1 : 0;
  }
  const bool is_fixed = largest < 1e6 && 3 * small <= all;
  const bool is_short = are_short(matrix, column);
  std::vector<std::string> texts;
  for (int64_t row = 0; row < matrix.dim(0); ++row) {
    const double x = matrix.data<double>()[row * columns + column];
    if (std::isnan(x)) {
      texts.emplace_back("-");
    } else if (std::isinf(x)) {
      texts.emplace_back(x > 0 ? "inf" : "-inf");
    } else if (x == 0) {
      texts.emplace_back("0");  // exactly, as of a masked key
    } else if (is_whole && (largest < 1e12 || std::abs(x) < 1e6)) {
      texts.push_back(fmt::format("{:.0f}", x));
    } else if (is_short) {
      texts.push_back(fmt::format("{:g}", x));
    } else {
      const bool is_seen = std::abs(x) >= 0.5 * std::pow(10.0, -digits);  // not as 0.0000
      texts.push_back(is_fixed && is_seen ? fmt::format("{:.{}f}", x, digits)
                                          : fmt::format("{:.{}g}", x, digits));
    }
  }
  return texts;
}

}  // namespace

Tensor numbers(const std::vector<double>& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

Lesson::Lesson(LessonOutput output, const std::string& name, const std::string& about,
               const std::string& requirements)
    : output_(std::move(output)), name_(name), page_(std::make_unique<nlohmann::ordered_json>()) {
  (*page_)["demo"] = name;
  (*page_)["about"] = about;
  (*page_)["requirements"] = requirements;
  if (!output_.json) fmt::print("{} ({})\n", about, requirements);
}

Lesson::~Lesson() = default;

void Lesson::gap() {
  if (after_number_) fmt::print("\n");
  after_number_ = false;
}

void Lesson::formula(const std::string& text) {
  (*page_)["formula"].push_back(text);
  if (output_.json) return;
  gap();
  fmt::print("\n");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) fmt::print("    {}\n", line);
  fmt::print("\n");
}

void Lesson::say(const std::string& text) {
  if (output_.json) return;
  gap();
  fmt::print("{}\n", wrapped(text));
}

void Lesson::number(const std::string& key, const std::string& label, double value, int digits) {
  (*page_)["numbers"][key] =
      std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  if (output_.json) return;
  fmt::print("  {} {}\n", pad(label, std::max(46, columns_of(label)), Align::left),
             number_text(value, digits));
  after_number_ = true;
}

void Lesson::fact(const std::string& key, const std::string& label, bool value) {
  (*page_)["numbers"][key] = value;
  if (output_.json) return;
  fmt::print("  {} {}\n", pad(label, std::max(46, columns_of(label)), Align::left),
             value ? "yes" : "no");
  after_number_ = true;
}

void Lesson::table(const std::string& key, const std::string& title, const Tensor& values,
                   const Labels& labels, int digits) {
  (*page_)["numbers"][key] = to_json(values);
  auto& names = (*page_)["tables"][key];
  names["title"] = title;
  if (!labels.rows.empty()) names["rows"] = labels.rows;
  if (!labels.columns.empty()) names["columns"] = labels.columns;
  if (output_.json) return;
  gap();
  const bool is_vector = values.rank() == 1;
  const Tensor matrix =
      (is_vector ? values.reshape({1, values.dim(0)}) : values).to(DType::f64).contiguous();
  const int64_t rows = std::min(matrix.dim(0), kMaxRows);
  const int64_t columns = matrix.dim(1);
  size_t width = 0;
  std::vector<std::vector<std::string>> cells;  // by column
  for (int64_t column = 0; column < columns; ++column) {
    cells.push_back(column_texts(matrix.slice(0, 0, rows).contiguous(), column, digits));
    for (const std::string& text : cells.back()) width = std::max(width, text.size());
  }
  for (const std::string& label : labels.columns) {
    width = std::max(width, static_cast<size_t>(columns_of(label)));
  }
  int head = 0;
  const auto row_label = [&](int64_t row) {
    if (!labels.rows.empty()) return labels.rows[row];
    return is_vector ? std::string() : std::to_string(row + 1);
  };
  for (int64_t row = 0; row < rows; ++row) head = std::max(head, columns_of(row_label(row)));
  const int64_t fitting = std::max<int64_t>(
      1, (stdout_terminal().width - head - 2) / (static_cast<int64_t>(width) + 2));
  const int64_t shown = std::min(columns, fitting);
  fmt::print("{}\n", title);
  if (!labels.columns.empty()) {
    std::string line = "  " + std::string(static_cast<size_t>(head), ' ');
    for (int64_t column = 0; column < shown; ++column) {
      line += "  " + pad(labels.columns[column], static_cast<int>(width), Align::right);
    }
    fmt::print("{}\n", line);
  }
  for (int64_t row = 0; row < rows; ++row) {
    std::string line = "  " + pad(row_label(row), head, Align::left);
    for (int64_t column = 0; column < shown; ++column) {
      line += fmt::format("  {:>{}}", cells[column][row], width);
    }
    fmt::print("{}\n", line);
  }
  if (rows < matrix.dim(0) || shown < columns) {
    fmt::print("  (the first {} of {} rows, {} of {} columns)\n", rows, matrix.dim(0), shown,
               columns);
  }
  fmt::print("\n");
}

void Lesson::erratum(int number, const std::string& text) {
  (*page_)["errata"].push_back({{"number", number}, {"text", text}});
  if (output_.json) return;
  gap();
  fmt::print("{}\n", wrapped(fmt::format("Erratum {}: {}", number, text)));
}

void Lesson::figure(const std::string& name, const Figure& figure) {
  if (!output_.json) {
    gap();
    fmt::print("{}\n", figure.terminal(stdout_terminal()));
  }
  if (!output_.folder.empty()) write(name, figure.svg({.width = 560, .height = 380}));
}

void Lesson::figures(const std::string& name, const std::string& title,
                     const std::vector<Figure>& panels, int columns, bool same_axes, int shown) {
  if (panels.size() == 1) {
    figure(name, panels.front());
    return;
  }
  FigureGrid grid({.title = title, .columns = columns, .same_axes = same_axes});
  for (const Figure& panel : panels) grid.add(panel);
  if (!output_.json) {
    gap();
    TerminalOptions terminal = stdout_terminal();
    terminal.height = shown >= 0 ? 14 : (panels.size() > 4 ? 7 : 10);
    fmt::print("{}\n", shown < 0 ? grid.terminal(terminal) : panels[shown].terminal(terminal));
    if (shown >= 0) say(fmt::format("-o DIR draws all {} panels.", panels.size()));
  }
  if (!output_.folder.empty()) write(name, grid.svg({.width = 400, .height = 300}));
}

void Lesson::picture(const std::string& name, const std::string& svg) {
  if (!output_.folder.empty()) write(name, svg);
}

void Lesson::write(const std::string& name, const std::string& svg) {
  std::error_code error;
  std::filesystem::create_directories(output_.folder, error);
  if (error) {
    fail("-o {}: cannot make this folder: {}", output_.folder, error.message());
  }
  const std::string file = name.empty() ? name_ + ".svg" : name_ + "-" + name + ".svg";
  const std::string path = (std::filesystem::path(output_.folder) / file).string();
  write_file(path, svg);
  files_.push_back(path);
}

void Lesson::finish() {
  if (!files_.empty()) (*page_)["files"] = files_;
  if (output_.json) {
    fmt::print("{}\n", page_->dump());
    return;
  }
  for (const std::string& file : files_) heed::say("wrote {}\n", file);
}

}  // namespace heed::cli

#include "apps/cli/reports/bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>
#include <nlohmann/json.hpp>

namespace heed::cli {
namespace {

bool ends_with_bytes(std::string_view field) {
  return field == "bytes" || field.ends_with("_bytes");
}

// What the name of a row says already.
bool is_in_name(std::string_view field) {
  return field == "length" || field == "causal" || field == "backward";
}

std::string header_of(const std::string& field) {
  return ends_with_bytes(field) ? field.substr(0, field.size() - 5) + "MB" : field;
}

// Times and small rates need more digits than large ones.
int decimals_of(std::string_view field) {
  if (field.ends_with("ms") || field == "gpairs") return 3;
  return field.starts_with("of_") || field == "causal_ratio" ? 2 : 1;
}

std::string cell_of(const bench::Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) return *text;
  if (const auto* number = std::get_if<double>(&field.value)) {
    return fmt::format("{:.{}f}", *number, decimals_of(field.name));
  }
  if (const auto* whole = std::get_if<int64_t>(&field.value)) {
    if (!ends_with_bytes(field.name)) return fmt::format("{}", *whole);
    return fmt::format("{:.1f}", static_cast<double>(*whole) / 1e6);
  }
  return "";
}

using Column = std::vector<std::string>;  // a header and a cell per row

bool has_cells(const Column& column) {
  return std::any_of(column.begin() + 1, column.end(),
                     [](const std::string& cell) { return !cell.empty(); });
}

std::vector<Column> report_columns(const bench::Report& report) {
  std::vector<Column> columns;
  for (const bench::Row& row : report.rows) {
    const std::vector<bench::Field> fields = bench::fields(row, report.ceilings);
    columns.resize(fields.size());
    for (size_t i = 0; i < fields.size(); ++i) {
      if (columns[i].empty()) columns[i].push_back(header_of(fields[i].name));
      columns[i].push_back(is_in_name(fields[i].name) ? "" : cell_of(fields[i]));
    }
  }
  std::erase_if(columns, [](const Column& column) { return !has_cells(column); });
  return columns;
}

size_t width_of(const Column& column) {
  size_t width = 0;
  for (const std::string& cell : column) width = std::max(width, cell.size());
  return width;
}

nlohmann::ordered_json value_of(const bench::Field& field) {
  return std::visit(
      [](const auto& value) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return nullptr;
        } else {
          return value;
        }
      },
      field.value);
}

}  // namespace

std::string bench_table(const bench::Report& report) {
  std::string text =
      fmt::format("{} thread{}, {}", report.threads, report.threads == 1 ? "" : "s", report.isa);
  if (report.ceilings.peak_gflops > 0) {
    text += fmt::format("; peak {:.1f} GFLOP/s, bandwidth {:.1f} GB/s", report.ceilings.peak_gflops,
                        report.ceilings.bandwidth_gbs);
  }
  text += "\n\n";
  const std::vector<Column> columns = report_columns(report);
  for (size_t line = 0; line <= report.rows.size(); ++line) {
    std::string written;
    for (const Column& column : columns) {
      const size_t width = width_of(column);
      written += written.empty() ? fmt::format("{:<{}}", column[line], width)
                                 : fmt::format("  {:>{}}", column[line], width);
    }
    text += written.substr(0, written.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const bench::Report& report) {
  const auto measured = [](double value) {
    return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json page;
  page["threads"] = report.threads;
  page["isa"] = report.isa;
  page["peak_gflops"] = measured(report.ceilings.peak_gflops);
  page["bandwidth_gbs"] = measured(report.ceilings.bandwidth_gbs);
  page["rows"] = nlohmann::ordered_json::array();
  for (const bench::Row& row : report.rows) {
    nlohmann::ordered_json line;
    for (const bench::Field& field : bench::fields(row, report.ceilings)) {
      if (field.is_known()) line[field.name] = value_of(field);
    }
    page["rows"].push_back(line);
  }
  return page;
}

nlohmann::ordered_json to_json(const bench::MemoryReport& report) {
  return {{"length", report.length},
          {"causal", report.causal},
          {"inputs_bytes", report.inputs_bytes},
          {"outputs_bytes", report.outputs_bytes},
          {"growth_bytes", report.growth_bytes}};
}

}  // namespace heed::cli

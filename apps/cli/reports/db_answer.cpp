#include "apps/cli/reports/db_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "apps/cli/reports/report.h"
#include "heed/database/text_key.h"
#include "heed/figure/label.h"

namespace heed::cli {
namespace {

constexpr int64_t kMaxKeyNumbers = 8;  // of a key or a value

// A vector as in "(1, 0.5)", a single number without parentheses.
std::string vector_cell(const Tensor& numbers, int64_t max_count) {
  const std::string text = numbers_text(numbers, max_count);
  return numbers.size() == 1 ? text : "(" + text + ")";
}

// The lines of a table whose columns are aligned at the left.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<int> widths(rows.front().size());
  for (const std::vector<std::string>& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], columns_of(row[c]));
  }
  std::vector<std::string> lines;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line += "  " + (c + 1 < row.size() ? pad(row[c], widths[c], Align::left) : row[c]);
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<int64_t> entries_of(const DatabaseAnswer& answer, int64_t row) {
  const int64_t top = answer.top_entries.dim(1);
  const int64_t* first = std::as_const(answer.top_entries).data<int64_t>() + row * top;
  return {first, std::find(first, first + top, -1)};
}

}  // namespace

bool has_text_keys(const Database& database) {
  if (!database.shape().has_names || database.size() == 0) return false;
  const Tensor key = database.key(0);
  const Tensor text = text_key(database.name(0), database.shape().key_width);
  const float* numbers = text.data<float>();
  return std::equal(numbers, numbers + text.size(), std::as_const(key).data<float>());
}

std::string numbers_text(const Tensor& numbers, int64_t max_count) {
  std::string text;
  for (int64_t d = 0; d < std::min(numbers.size(), max_count); ++d) {
    text += fmt::format("{}{:.6g}", d > 0 ? ", " : "", std::as_const(numbers).data<float>()[d]);
  }
  return text + (numbers.size() > max_count ? ", .." : "");
}

std::string named_entries(const Database& database, const DatabaseAnswer& answer, int64_t row,
                          int width) {
  const std::vector<int64_t> entries = entries_of(answer, row);
  if (entries.empty()) return {};
  const bool has_names = database.shape().has_names;
  const bool has_keys = !has_text_keys(database);
  const float* weights =
      std::as_const(answer.top_weights).data<float>() + row * answer.top_weights.dim(1);
  const auto lines_with = [&](int64_t max_count) {
    std::vector<std::vector<std::string>> rows{{"weight", "entry"}};
    if (has_names) rows[0].emplace_back("name");
    if (has_keys) rows[0].emplace_back("key");
    rows[0].emplace_back("value");
    for (size_t i = 0; i < entries.size(); ++i) {
      std::vector<std::string> cells{fmt::format("{:.6f}", weights[i]),
                                     fmt::format("{}", entries[i] + 1)};
      if (has_names) cells.push_back(fit_columns(database.name(entries[i]), 30));
      if (has_keys) cells.push_back(vector_cell(database.key(entries[i]), max_count));
      cells.push_back(vector_cell(database.value(entries[i]), max_count));
      rows.push_back(cells);
    }
    return aligned(rows);
  };
  std::vector<std::string> lines;
  for (int64_t max_count = kMaxKeyNumbers; max_count > 0; --max_count) {
    lines = lines_with(max_count);
    const bool fits = std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return columns_of(line) <= width;
    });
    if (fits) break;
  }
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

void add_named_entries(const Database& database, const DatabaseAnswer& answer,
                       nlohmann::ordered_json& page) {
  const bool has_keys = !has_text_keys(database);
  using Json = nlohmann::ordered_json;
  Json entries = Json::array(), keys = Json::array(), values = Json::array();
  Json weights = Json::array(), names = Json::array();
  const Json all_weights = to_json(answer.top_weights);
  for (int64_t row = 0; row < answer.top_entries.dim(0); ++row) {
    Json its_entries = Json::array(), its_weights = Json::array();
    Json its_keys = Json::array(), its_values = Json::array();
    for (const int64_t entry : entries_of(answer, row)) {
      its_weights.push_back(all_weights[row][its_entries.size()]);
      its_entries.push_back(entry + 1);
      its_keys.push_back(to_json(database.key(entry)));
      its_values.push_back(to_json(database.value(entry)));
      names.push_back(database.name(entry));
    }
    entries.push_back(std::move(its_entries));
    weights.push_back(std::move(its_weights));
    keys.push_back(std::move(its_keys));
    values.push_back(std::move(its_values));
  }
  page["entries"] = std::move(entries);
  page["weights"] = std::move(weights);
  if (has_keys) page["keys"] = std::move(keys);
  page["values"] = std::move(values);
  if (database.shape().has_names) page["names"] = std::move(names);
}

}  // namespace heed::cli

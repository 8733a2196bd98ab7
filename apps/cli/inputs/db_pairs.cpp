#include "apps/cli/inputs/db_pairs.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/inputs/csv_table.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/data/line_reader.h"
#include "heed/database/text_key.h"
#include "heed/io/array.h"

namespace heed::cli {
namespace {

Tensor keys_of_names(const std::vector<std::string>& names) {
  Tensor keys = Tensor::empty({static_cast<int64_t>(names.size()), kTextKeyWidth});
  for (size_t i = 0; i < names.size(); ++i) {
    const auto row = static_cast<int64_t>(i);
    keys.slice(0, row, row + 1).copy_from(text_key(names[i]).reshape({1, kTextKeyWidth}));
  }
  return keys;
}

Pairs from_csv(const PairArguments& arguments) {
  const CsvTable table(arguments.file, encoding_of(arguments.encoding));
  if (arguments.value_columns.empty()) {
    wrong_usage("a CSV file needs --value, and --key or --name, with names of columns");
  }
  Pairs pairs;
  pairs.values = table.numbers(name_list("--value", arguments.value_columns));
  if (!arguments.name_column.empty()) {
    const size_t column = table.column(arguments.name_column);
    for (int64_t row = 0; row < table.rows(); ++row) pairs.names.push_back(table.cell(row, column));
  }
  if (!arguments.key_columns.empty()) {
    pairs.keys = table.numbers(name_list("--key", arguments.key_columns));
  } else if (!pairs.names.empty()) {
    pairs.keys = keys_of_names(pairs.names);
  } else {
    wrong_usage("a CSV file needs --key or --name with names of columns");
  }
  return pairs;
}

// A number or a list of numbers, appended to `row`.
void add_numbers(const nlohmann::json& field, const std::string& where, std::vector<double>& row) {
  const auto one = [&](const nlohmann::json& number) {
    if (!number.is_number() || !std::isfinite(number.get<double>())) {
      fail("{}: not a number or a list of numbers", where);
    }
    row.push_back(number.get<double>());
  };
  if (!field.is_array()) return one(field);
  for (const nlohmann::json& number : field) one(number);
}

struct Matrix {
  std::vector<double> numbers;
  int64_t rows = 0;
  size_t width = 0;

  void add(const std::vector<double>& row, const std::string& where) {
    if (rows == 0) width = row.size();
    if (row.empty() || row.size() != width) {
      fail("{}: {} numbers, the lines before have {}", where, row.size(), width);
    }
    numbers.insert(numbers.end(), row.begin(), row.end());
    ++rows;
  }
  Tensor tensor() const {
    return Tensor::from(numbers, {rows, static_cast<int64_t>(width)}).to(DType::f32);
  }
};

// One object per line: {"key": [1, 2] or "text", "value": 3 or [3, 4], "name": "text"}.
Pairs from_json_lines(const std::string& path, Encoding encoding) {
  LineReader reader(path, {.encoding = encoding});
  Matrix keys;
  Matrix values;
  Pairs pairs;
  bool are_texts = false;
  int64_t number = 0;
  while (const auto line = reader.next()) {
    ++number;
    if (line->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string where = fmt::format("{}: line {}", path, number);
    const nlohmann::json object = nlohmann::json::parse(*line, nullptr, false);
    if (!object.is_object() || !object.contains("key") || !object.contains("value")) {
      fail("{}: expected an object with \"key\" and \"value\"", where);
    }
    std::vector<double> value;
    add_numbers(object["value"], where + ": value", value);
    values.add(value, where + ": value");
    const bool is_text = object["key"].is_string();
    if (values.rows > 1 && is_text != are_texts) {
      fail("{}: keys are either all texts or all numbers", where);
    }
    are_texts = is_text;
    if (is_text) {
      pairs.names.push_back(object["key"].get<std::string>());
      continue;
    }
    std::vector<double> key;
    add_numbers(object["key"], where + ": key", key);
    keys.add(key, where + ": key");
    if (object.contains("name")) {
      if (!object["name"].is_string()) fail("{}: name: not a text", where);
      pairs.names.push_back(object["name"].get<std::string>());
    }
  }
  if (values.rows == 0) fail("{}: there are no pairs in it", path);
  pairs.values = values.tensor();
  pairs.keys = are_texts ? keys_of_names(pairs.names) : keys.tensor();
  if (!pairs.names.empty() && static_cast<int64_t>(pairs.names.size()) != values.rows) {
    fail("{}: {} of {} pairs have a name; all or none", path, pairs.names.size(), values.rows);
  }
  return pairs;
}

Tensor matrix(const char* option, const std::string& text) {
  Tensor array = load_array(text);
  if (array.rank() == 1) array = array.reshape({array.dim(0), 1});
  if (array.rank() != 2) {
    fail("{} is {}: expected one row per entry", option, array.text());
  }
  Tensor numbers = array.to(DType::f32).contiguous();
  for (int64_t i = 0; i < numbers.size(); ++i) {
    check(std::isfinite(std::as_const(numbers).data<float>()[i]),
          "{}: row {} has a number that is not finite", option, i / numbers.dim(1) + 1);
  }
  return numbers;
}

}  // namespace

Pairs load_pairs(const PairArguments& arguments) {
  if (arguments.file.empty()) {
    if (arguments.keys.empty() || arguments.values.empty()) {
      wrong_usage("give a file of pairs (.csv or .jsonl), or --keys and --values");
    }
    Pairs pairs{matrix("--keys", arguments.keys), matrix("--values", arguments.values), {}};
    if (pairs.keys.dim(0) != pairs.values.dim(0)) {
      fail("--keys has {} rows, --values {}; one value per key is needed", pairs.keys.dim(0),
           pairs.values.dim(0));
    }
    return pairs;
  }
  if (!arguments.keys.empty() || !arguments.values.empty()) {
    wrong_usage("--keys and --values are instead of a file of pairs");
  }
  const auto ends_with = [&](std::string_view ending) {
    return arguments.file.size() > ending.size() &&
           arguments.file.compare(arguments.file.size() - ending.size(), ending.size(), ending) ==
               0;
  };
  if (ends_with(".csv")) return from_csv(arguments);
  if (ends_with(".jsonl") || ends_with(".json")) {
    return from_json_lines(arguments.file, encoding_of(arguments.encoding));
  }
  fail("{}: pairs are in .csv or .jsonl files, or in --keys and --values", arguments.file);
}

}  // namespace heed::cli

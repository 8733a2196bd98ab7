// How demos read their options.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/error.h"
#include "heed/base/fail.h"
#include "heed/io/array.h"

namespace heed::cli {

Tensor matrix_option(const std::string& option, const std::string& text) {
  Tensor array;
  try {
    array = load_array(text, DType::f64).to(DType::f64);
  } catch (const Error& error) {
    fail("{}: {}", option, error.what());
  }
  if (array.rank() == 1) array = array.reshape({array.dim(0), 1});
  if (array.rank() != 2) {
    fail("{} is {}: expected a matrix", option, array.text());
  }
  return array;
}

std::string rows_text(const Tensor& rows) {
  constexpr int64_t kMax = 8;
  const int64_t D = rows.dim(1);
  std::string text;
  for (int64_t i = 0; i < std::min(rows.dim(0), kMax); ++i) {
    std::vector<double> row(rows.data<double>() + i * D, rows.data<double>() + (i + 1) * D);
    if (D > kMax) row.resize(kMax);
    const std::string numbers = fmt::format("{:.4g}", fmt::join(row, ", "));
    text += (i > 0 ? ", " : "") +
            (D == 1 ? numbers : fmt::format("({}{})", numbers, D > kMax ? ", .." : ""));
  }
  return text + (rows.dim(0) > kMax ? ", .." : "");
}

void check_pairs(const Tensor& q, const Tensor& k, const Tensor& v) {
  check(q.dim(1) == k.dim(1), "--q has {} numbers, the rows of --k have {}; they need the same",
        q.dim(1), k.dim(1));
  check(v.dim(0) == k.dim(0), "--v has {} rows, --k {}; one value per key is needed", v.dim(0),
        k.dim(0));
}

std::vector<int64_t> whole_list(const std::string& option, const std::string& text) {
  std::vector<int64_t> result;
  for (const double value : number_list(option, text)) {
    if (value != std::round(value) || std::abs(value) > 1e15) {
      wrong_usage(fmt::format("{}: {} is not a whole number", option, value));
    }
    result.push_back(static_cast<int64_t>(value));
  }
  return result;
}

std::vector<std::string> word_list(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> result;
  for (std::string word; words >> word;) result.push_back(word);
  return result;
}

std::vector<std::string> numbered(const std::string& name, int64_t count) {
  std::vector<std::string> result;
  for (int64_t i = 1; i <= count; ++i) {
    result.push_back(name.empty() ? std::to_string(i) : fmt::format("{} {}", name, i));
  }
  return result;
}

void add_seed(Command& command, uint64_t& seed) {
  command.add_option("-s,--seed", seed, fmt::format("Seed of what is drawn (default {})", seed))
      .type_name("N")
      .check(whole_number(0, int64_t{1} << 62));
}

}  // namespace heed::cli

// Kernel regression on the columns of a CSV file.
#pragma once

#include <string>

#include "heed/regression/kernel_regression.h"

namespace heed::cli {

struct TableArguments {
  std::string data;  // the CSV file
  std::string x, y;  // names of columns
  std::string kernel = "gaussian";
  std::string bandwidth = "cv";  // cv, one width, or one per column of x
  std::string at;                // CSV file with the columns of x
  std::string query;             // or points as they are typed, a number per column of x
  std::string encoding;          // of both files: utf-8 or latin1
  int64_t grid = 0;              // points per column of x, over its range
  bool classes = false;          // numbers in y are classes
  EmptyRule empty = EmptyRule::error;
  std::string output, plot;
  bool json = false;
};

void regress_table(const TableArguments& arguments);

}  // namespace heed::cli

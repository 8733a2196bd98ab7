// Pairs of keys and values for heed db, from CSV, JSON lines or arrays.
#pragma once

#include <string>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed::cli {

struct PairArguments {
  std::string file;                                     // .csv or .jsonl; or arrays:
  std::string keys, values;                             // .npy, .csv or typed
  std::string key_columns, value_columns, name_column;  // of a CSV file
  std::string encoding = "utf-8";                       // of the file; or latin1
};

struct Pairs {
  Tensor keys;    // [m, D]
  Tensor values;  // [m, Dv]
  std::vector<std::string> names;
};

Pairs load_pairs(const PairArguments& arguments);

}  // namespace heed::cli

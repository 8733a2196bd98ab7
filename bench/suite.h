// The suites of `heed bench`: lists of named cases, and how to run them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/effort.h"
#include "bench/row.h"
#include "heed/models/model.h"

namespace heed::bench {

struct Case {
  std::string name;
  std::function<Row(const Effort&)> run;  // everything but the name
};

using Suite = std::vector<Case>;

Suite gemm_suite();
Suite attention_suite();
Suite ops_suite();
Suite database_suite();
Suite train_suite();
// Of a given model, or of random weights.
// int8: the weights that are drawn where no model is given.
Suite decode_suite(const std::shared_ptr<const Model>& given = {}, bool int8 = false);
Suite translate_suite(const std::shared_ptr<const Model>& given = {}, bool int8 = false);

// The cases whose name contains `part`.
Suite cases_with(const Suite& suite, const std::string& part);

struct SuiteOptions {
  Effort effort = {};
  bool with_ceilings = true;                                   // without: no ratios to them
  std::function<void(const std::string& text)> progress = {};  // told what comes next
};

struct Report {
  int threads = 0;
  std::string isa = {};
  Ceilings ceilings = {};
  std::vector<Row> rows = {};
};

// Runs all cases. The ceilings are measured before and after them, and the better ones count.
Report run_suite(const Suite& suite, const SuiteOptions& options);

}  // namespace heed::bench

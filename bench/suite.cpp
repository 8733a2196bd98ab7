#include "bench/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "bench/ceilings.h"
#include "heed/base/parallel.h"
#include "heed/kernels/simd.h"
#include "heed/tensor/storage.h"

namespace heed::bench {
namespace {

void raise_ceilings(Ceilings& ceilings, const SuiteOptions& options) {
  if (!options.with_ceilings) return;
  if (options.progress) options.progress("peak and bandwidth");
  ceilings.peak_gflops = std::max(ceilings.peak_gflops, measure_peak(options.effort));
  ceilings.bandwidth_gbs = std::max(ceilings.bandwidth_gbs, measure_bandwidth(options.effort));
  pool_release_unused();
}

}  // namespace

Suite cases_with(const Suite& suite, const std::string& part) {
  Suite some;
  std::copy_if(suite.begin(), suite.end(), std::back_inserter(some),
               [&](const Case& one) { return one.name.find(part) != std::string::npos; });
  return some;
}

Report run_suite(const Suite& suite, const SuiteOptions& options) {
  Report report{.threads = threads(), .isa = kernels::isa_name()};
  raise_ceilings(report.ceilings, options);
  for (const Case& one : suite) {
    if (options.progress) {
      options.progress(fmt::format("{}/{} {}", report.rows.size() + 1, suite.size(), one.name));
    }
    Row row = one.run(options.effort);
    row.name = one.name;
    report.rows.push_back(row);
    pool_release_unused();
  }
  raise_ceilings(report.ceilings, options);
  return report;
}

}  // namespace heed::bench

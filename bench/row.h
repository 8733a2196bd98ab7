// One line of a benchmark: what was done and how long it took. Rates and ratios are derived.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/timing.h"

namespace heed::bench {

// What this machine can do at best, measured in the same run. 0: not measured.
struct Ceilings {
  double peak_gflops = 0;    // the best plain large float32 matrix product
  double bandwidth_gbs = 0;  // the best read of memory, 1 GB = 10^9 bytes
};

struct Row {
  std::string name = {};
  Timing timing = {};

  std::optional<double> flops =
      {};  // floating-point operations of one run, as the formula has them
  std::optional<double> bytes = {};   // bytes that one run has to read and write
  std::optional<double> pairs = {};   // pairs of query and key
  std::optional<double> tokens = {};  // tokens to predict, or written
  // The best read of memory between the runs of this row, in 10^9 bytes per second.
  std::optional<double> read_gbs = {};

  std::optional<int64_t> length = {};       // attention: queries and keys of the sequence
  std::optional<bool> causal = {};          // attention: with the causal mask
  std::optional<bool> backward = {};        // attention: forward and backward together
  std::optional<int64_t> extra_bytes = {};  // most memory in use beyond inputs and outputs
  std::optional<Timing> full = {};          // causal rows: the same without the mask, alternating
  std::optional<Timing> onednn = {};        // products: oneDNN's sgemm, alternating
  std::optional<Timing> exact = {};         // databases: the exact answer, alternating
  std::optional<int64_t> peak_rss_bytes = {};  // highest resident size of the process
};

// A named value of a row, as it is shown; std::monostate where a row has none.
struct Field {
  const char* name;
  std::variant<std::monostate, std::string, bool, int64_t, double> value;

  bool is_known() const { return !std::holds_alternative<std::monostate>(value); }
};

// The same fields in the same order for every row. name, ms and median_ms are always known:
//
//   ms           best time            median_ms     median time
//   gflops       flops / time         of_peak       gflops / peak
//   gbs          bytes / time         of_bandwidth  gbs / read_gbs, or / bandwidth without it
//   read_gbs     as in Row
//   gpairs       pairs / time, in 10^9 per second
//   tokens_per_s tokens / time
//   onednn_ms    its best time        of_onednn     its best time / ours
//   exact_ms     its best time        of_exact      its best time / ours
//   causal_ratio our best time / that of the same without the mask
//
// and bytes, length, causal, backward, extra_bytes and peak_rss_bytes as in Row. Rates are those of
// the best time.
std::vector<Field> fields(const Row& row, const Ceilings& ceilings);

}  // namespace heed::bench

#include "bench/row.h"

namespace heed::bench {
namespace {

// 10^9 per second, at the best time.
std::optional<double> giga_rate(const std::optional<double>& amount, const Timing& timing) {
  if (!amount) return std::nullopt;
  return *amount / timing.best_ms / 1e6;
}

std::optional<double> ratio(const std::optional<double>& rate, double ceiling) {
  if (!rate || ceiling <= 0) return std::nullopt;
  return *rate / ceiling;
}

template <typename T>
Field field(const char* name, const std::optional<T>& value) {
  return value ? Field{name, *value} : Field{name, {}};
}

}  // namespace

std::vector<Field> fields(const Row& row, const Ceilings& ceilings) {
  const std::optional<double> gflops = giga_rate(row.flops, row.timing);
  const std::optional<double> gbs = giga_rate(row.bytes, row.timing);
  std::optional<int64_t> bytes;
  if (row.bytes) bytes = static_cast<int64_t>(*row.bytes);
  std::optional<double> onednn_ms, of_onednn, exact_ms, of_exact, causal_ratio, tokens_per_s;
  if (row.onednn) {
    onednn_ms = row.onednn->best_ms;
    of_onednn = row.onednn->best_ms / row.timing.best_ms;
  }
  if (row.exact) {
    exact_ms = row.exact->best_ms;
    of_exact = row.exact->best_ms / row.timing.best_ms;
  }
  if (row.full) causal_ratio = row.timing.best_ms / row.full->best_ms;
  if (row.tokens) tokens_per_s = *row.tokens / row.timing.best_ms * 1e3;
  return {
      {"name", row.name},
      {"ms", row.timing.best_ms},
      {"median_ms", row.timing.median_ms},
      field("tokens_per_s", tokens_per_s),
      field("gflops", gflops),
      field("of_peak", ratio(gflops, ceilings.peak_gflops)),
      field("bytes", bytes),
      field("gbs", gbs),
      field("read_gbs", row.read_gbs),
      field("of_bandwidth", ratio(gbs, row.read_gbs.value_or(ceilings.bandwidth_gbs))),
      field("gpairs", giga_rate(row.pairs, row.timing)),
      field("onednn_ms", onednn_ms),
      field("of_onednn", of_onednn),
      field("exact_ms", exact_ms),
      field("of_exact", of_exact),
      field("length", row.length),
      field("causal", row.causal),
      field("backward", row.backward),
      field("extra_bytes", row.extra_bytes),
      field("causal_ratio", causal_ratio),
      field("peak_rss_bytes", row.peak_rss_bytes),
  };
}

}  // namespace heed::bench

#include "heed/tuning/preference_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/metrics/proportion.h"
#include "heed/tuning/small_loss_internal.h"

namespace heed {
namespace {

constexpr size_t kBins = 10;

// 1, 1/2 or 0: whether a is before b.
double before(double a, double b) { return a > b ? 1 : a == b ? 0.5 : 0; }

struct Bin {
  double sure = 0, came_true = 0, pairs = 0;
};

double correlation(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  if (x.size() < 2) return 0;
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mx) * (x[i] - mx);
    yy += (y[i] - my) * (y[i] - my);
    xy += (x[i] - mx) * (y[i] - my);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

}  // namespace

PreferenceReport preference_report(std::span<const double> scores, std::span<const int64_t> lengths,
                                   std::span<const int64_t> sizes) {
  require_as_many(lengths.size(), scores.size(), "preference_report: lengths");
  const auto total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  require_as_many(scores.size(), static_cast<size_t>(total), "preference_report: scores");
  PreferenceReport report;
  double right = 0, longer = 0, prefers_longer = 0;
  std::vector<double> by_score, by_length;
  Bin bins[kBins];
  size_t begin = 0;
  for (const int64_t size : sizes) {
    const size_t end = begin + static_cast<size_t>(size);
    for (size_t i = begin; i < end; ++i) {
      for (size_t j = i + 1; j < end; ++j) {
        const double margin = scores[i] - scores[j];
        const auto gap = static_cast<double>(lengths[i] - lengths[j]);
        ++report.pairs;
        right += before(scores[i], scores[j]);
        longer += before(gap, 0);
        prefers_longer += gap == 0 ? 0.5 : before(gap > 0 ? margin : -margin, 0);
        // The order of a pair must not decide the sign of a correlation: take both.
        for (const double sign : {1.0, -1.0}) {
          by_score.push_back(sign * margin);
          by_length.push_back(sign * gap);
        }
        const double sure = logistic(std::fabs(margin));
        Bin& bin = bins[std::min(static_cast<size_t>((sure - 0.5) * 2 * kBins), kBins - 1)];
        bin.sure += sure;
        bin.came_true += before(margin, 0);
        bin.pairs += 1;
      }
    }
    begin = end;
  }
  if (report.pairs == 0) return report;
  const auto n = static_cast<double>(report.pairs);
  report.accuracy = right / n;
  report.interval = Proportion{.correct = std::llround(right), .total = report.pairs}.interval();
  for (const Bin& bin : bins) report.calibration += std::fabs(bin.sure - bin.came_true) / n;
  report.longer = longer / n;
  report.length_bias = prefers_longer / n;
  report.length_correlation = correlation(by_score, by_length);
  return report;
}

}  // namespace heed

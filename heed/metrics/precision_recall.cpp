#include "heed/metrics/precision_recall.h"

namespace heed {

PrecisionRecall precision_recall(int64_t correct, int64_t found, int64_t expected) {
  const auto share = [&](int64_t all) {
    return all > 0 ? static_cast<double>(correct) / static_cast<double>(all) : 0.0;
  };
  const double precision = share(found);
  const double recall = share(expected);
  const double sum = precision + recall;
  return {precision, recall, sum > 0 ? 2 * precision * recall / sum : 0.0};
}

}  // namespace heed

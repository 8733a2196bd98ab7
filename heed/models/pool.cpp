#include "heed/base/fail.h"
#include "heed/models/pool_internal.h"
#include "heed/ops/gather.h"
#include "heed/ops/mean.h"

namespace heed {
namespace {

Tensor picked_rows(const Rows& rows, bool last) {
  std::vector<int64_t> picks;
  for (int64_t b = 0; b < rows.count(); ++b) {
    check(rows.length(b) > 0, "pool: sequence {} is empty", b);
    picks.push_back(last ? rows.end(b) - 1 : rows.begin(b));
  }
  return Tensor::from(picks, {rows.count()});
}

}  // namespace

Tensor last_rows(const Rows& rows) { return picked_rows(rows, true); }

Variable pool_rows(const Variable& x, const Rows& rows, Pool pool) {
  if (pool == Pool::mean) return sequence_mean(x, rows);
  return gather(x, picked_rows(rows, pool == Pool::last));
}

}  // namespace heed

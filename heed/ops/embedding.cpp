#include "heed/ops/embedding.h"

#include "heed/base/fail.h"
#include "heed/ops/gather_internal.h"

namespace heed {

Variable embedding(const Variable& table, const Tensor& ids) {
  check(table.value().defined() && table.value().rank() == 2,
        "embedding: the table must be [V, C], got {}", table.value());
  return gather_as("embedding", table, ids);
}

}  // namespace heed

#include "heed/ops/operand_checks.h"

namespace heed {
namespace {

template <typename T>
std::vector<int64_t> read(const T* ids, int64_t count, int64_t limit, const char* what,
                          int64_t ignored) {
  std::vector<int64_t> result(static_cast<size_t>(count));
  for (int64_t n = 0; n < count; ++n) {
    const int64_t id = ids[n];
    const bool skip = id == ignored;
    check(skip || (id >= 0 && id < limit), "{}: id {} at position {} is outside [0, {})", what, id,
          n, limit);
    result[n] = skip ? -1 : id;
  }
  return result;
}

}  // namespace

std::vector<int64_t> read_ids(const Tensor& ids, int64_t limit, const char* what, int64_t ignored) {
  check(
      ids.defined() && ids.rank() == 1 && (ids.dtype() == DType::i32 || ids.dtype() == DType::i64),
      "{}: ids must be int32 or int64 [N], got {}", what, ids);
  if (ids.dtype() == DType::i32) {
    return read(ids.data<int32_t>(), ids.dim(0), limit, what, ignored);
  }
  return read(ids.data<int64_t>(), ids.dim(0), limit, what, ignored);
}

}  // namespace heed

#include "heed/ops/pair_internal.h"

namespace heed {

Pair::Pair(const Tensor& first, const Tensor& second, const char* what)
    : a(first, what), b(second, what), repeated(first.shape() != second.shape()) {
  check(first.dtype() == second.dtype() && is_real(first.dtype()),
        "{}: the operands must both be float32 or both float64, got {} and {}", what, first,
        second);
  check(!repeated || (second.rank() == 1 && second.dim(0) == first.dim(-1)),
        "{}: the second operand must have the shape of the first or be a row [{}], got {} and {}",
        what, first.dim(-1), first, second);
}

}  // namespace heed

#include "heed/tensor/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/fail.h"

namespace heed {

Shape::Shape(std::span<const int64_t> sizes) {
  check(sizes.size() <= kMaxRank, "shape: at most {} axes, got {}", kMaxRank, sizes.size());
  int64_t total = 1;
  for (int64_t size : sizes) {
    check(size >= 0, "shape: sizes must not be negative, got [{}]", fmt::join(sizes, ", "));
    check(
        !__builtin_mul_overflow(total, size == 0 ? 1 : size, &total) && total < (int64_t{1} << 56),
        "shape: [{}] has too many elements", fmt::join(sizes, ", "));
    sizes_[rank_++] = size;
  }
}

int64_t Shape::size() const {
  int64_t total = 1;
  for (int64_t size : *this) total *= size;
  return total;
}

std::string Shape::text() const { return fmt::format("[{}]", fmt::join(begin(), end(), ", ")); }

bool Shape::operator==(const Shape& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

}  // namespace heed

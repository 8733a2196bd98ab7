// The sizes of a tensor's axes, outermost first. At most kMaxRank axes, no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "heed/base/export.h"

namespace heed {

class HEED_API Shape {
 public:
  static constexpr int kMaxRank = 6;

  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const int64_t> sizes);

  int rank() const { return rank_; }
  int64_t operator[](int axis) const { return sizes_[axis]; }
  int64_t& operator[](int axis) { return sizes_[axis]; }
  int64_t size() const;      // product of all axes; 1 for rank 0
  std::string text() const;  // "[2, 3]"

  const int64_t* begin() const { return sizes_.data(); }
  const int64_t* end() const { return sizes_.data() + rank_; }

  bool operator==(const Shape& other) const;

 private:
  std::array<int64_t, kMaxRank> sizes_{};
  int rank_ = 0;
};

}  // namespace heed

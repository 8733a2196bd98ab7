#include "heed/attention/mask.h"

#include <algorithm>
#include <utility>

#include "heed/base/fail.h"

namespace heed {
namespace {

// The narrower of two reaches, where kUnlimited is the widest.
int64_t narrower(int64_t a, int64_t b) {
  if (a == Mask::kUnlimited) return b;
  if (b == Mask::kUnlimited) return a;
  return std::min(a, b);
}

// A causal mask says where its queries stand, be it at 0; the others do if they have an offset.
bool has_place(const Mask& mask) {
  return mask.is_causal || mask.offset != 0 || !mask.offsets.empty();
}

void require_same_place(const Mask& a, const Mask& b) {
  check(a.offsets.empty() == b.offsets.empty(),
        "mask: one side has an offset for all sequences, the other offsets per sequence");
  check(a.offsets == b.offsets, "mask: the sides have different offsets per sequence");
  check(!a.offsets.empty() || a.offset == b.offset,
        "mask: the sides have different offsets, {} and {}", a.offset, b.offset);
}

}  // namespace

Mask Mask::causal(int64_t offset) {
  Mask mask;
  mask.is_causal = true;
  mask.offset = offset;
  return mask;
}

Mask Mask::window(int64_t left, int64_t right) {
  check(left >= kUnlimited && right >= kUnlimited,
        "mask: a window reaches 0 or more positions (or -1: all), got {},{}", left, right);
  Mask mask;
  mask.left = left;
  mask.right = right;
  return mask;
}

Mask Mask::exclude_self() {
  Mask mask;
  mask.excludes_self = true;
  return mask;
}

Mask Mask::key_lengths(Tensor lengths) {
  Mask mask;
  mask.lengths = std::move(lengths);
  return mask;
}

Mask Mask::key_lengths_per_query(Tensor lengths) {
  Mask mask = key_lengths(std::move(lengths));
  mask.lengths_per_query = true;
  return mask;
}

Mask Mask::dense(Tensor allowed) {
  Mask mask;
  mask.allowed = std::move(allowed);
  return mask;
}

Mask Mask::operator&(const Mask& other) const {
  check(!lengths.defined() || !other.lengths.defined(), "mask: both sides have lengths");
  check(!allowed.defined() || !other.allowed.defined(), "mask: both sides have a dense table");
  if (has_place(*this) && has_place(other)) require_same_place(*this, other);
  Mask both = *this;
  both.is_causal = is_causal || other.is_causal;
  both.offset = has_place(*this) ? offset : other.offset;
  both.offsets = has_place(*this) ? offsets : other.offsets;
  both.left = narrower(left, other.left);
  both.right = narrower(right, other.right);
  both.excludes_self = excludes_self || other.excludes_self;
  if (!both.lengths.defined()) {
    both.lengths = other.lengths;
    both.lengths_per_query = other.lengths_per_query;
  }
  if (!both.allowed.defined()) both.allowed = other.allowed;
  return both;
}

}  // namespace heed

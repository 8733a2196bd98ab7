#include "heed/kernels/combine.h"

#include <algorithm>

#include "heed/base/divide_up.h"
#include "heed/kernels/row_blocks.h"
#include "heed/kernels/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/combine.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

struct Sum {
  HWY_INLINE FloatVector operator()(FloatTag, FloatVector a, FloatVector b) const {
    return hn::Add(a, b);
  }
};
struct Product {
  HWY_INLINE FloatVector operator()(FloatTag, FloatVector a, FloatVector b) const {
    return hn::Mul(a, b);
  }
};
struct Scaled {
  float factor;
  HWY_INLINE FloatVector operator()(FloatTag d, FloatVector x) const {
    return hn::Mul(x, hn::Set(d, factor));
  }
};

template <class F>
void pairs(const float* a, const float* b, int64_t n, float* y, Store how) {
  if (how == Store::plain) return map<Store::plain>(a, b, y, n, F());
  map<Store::stream>(a, b, y, n, F());
  hwy::FlushStream();
}

void combine_array(Combine operation, const float* a, const float* b, int64_t n, float* y,
                   Store how) {
  if (operation == Combine::add) return pairs<Sum>(a, b, n, y, how);
  pairs<Product>(a, b, n, y, how);
}

void scale_array(const float* x, float factor, int64_t n, float* y, Store how) {
  if (how == Store::plain) return map<Store::plain>(x, y, n, Scaled{factor});
  map<Store::stream>(x, y, n, Scaled{factor});
  hwy::FlushStream();
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(combine_array);
HWY_EXPORT(scale_array);

constexpr double kNanoseconds = 0.4;  // per element
constexpr int64_t kBlock = 1 << 14;   // elements of one task

// Calls body(first element, number of elements) for blocks of an array of n.
template <typename Body>
void for_blocks(int64_t n, const Body& body) {
  parallel_for(divide_up(n, kBlock), static_cast<double>(n) * kNanoseconds,
               [&](int64_t block) { body(block * kBlock, std::min(n - block * kBlock, kBlock)); });
}

}  // namespace

void combine(Combine operation, RowsOf a, RowsOf b, int64_t N, int64_t C, float* y) {
  const bool flat = a.stride == C && b.stride == C;  // one array without gaps
  const Store how = store_for(y, flat ? kBlock : C, N * C * 4);
  if (flat) {
    return for_blocks(N * C, [&](int64_t i, int64_t n) {
      HWY_DYNAMIC_DISPATCH(combine_array)(operation, a.data + i, b.data + i, n, y + i, how);
    });
  }
  for_row_blocks(N, C, kNanoseconds, [&](int64_t first, int64_t rows) {
    for (int64_t r = first; r < first + rows; ++r) {
      HWY_DYNAMIC_DISPATCH(combine_array)
      (operation, a.data + r * a.stride, b.data + r * b.stride, C, y + r * C, how);
    }
  });
}

void scale(RowsOf x, float factor, int64_t N, int64_t C, float* y) {
  const bool flat = x.stride == C;
  const Store how = store_for(y, flat ? kBlock : C, N * C * 4);
  if (flat) {
    return for_blocks(N * C, [&](int64_t i, int64_t n) {
      HWY_DYNAMIC_DISPATCH(scale_array)(x.data + i, factor, n, y + i, how);
    });
  }
  for_row_blocks(N, C, kNanoseconds, [&](int64_t first, int64_t rows) {
    for (int64_t r = first; r < first + rows; ++r) {
      HWY_DYNAMIC_DISPATCH(scale_array)(x.data + r * x.stride, factor, C, y + r * C, how);
    }
  });
}

}  // namespace heed::kernels
#endif

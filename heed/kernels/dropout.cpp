#include "heed/kernels/dropout.h"

#include <algorithm>
#include <cmath>

#include "heed/kernels/row_blocks.h"
#include "heed/kernels/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/dropout.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/random-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using BitsTag = hn::RebindToUnsigned<FloatTag>;

template <Store kStore>
HWY_INLINE void dropout_row(const float* x, RandomKey key, const DropoutRows& rows, float* y) {
  const FloatTag d;
  const auto scale = hn::Set(d, rows.scale);
  const auto threshold = hn::Set(BitsTag(), rows.threshold);
  for_vectors(rows.C, [&](int64_t i, auto part) HWY_ATTR {
    const auto bits = random_lanes(BitsTag(), key, static_cast<uint32_t>(i));
    const auto dropped = hn::RebindMask(d, hn::Gt(threshold, bits));
    store<kStore>(hn::IfThenZeroElse(dropped, hn::Mul(load(x + i, part), scale)), part, y + i);
  });
}

void dropout_rows(const DropoutRows& rows, int64_t first, int64_t count, float* y, Store how) {
  for (int64_t n = first; n < first + count; ++n) {
    const float* x = rows.x + n * rows.stride;
    if (how == Store::plain) {
      dropout_row<Store::plain>(x, rows.keys[n], rows, y + n * rows.C);
    } else {
      dropout_row<Store::stream>(x, rows.keys[n], rows, y + n * rows.C);
    }
  }
  hwy::FlushStream();
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(dropout_rows);

}  // namespace

uint32_t dropout_threshold(double p) {
  return static_cast<uint32_t>(std::min(std::ceil(p * 0x1p32), 0x1p32 - 1));
}

void dropout(const DropoutRows& rows, float* y) {
  const Store how = store_for(y, rows.C, rows.N * rows.C * 4);
  for_row_blocks(rows.N, rows.C, 0.6, [&](int64_t first, int64_t count) {
    HWY_DYNAMIC_DISPATCH(dropout_rows)(rows, first, count, y, how);
  });
}

}  // namespace heed::kernels
#endif

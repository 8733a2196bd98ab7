#include "heed/kernels/gru_cell.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/gru_cell.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// r = sigmoid(gx_r + gh_r)      z = sigmoid(gx_z + gh_z)      n = tanh(gx_n + r gh_n)
// h = n + z (h_before - n)
HWY_INLINE void gru_row(const CellForward<float>& cell, int64_t row) {
  const FloatTag d;
  const int64_t H = cell.H;
  const float* gx = cell.gx + row * 3 * H;
  const float* gh = cell.gh + row * 3 * H;
  const float* before = cell.before + row * cell.before_stride;
  float* after = cell.after + row * cell.after_stride;
  float* kept = cell.kept != nullptr ? cell.kept + row * 4 * H : nullptr;
  for_vectors(H, [&](int64_t i, auto part) HWY_ATTR {
    const auto r = sigmoid_fast(d, hn::Add(load(gx + i, part), load(gh + i, part)));
    const auto z = sigmoid_fast(d, hn::Add(load(gx + H + i, part), load(gh + H + i, part)));
    const auto inner = load(gh + 2 * H + i, part);
    const auto n = tanh(d, hn::MulAdd(r, inner, load(gx + 2 * H + i, part)));
    store<Store::plain>(hn::MulAdd(z, hn::Sub(load(before + i, part), n), n), part, after + i);
    if (kept == nullptr) return;
    store<Store::plain>(r, part, kept + i);
    store<Store::plain>(z, part, kept + H + i);
    store<Store::plain>(n, part, kept + 2 * H + i);
    store<Store::plain>(inner, part, kept + 3 * H + i);
  });
}

// dz = dh (h_before - n)      dn = dh (1 - z)      and through sigmoid and tanh
HWY_INLINE void gru_backward_row(const CellBackward<float>& cell, int64_t row) {
  const FloatTag d;
  const auto one = hn::Set(d, 1.0f);
  const int64_t H = cell.H;
  const float* kept = cell.kept + row * 4 * H;
  const float* before = cell.before + row * cell.before_stride;
  const float* dy = cell.dy + row * cell.dy_stride;
  float* carry = cell.carry + row * H;
  float* dgx = cell.dgx + row * 3 * H;
  float* dgh = cell.dgh + row * 3 * H;
  for_vectors(H, [&](int64_t i, auto part) HWY_ATTR {
    const auto r = load(kept + i, part);
    const auto z = load(kept + H + i, part);
    const auto n = load(kept + 2 * H + i, part);
    const auto inner = load(kept + 3 * H + i, part);
    const auto dh = hn::Add(load(dy + i, part), load(carry + i, part));
    const auto dn = hn::Mul(hn::Mul(dh, hn::Sub(one, z)), hn::NegMulAdd(n, n, one));
    const auto dz =
        hn::Mul(hn::Mul(dh, hn::Sub(load(before + i, part), n)), hn::Mul(z, hn::Sub(one, z)));
    const auto dr = hn::Mul(hn::Mul(dn, inner), hn::Mul(r, hn::Sub(one, r)));
    store<Store::plain>(hn::Mul(dh, z), part, carry + i);
    store<Store::plain>(dr, part, dgx + i);
    store<Store::plain>(dz, part, dgx + H + i);
    store<Store::plain>(dn, part, dgx + 2 * H + i);
    store<Store::plain>(dr, part, dgh + i);
    store<Store::plain>(dz, part, dgh + H + i);
    store<Store::plain>(hn::Mul(dn, r), part, dgh + 2 * H + i);
  });
}

void gru_rows(const CellForward<float>& cell, int64_t first, int64_t count) {
  for (int64_t row = first; row < first + count; ++row) gru_row(cell, row);
}

void gru_backward_rows(const CellBackward<float>& cell, int64_t first, int64_t count) {
  for (int64_t row = first; row < first + count; ++row) gru_backward_row(cell, row);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(gru_rows);
HWY_EXPORT(gru_backward_rows);

}  // namespace

void gru_forward(const CellForward<float>& cell) {
  for_cell_rows(cell, 2, HWY_DYNAMIC_DISPATCH(gru_rows));
}

void gru_backward(const CellBackward<float>& cell) {
  for_cell_rows(cell, 1.5, HWY_DYNAMIC_DISPATCH(gru_backward_rows));
}

}  // namespace heed::kernels
#endif

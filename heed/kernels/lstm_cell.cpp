#include "heed/kernels/lstm_cell.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/lstm_cell.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// c = f c_before + i g      h = o tanh(c)
HWY_INLINE void lstm_row(const CellForward<float>& cell, int64_t row) {
  const FloatTag d;
  const int64_t H = cell.H;
  const float* gx = cell.gx + row * 4 * H;
  const float* gh = cell.gh + row * 4 * H;
  const float* before = cell.before + row * cell.before_stride;
  float* after = cell.after + row * cell.after_stride;
  float* kept = cell.kept != nullptr ? cell.kept + row * 5 * H : nullptr;
  for_vectors(H, [&](int64_t k, auto part) HWY_ATTR {
    const auto gate = [&](int64_t at) HWY_ATTR {
      return hn::Add(load(gx + at + k, part), load(gh + at + k, part));
    };
    const auto i = sigmoid_fast(d, gate(0));
    const auto f = sigmoid_fast(d, gate(H));
    const auto g = tanh(d, gate(2 * H));
    const auto o = sigmoid_fast(d, gate(3 * H));
    const auto c = hn::MulAdd(f, load(before + H + k, part), hn::Mul(i, g));
    const auto tanh_c = tanh(d, c);
    store<Store::plain>(hn::Mul(o, tanh_c), part, after + k);
    store<Store::plain>(c, part, after + H + k);
    if (kept == nullptr) return;
    store<Store::plain>(i, part, kept + k);
    store<Store::plain>(f, part, kept + H + k);
    store<Store::plain>(g, part, kept + 2 * H + k);
    store<Store::plain>(o, part, kept + 3 * H + k);
    store<Store::plain>(tanh_c, part, kept + 4 * H + k);
  });
}

// do = dh tanh(c)   dc += dh o (1 - tanh(c)^2)   di = dc g   df = dc c_before   dg = dc i
HWY_INLINE void lstm_backward_row(const CellBackward<float>& cell, int64_t row) {
  const FloatTag d;
  const auto one = hn::Set(d, 1.0f);
  const int64_t H = cell.H;
  const float* kept = cell.kept + row * 5 * H;
  const float* before = cell.before + row * cell.before_stride;
  const float* dy = cell.dy + row * cell.dy_stride;
  float* carry = cell.carry + row * 2 * H;
  float* dg_all = cell.dgx + row * 4 * H;
  for_vectors(H, [&](int64_t k, auto part) HWY_ATTR {
    const auto i = load(kept + k, part);
    const auto f = load(kept + H + k, part);
    const auto g = load(kept + 2 * H + k, part);
    const auto o = load(kept + 3 * H + k, part);
    const auto tanh_c = load(kept + 4 * H + k, part);
    const auto dh = hn::Add(load(dy + k, part), load(carry + k, part));
    const auto from_h = hn::Mul(hn::Mul(dh, o), hn::NegMulAdd(tanh_c, tanh_c, one));
    const auto dc = hn::Add(hn::Add(load(dy + H + k, part), load(carry + H + k, part)), from_h);
    const auto slope = [&](auto s) HWY_ATTR { return hn::Mul(s, hn::Sub(one, s)); };
    store<Store::plain>(hn::Zero(d), part, carry + k);
    store<Store::plain>(hn::Mul(dc, f), part, carry + H + k);
    store<Store::plain>(hn::Mul(hn::Mul(dc, g), slope(i)), part, dg_all + k);
    store<Store::plain>(hn::Mul(hn::Mul(dc, load(before + H + k, part)), slope(f)), part,
                        dg_all + H + k);
    store<Store::plain>(hn::Mul(hn::Mul(dc, i), hn::NegMulAdd(g, g, one)), part,
                        dg_all + 2 * H + k);
    store<Store::plain>(hn::Mul(hn::Mul(dh, tanh_c), slope(o)), part, dg_all + 3 * H + k);
  });
}

void lstm_rows(const CellForward<float>& cell, int64_t first, int64_t count) {
  for (int64_t row = first; row < first + count; ++row) lstm_row(cell, row);
}

void lstm_backward_rows(const CellBackward<float>& cell, int64_t first, int64_t count) {
  for (int64_t row = first; row < first + count; ++row) lstm_backward_row(cell, row);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(lstm_rows);
HWY_EXPORT(lstm_backward_rows);

}  // namespace

void lstm_forward(const CellForward<float>& cell) {
  for_cell_rows(cell, 3, HWY_DYNAMIC_DISPATCH(lstm_rows));
}

void lstm_backward(const CellBackward<float>& cell) {
  for_cell_rows(cell, 2, HWY_DYNAMIC_DISPATCH(lstm_backward_rows));
}

}  // namespace heed::kernels
#endif

#include "heed/kernels/math.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/math.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

struct Exp {
  HWY_INLINE FloatVector operator()(FloatTag d, FloatVector x) const { return exp(d, x); }
};
struct ExpNonpositive {
  HWY_INLINE FloatVector operator()(FloatTag d, FloatVector x) const {
    return exp_nonpositive(d, x);
  }
};
struct Tanh {
  HWY_INLINE FloatVector operator()(FloatTag d, FloatVector x) const { return tanh(d, x); }
};
struct Erf {
  HWY_INLINE FloatVector operator()(FloatTag d, FloatVector x) const { return erf(d, x); }
};
struct Log {
  HWY_INLINE FloatVector operator()(FloatTag d, FloatVector x) const { return log(d, x); }
};
struct Sigmoid {
  HWY_INLINE FloatVector operator()(FloatTag d, FloatVector x) const { return sigmoid(d, x); }
};

template <class F>
void map_plain(const float* x, float* y, int64_t n) {
  map<Store::plain>(x, y, n, F());
}

void exp_f32(const float* x, float* y, int64_t n) { map_plain<Exp>(x, y, n); }
void exp_nonpositive_f32(const float* x, float* y, int64_t n) {
  map_plain<ExpNonpositive>(x, y, n);
}
void tanh_f32(const float* x, float* y, int64_t n) { map_plain<Tanh>(x, y, n); }
void erf_f32(const float* x, float* y, int64_t n) { map_plain<Erf>(x, y, n); }
void log_f32(const float* x, float* y, int64_t n) { map_plain<Log>(x, y, n); }
void sigmoid_f32(const float* x, float* y, int64_t n) { map_plain<Sigmoid>(x, y, n); }

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(exp_f32);
HWY_EXPORT(exp_nonpositive_f32);
HWY_EXPORT(tanh_f32);
HWY_EXPORT(erf_f32);
HWY_EXPORT(log_f32);
HWY_EXPORT(sigmoid_f32);

template <>
void exp<float>(const float* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(exp_f32)(x, y, n);
}
template <>
void tanh<float>(const float* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(tanh_f32)(x, y, n);
}
template <>
void erf<float>(const float* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(erf_f32)(x, y, n);
}
template <>
void log<float>(const float* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(log_f32)(x, y, n);
}
template <>
void sigmoid<float>(const float* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(sigmoid_f32)(x, y, n);
}
void exp_nonpositive(const float* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(exp_nonpositive_f32)(x, y, n);
}

template <>
void exp<double>(const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i]);
}
template <>
void tanh<double>(const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::tanh(x[i]);
}
template <>
void erf<double>(const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::erf(x[i]);
}
template <>
void log<double>(const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::log(x[i]);
}
template <>
void sigmoid<double>(const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = 1 / (1 + std::exp(-x[i]));
}

}  // namespace heed::kernels
#endif

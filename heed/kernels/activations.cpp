#include "heed/kernels/activations.h"

#include <algorithm>
#include <cmath>

#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"
#include "heed/kernels/stream.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/activations.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "heed/kernels/bound-inl.h"
#include "heed/kernels/map-inl.h"
#include "heed/kernels/math-inl.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using D = FloatTag;
using V = FloatVector;

HWY_INLINE V constant(float c) { return hn::Set(D(), c); }

// Each function: value(x) and derivative(x). The formulas are in ops/activations.h.

struct None {
  static HWY_INLINE V value(V x) { return x; }
  static HWY_INLINE V derivative(V) { return constant(1); }
};

struct Relu {
  static HWY_INLINE V value(V x) { return at_least(D(), x, 0); }
  static HWY_INLINE V derivative(V x) {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(D())), constant(1));
  }
};

// s = sigmoid(u) and its derivative s (1 - s) = e / (1 + e)^2, where e = exp(-|u|); in this form no
// digits cancel.
struct Gate {
  V s, slope;

  HWY_INLINE explicit Gate(V u) {
    const V e = exp_nonpositive(D(), hn::Neg(hn::Abs(u)));
    const V inverse = hn::Div(constant(1), hn::Add(constant(1), e));
    s = hn::IfThenElse(hn::Lt(u, hn::Zero(D())), hn::Mul(e, inverse), inverse);
    slope = hn::Mul(hn::Mul(e, inverse), inverse);
  }
};

// (1 + tanh u) / 2 is sigmoid(2u), so y = x s with s = sigmoid(2u).
struct GeluTanh {
  static constexpr float kScale = 1.5957691216f;  // 2 sqrt(2 / pi)
  static constexpr float kCubic = 0.044715f;

  static HWY_INLINE V twice_u(V x) {
    return hn::Mul(x, hn::MulAdd(hn::Mul(x, x), constant(kScale * kCubic), constant(kScale)));
  }
  static HWY_INLINE V value(V x) { return hn::Mul(x, sigmoid_fast(D(), twice_u(x))); }
  // y' = s + x s (1 - s) (2u)'
  static HWY_INLINE V derivative(V x) {
    const Gate gate(twice_u(x));
    const V inner = hn::MulAdd(hn::Mul(x, x), constant(3 * kScale * kCubic), constant(kScale));
    return hn::MulAdd(hn::Mul(x, gate.slope), inner, gate.s);
  }
};

struct GeluExact {
  // P(-a) = exp(q(a)) for a = |x|, and P(x) = 1 - P(-x). q is a minimax fit on [0, 6] with an
  // absolute error of 1.7e-8 in P, and falls on to below -87, where the result is 0.
  static HWY_INLINE V cumulative(V x) {
    constexpr float q[] = {-0.693147182f,    -0.797885716f,   -0.318296582f,
                           -0.0363937132f,   0.00490434282f,  -0.000101109035f,
                           -0.000126532526f, 2.67698979e-05f, -1.92144103e-06f};
    const V a = at_most(D(), hn::Abs(x), 14);
    const V tail = exp_nonpositive(D(), polynomial(D(), a, q));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(D())), tail, hn::Sub(constant(1), tail));
  }
  static HWY_INLINE V value(V x) { return hn::Mul(x, cumulative(x)); }
  static HWY_INLINE V derivative(V x) {
    const V bell = exp_nonpositive(D(), hn::Mul(hn::Mul(x, x), constant(-0.5f)));
    return hn::MulAdd(hn::Mul(x, constant(0.39894228f)), bell, cumulative(x));
  }
};

struct Silu {
  static HWY_INLINE V value(V x) { return hn::Mul(x, sigmoid_fast(D(), x)); }
  static HWY_INLINE V derivative(V x) {
    const Gate gate(x);
    return hn::MulAdd(x, gate.slope, gate.s);
  }
};

struct Tanh {
  static HWY_INLINE V value(V x) { return tanh(D(), x); }
  // tanh x = 2 sigmoid(2x) - 1
  static HWY_INLINE V derivative(V x) { return hn::Mul(constant(4), Gate(hn::Add(x, x)).slope); }
};

struct Sigmoid {
  static HWY_INLINE V value(V x) { return sigmoid(D(), x); }
  static HWY_INLINE V derivative(V x) { return Gate(x).slope; }
};

template <class F>
struct Forward {
  HWY_INLINE V operator()(D, V x) const { return F::value(x); }
};
template <class F>
struct Backward {
  HWY_INLINE V operator()(D, V x, V dy) const { return hn::Mul(dy, F::derivative(x)); }
};

template <class F>
void run(const float* x, const float* dy, float* y, int64_t n, Store how) {
  if (dy == nullptr) {
    if (how == Store::plain) return map<Store::plain>(x, y, n, Forward<F>());
    map<Store::stream>(x, y, n, Forward<F>());
  } else {
    if (how == Store::plain) return map<Store::plain>(x, dy, y, n, Backward<F>());
    map<Store::stream>(x, dy, y, n, Backward<F>());
  }
  hwy::FlushStream();
}

// y = f(x), or, if dy is given, y = dy f'(x).
void run_activation(Activation f, const float* x, const float* dy, float* y, int64_t n, Store how) {
  switch (f) {
    case Activation::none: return run<None>(x, dy, y, n, how);
    case Activation::relu: return run<Relu>(x, dy, y, n, how);
    case Activation::gelu_tanh: return run<GeluTanh>(x, dy, y, n, how);
    case Activation::gelu_exact: return run<GeluExact>(x, dy, y, n, how);
    case Activation::silu: return run<Silu>(x, dy, y, n, how);
    case Activation::tanh: return run<Tanh>(x, dy, y, n, how);
    case Activation::sigmoid: return run<Sigmoid>(x, dy, y, n, how);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(run_activation);

void run_parallel(Activation f, const float* x, const float* dy, float* y, int64_t n) {
  constexpr int64_t kBlock = 1 << 14;
  const Store how = store_for(y, kBlock, n * 4);
  parallel_for(divide_up(n, kBlock), static_cast<double>(n) * 0.7, [&](int64_t block) {
    const int64_t i = block * kBlock;
    HWY_DYNAMIC_DISPATCH(run_activation)
    (f, x + i, dy == nullptr ? nullptr : dy + i, y + i, std::min(n - i, kBlock), how);
  });
}

// The same in float64: the formulas as they are written, which the tests compare the vector code
// with.

constexpr double kGeluScale = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double kGeluCubic = 0.044715;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(kGeluScale * (x + kGeluCubic * x * x * x)));
}
double gelu_tanh_derivative(double x) {
  const double t = std::tanh(kGeluScale * (x + kGeluCubic * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kGeluScale * (1 + 3 * kGeluCubic * x * x);
}

double gelu_exact(double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }
double gelu_exact_derivative(double x) {
  return 0.5 * (1 + std::erf(x * M_SQRT1_2)) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
}

double silu(double x) { return x / (1 + std::exp(-x)); }
double silu_derivative(double x) {
  const double s = logistic(x);
  return s * (1 + x * (1 - s));
}

double value(Activation f, double x) {
  switch (f) {
    case Activation::none: return x;
    case Activation::relu: return x < 0 ? 0 : x;  // a NaN stays one
    case Activation::gelu_tanh: return gelu_tanh(x);
    case Activation::gelu_exact: return gelu_exact(x);
    case Activation::silu: return silu(x);
    case Activation::tanh: return std::tanh(x);
    case Activation::sigmoid: return logistic(x);
  }
  return x;
}

double derivative(Activation f, double x) {
  switch (f) {
    case Activation::none: return 1;
    case Activation::relu: return x > 0 ? 1 : 0;
    case Activation::gelu_tanh: return gelu_tanh_derivative(x);
    case Activation::gelu_exact: return gelu_exact_derivative(x);
    case Activation::silu: return silu_derivative(x);
    case Activation::tanh: return 1 - std::tanh(x) * std::tanh(x);
    case Activation::sigmoid: return logistic(x) * logistic(-x);
  }
  return 1;
}

}  // namespace

template <>
void activate<float>(Activation f, const float* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(run_activation)(f, x, nullptr, y, n, Store::plain);
}

template <>
void activate_backward<float>(Activation f, const float* x, const float* dy, float* dx, int64_t n) {
  HWY_DYNAMIC_DISPATCH(run_activation)(f, x, dy, dx, n, Store::plain);
}

template <>
void activate_parallel<float>(Activation f, const float* x, float* y, int64_t n) {
  run_parallel(f, x, nullptr, y, n);
}

template <>
void activate_backward_parallel<float>(Activation f, const float* x, const float* dy, float* dx,
                                       int64_t n) {
  run_parallel(f, x, dy, dx, n);
}

template <>
void activate<double>(Activation f, const double* x, double* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = value(f, x[i]);
}

template <>
void activate_backward<double>(Activation f, const double* x, const double* dy, double* dx,
                               int64_t n) {
  for (int64_t i = 0; i < n; ++i) dx[i] = dy[i] * derivative(f, x[i]);
}

template <>
void activate_parallel<double>(Activation f, const double* x, double* y, int64_t n) {
  activate(f, x, y, n);
}

template <>
void activate_backward_parallel<double>(Activation f, const double* x, const double* dy, double* dx,
                                        int64_t n) {
  activate_backward(f, x, dy, dx, n);
}

}  // namespace heed::kernels
#endif

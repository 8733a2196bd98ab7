// The activation functions in float64: the plain formulas, which the tests compare the vector code
// with. Each derivative stands under its function.
#include <cmath>

#include "heed/kernels/activation.h"

namespace heed::kernels {
namespace {

constexpr double kGeluScale = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double kGeluCubic = 0.044715;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

// t = tanh(sqrt(2/pi) (x + 0.044715 x^3)),   y = x (1 + t) / 2
double gelu_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(kGeluScale * (x + kGeluCubic * x * x * x)));
}
// y' = (1 + t) / 2 + x (1 - t^2) / 2 sqrt(2/pi) (1 + 3 * 0.044715 x^2)
double gelu_tanh_derivative(double x) {
  const double t = std::tanh(kGeluScale * (x + kGeluCubic * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kGeluScale * (1 + 3 * kGeluCubic * x * x);
}

// y = x P(x),   P(x) = (1 + erf(x / sqrt 2)) / 2
double gelu_exact(double x) { return 0.5 * x * (1 + std::erf(x * M_SQRT1_2)); }
// y' = P(x) + x p(x),   p(x) = exp(-x^2 / 2) / sqrt(2 pi)
double gelu_exact_derivative(double x) {
  return 0.5 * (1 + std::erf(x * M_SQRT1_2)) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
}

// y = x s(x),   s(x) = 1 / (1 + exp(-x))
double silu(double x) { return x / (1 + std::exp(-x)); }
// y' = s + x s (1 - s)
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

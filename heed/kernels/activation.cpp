#include "heed/kernels/activation.h"

#include <cmath>

namespace heed::kernels {
namespace {

constexpr double kGeluScale = 0.7978845608028654;  // sqrt(2 / pi)
constexpr double kGeluCubic = 0.044715;

double value(Activation f, double x) {
  switch (f) {
    case Activation::none: return x;
    case Activation::relu: return x > 0 ? x : 0;
    case Activation::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(kGeluScale * (x + kGeluCubic * x * x * x)));
    case Activation::gelu_exact: return 0.5 * x * (1 + std::erf(x * M_SQRT1_2));
    case Activation::silu: return x / (1 + std::exp(-x));
    case Activation::tanh: return std::tanh(x);
    case Activation::sigmoid: return 1 / (1 + std::exp(-x));
  }
  return x;
}

double derivative(Activation f, double x) {
  switch (f) {
    case Activation::none: return 1;
    case Activation::relu: return x > 0 ? 1 : 0;
    case Activation::gelu_tanh: {
      const double t = std::tanh(kGeluScale * (x + kGeluCubic * x * x * x));
      return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kGeluScale * (1 + 3 * kGeluCubic * x * x);
    }
    case Activation::gelu_exact:
      return 0.5 * (1 + std::erf(x * M_SQRT1_2)) + x * std::exp(-0.5 * x * x) / std::sqrt(2 * M_PI);
    case Activation::silu: {
      const double s = 1 / (1 + std::exp(-x));
      return s * (1 + x * (1 - s));
    }
    case Activation::tanh: return 1 - std::tanh(x) * std::tanh(x);
    case Activation::sigmoid: {
      const double s = 1 / (1 + std::exp(-x));
      return s * (1 - s);
    }
  }
  return 1;
}

}  // namespace

template <typename T>
void activate(Activation f, const T* x, T* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(value(f, x[i]));
}

template <typename T>
void activate_backward(Activation f, const T* x, const T* dy, T* dx, int64_t n) {
  for (int64_t i = 0; i < n; ++i) dx[i] = static_cast<T>(dy[i] * derivative(f, x[i]));
}

template void activate<float>(Activation, const float*, float*, int64_t);
template void activate<double>(Activation, const double*, double*, int64_t);
template void activate_backward<float>(Activation, const float*, const float*, float*, int64_t);
template void activate_backward<double>(Activation, const double*, const double*, double*, int64_t);

}  // namespace heed::kernels

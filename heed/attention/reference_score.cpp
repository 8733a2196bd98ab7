#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/reference_score_internal.h"
#include "heed/base/overloaded.h"

namespace heed::reference {
namespace {

double dot(Vector a, Vector b) {
  double sum = 0;
  for (size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

// Row r of a matrix.
Vector row(const Tensor& matrix, size_t r) {
  const auto width = static_cast<size_t>(matrix.dim(1));
  return {matrix.data<double>() + r * width, width};
}

double dot_scale(const ScaledDot& score, Vector q) {
  return score.scale.value_or(1 / std::sqrt(static_cast<double>(q.size())));
}

// tanh(W_q q + W_k k), [h]
std::vector<double> hidden_layer(const Additive& score, Vector q, Vector k) {
  std::vector<double> t(static_cast<size_t>(score.w_v.value().size()));
  for (size_t h = 0; h < t.size(); ++h) {
    t[h] = std::tanh(dot(row(score.w_q.value(), h), q) + dot(row(score.w_k.value(), h), k));
  }
  return t;
}

double width_at(const Tensor& width, size_t d) {
  if (!width.defined()) return 1;
  return width.data<double>()[width.size() == 1 ? 0 : d];
}

// u = |(q - k) / width|, for one width |q - k| / width
double distance(const Tensor& width, Vector q, Vector k) {
  const bool shared = !width.defined() || width.size() == 1;
  double square = 0;
  for (size_t d = 0; d < q.size(); ++d) {
    const double u = (q[d] - k[d]) / (shared ? 1 : width_at(width, d));
    square += u * u;
  }
  return std::sqrt(square) / (shared ? width_at(width, 0) : 1);
}

// Given dL/d(u^2):  d(u^2)/dq = 2 (q - k) / width^2     d(u^2)/dk = -d(u^2)/dq
//                   d(u^2)/dwidth = -2 (q - k)^2 / width^3
void add_distance_gradient(const Tensor& width, Vector q, Vector k, double dsquare,
                           std::span<double> dq, std::span<double> dk, Tensor& dwidth) {
  for (size_t d = 0; d < q.size(); ++d) {
    const double w = width_at(width, d);
    const double difference = q[d] - k[d];
    const double slope = dsquare * 2 * difference / (w * w);
    dq[d] += slope;
    dk[d] -= slope;
    if (dwidth.defined())
      dwidth.data<double>()[width.size() == 1 ? 0 : d] -= slope * difference / w;
  }
}

}  // namespace

double pair_score(const Score& score, Vector q, Vector k) {
  return std::visit(Overloaded{
                        [&](const ScaledDot& s) { return dot_scale(s, q) * dot(q, k); },
                        [&](const Dot&) { return dot(q, k); },
                        [&](const Bilinear& s) {
                          double sum = 0;
                          for (size_t i = 0; i < q.size(); ++i)
                            sum += q[i] * dot(row(s.m.value(), i), k);
                          return sum;
                        },
                        [&](const Additive& s) {
                          const std::vector<double> t = hidden_layer(s, q, k);
                          return dot(t, {s.w_v.value().data<double>(), t.size()});
                        },
                        [&](const Gaussian& s) {
                          const double u = distance(s.width, q, k);
                          return -u * u / 2;
                        },
                        // Not !(u <= 1): a distance that is not a number is not within reach, but
                        // is not 0 either.
                        [&](const Boxcar& s) {
                          const double u = distance(s.width, q, k);
                          return std::isnan(u) ? u : (u <= 1 ? 1.0 : 0.0);
                        },
                        [&](const Triangular& s) {
                          const double u = distance(s.width, q, k);
                          return u > 1 ? 0 : 1 - u;
                        },
                        [&](const Epanechnikov& s) {
                          const double u = distance(s.width, q, k);
                          return u > 1 ? 0 : 1 - u * u;
                        },
                        [](const Constant&) { return 1.0; },
                        [&](const CustomScore& s) { return s.score(q, k); },
                    },
                    score);
}

void add_pair_gradient(const Score& score, Vector q, Vector k, double da, std::span<double> dq,
                       std::span<double> dk, AttentionGradients& gradients) {
  const auto add_dot = [&](double scale) {
    for (size_t d = 0; d < q.size(); ++d) {
      dq[d] += da * scale * k[d];
      dk[d] += da * scale * q[d];
    }
  };
  const auto add_distance = [&](const Tensor& width, double slope) {  // slope = da/d(u^2)
    if (slope != 0) add_distance_gradient(width, q, k, da * slope, dq, dk, gradients.dwidth);
  };
  std::visit(Overloaded{
                 [&](const ScaledDot& s) { add_dot(dot_scale(s, q)); },
                 [&](const Dot&) { add_dot(1); },
                 // a = sum_ij q_i M_ij k_j
                 [&](const Bilinear& s) {
                   for (size_t i = 0; i < q.size(); ++i) {
                     const Vector m = row(s.m.value(), i);
                     dq[i] += da * dot(m, k);
                     for (size_t j = 0; j < k.size(); ++j) {
                       dk[j] += da * q[i] * m[j];
                       gradients.dm.data<double>()[i * k.size() + j] += da * q[i] * k[j];
                     }
                   }
                 },
                 // a = sum_h w_h t_h, dt = 1 - t^2
                 [&](const Additive& s) {
                   const std::vector<double> t = hidden_layer(s, q, k);
                   for (size_t h = 0; h < t.size(); ++h) {
                     const double dt = da * s.w_v.value().data<double>()[h] * (1 - t[h] * t[h]);
                     gradients.dw_v.data<double>()[h] += da * t[h];
                     for (size_t d = 0; d < q.size(); ++d) {
                       dq[d] += dt * row(s.w_q.value(), h)[d];
                       gradients.dw_q.data<double>()[h * q.size() + d] += dt * q[d];
                     }
                     for (size_t d = 0; d < k.size(); ++d) {
                       dk[d] += dt * row(s.w_k.value(), h)[d];
                       gradients.dw_k.data<double>()[h * k.size() + d] += dt * k[d];
                     }
                   }
                 },
                 [&](const Gaussian& s) { add_distance(s.width, -0.5); },
                 [](const Boxcar&) {},
                 [&](const Triangular& s) {  // a = 1 - sqrt(u^2); no slope at the tip
                   const double u = distance(s.width, q, k);
                   add_distance(s.width, u >= 1 || u == 0 ? 0 : -1 / (2 * u));
                 },
                 [&](const Epanechnikov& s) {
                   add_distance(s.width, distance(s.width, q, k) >= 1 ? 0 : -1);
                 },
                 [](const Constant&) {},
                 [&](const CustomScore& s) {
                   if (s.gradient) s.gradient(q, k, da, dq, dk);
                 },
             },
             score);
}

Score in_double(const Score& score) {
  const auto wide = [](const Variable& x) -> Variable {
    return x.value().defined() ? x.value().to(DType::f64).contiguous() : Tensor();
  };
  return std::visit(Overloaded{
                        [&](const Bilinear& s) -> Score { return Bilinear{wide(s.m)}; },
                        [&](const Additive& s) -> Score {
                          return Additive{wide(s.w_q), wide(s.w_k), wide(s.w_v)};
                        },
                        [&](const Gaussian& s) -> Score { return Gaussian{wide(s.width)}; },
                        [&](const Boxcar& s) -> Score { return Boxcar{wide(s.width)}; },
                        [&](const Triangular& s) -> Score { return Triangular{wide(s.width)}; },
                        [&](const Epanechnikov& s) -> Score { return Epanechnikov{wide(s.width)}; },
                        [](const auto& s) -> Score { return s; },
                    },
                    score);
}

void prepare_parameter_gradients(const Score& score, AttentionGradients& gradients) {
  const auto zeros_like = [](const Variable& x) {
    return x.value().defined() ? Tensor::zeros(x.shape(), DType::f64) : Tensor();
  };
  std::visit(Overloaded{
                 [&](const Bilinear& s) { gradients.dm = zeros_like(s.m); },
                 [&](const Additive& s) {
                   gradients.dw_q = zeros_like(s.w_q);
                   gradients.dw_k = zeros_like(s.w_k);
                   gradients.dw_v = zeros_like(s.w_v);
                 },
                 [&](const Gaussian& s) { gradients.dwidth = zeros_like(s.width); },
                 [&](const Boxcar& s) { gradients.dwidth = zeros_like(s.width); },
                 [&](const Triangular& s) { gradients.dwidth = zeros_like(s.width); },
                 [&](const Epanechnikov& s) { gradients.dwidth = zeros_like(s.width); },
                 [](const auto&) {},
             },
             score);
}

}  // namespace heed::reference

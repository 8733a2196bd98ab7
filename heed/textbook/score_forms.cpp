#include "heed/textbook/score_forms.h"

#include <type_traits>

#include "heed/base/fail.h"
#include "heed/ops/affine.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/softmax.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {
namespace {

double dot(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> softmax_of(const std::vector<double>& scores) {
  return numbers_of(softmax(vector_of(scores)).value());
}

Tensor one_row(const Tensor& q, const Tensor& keys, const char* what) {
  check(q.defined() && q.rank() == 1, "{}: q must be [D], got {}", what, q);
  check(keys.defined() && keys.rank() == 2, "{}: keys must be [m, D], got {}", what, keys);
  return q.to(DType::f64).contiguous().reshape({1, q.dim(0)});
}

template <typename T>
constexpr bool kIsKernel = std::is_same_v<T, Boxcar> || std::is_same_v<T, Triangular> ||
                           std::is_same_v<T, Epanechnikov> || std::is_same_v<T, Constant>;

}  // namespace

GaussianForms gaussian_forms(const Tensor& query, const Tensor& keys) {
  const Tensor q = one_row(query, keys, "gaussian forms");
  const Tensor k = keys.to(DType::f64).contiguous();
  const int64_t D = k.dim(1);
  check(q.dim(1) == D, "gaussian forms: q has {} coordinates, the keys have {}", q.dim(1), D);
  GaussianForms forms;
  std::vector<double> without_q;
  std::vector<double> dots;
  const double* x = std::as_const(q).data<double>();
  for (int64_t j = 0; j < k.dim(0); ++j) {
    const double* y = std::as_const(k).data<double>() + j * D;
    double squares = 0;
    for (int64_t c = 0; c < D; ++c) squares += (x[c] - y[c]) * (x[c] - y[c]);
    forms.direct.push_back(-squares / 2);
    dots.push_back(dot(x, y, D));
    without_q.push_back(dots.back() - dot(y, y, D) / 2);
    forms.expanded.push_back(without_q.back() - dot(x, x, D) / 2);
  }
  forms.weights = softmax_of(forms.direct);
  forms.without_q = softmax_of(without_q);
  forms.dot_only = softmax_of(dots);
  return forms;
}

AdditiveForms additive_forms(const Tensor& query, const Tensor& keys, const Additive& score) {
  const Tensor q = one_row(query, keys, "additive forms");
  AdditiveForms forms;
  forms.additive = score_keys(query, keys, score).scores;
  const NoGrad no_gradients;
  const int64_t m = keys.dim(0);
  Tensor repeated = Tensor::empty({m, q.dim(1)}, DType::f64);
  for (int64_t j = 0; j < m; ++j) repeated.slice(0, j, j + 1).copy_from(q);
  const Variable pairs = concatenate({repeated, keys.to(DType::f64)}, 1);  // [m, Dq + Dk]
  const Variable w = concatenate({score.w_q, score.w_k}, 1);               // [h, Dq + Dk]
  const Variable hidden =
      affine(pairs, w, {}, {.activation = Activation::tanh, .weight_layout = WeightLayout::out_in});
  const Tensor w_v = score.w_v.value().reshape({score.w_v.value().size(), 1});  // [h, 1]
  forms.mlp = numbers_of(affine(hidden, w_v).value());
  return forms;
}

ScoredKeys score_keys(const Tensor& query, const Tensor& keys, const Score& score) {
  const Tensor q = one_row(query, keys, "score");
  const Tensor k = keys.to(DType::f64).contiguous();
  const Rows one = Rows::single(1);
  const Rows all = Rows::single(k.dim(0));
  AttentionOptions options{.score = score, .normalizer = Normalizer::none};
  ScoredKeys result;
  const bool is_gaussian = std::holds_alternative<Gaussian>(score);
  result.scores = numbers_of(attention_weights(q, k, one, all, options));
  // Under `none` a Gaussian is its kernel; its score is the logarithm.
  if (is_gaussian) {
    for (double& s : result.scores) s = std::log(s);
  }
  options.normalizer = std::visit(
      [](const auto& any) {
        return kIsKernel<std::decay_t<decltype(any)>> ? Normalizer::sum : Normalizer::softmax;
      },
      score);
  result.weights = numbers_of(attention_weights(q, k, one, all, options));
  return result;
}

}  // namespace heed

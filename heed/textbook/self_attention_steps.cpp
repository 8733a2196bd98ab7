#include "heed/textbook/self_attention_steps.h"

#include "heed/base/fail.h"
#include "heed/ops/matmul.h"
#include "heed/ops/scale.h"
#include "heed/ops/softmax.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {

SelfAttentionSteps self_attention_steps(const Tensor& x_in, const Tensor& w_q_in,
                                        const Tensor& w_k_in, const Tensor& w_v_in) {
  const NoGrad no_gradients;
  const Tensor x = x_in.to(DType::f64).contiguous();
  const Tensor w_q = w_q_in.to(DType::f64).contiguous();
  const Tensor w_k = w_k_in.to(DType::f64).contiguous();
  const Tensor w_v = w_v_in.to(DType::f64).contiguous();
  check(x.rank() == 2 && w_q.rank() == 2 && w_k.rank() == 2 && w_v.rank() == 2,
        "self-attention: x, W_Q, W_K and W_V must be matrices, got {}, {}, {}, {}", x, w_q, w_k,
        w_v);
  check(w_q.shape() == w_k.shape(), "self-attention: W_Q {} and W_K {} must have the same shape",
        w_q.shape(), w_k.shape());
  const int64_t d = x.dim(1);
  check(w_q.dim(0) == d && w_v.dim(0) == d,
        "self-attention: x has {} columns; W_Q, W_K and W_V need as many rows, got {}, {}, {}", d,
        w_q.dim(0), w_k.dim(0), w_v.dim(0));
  const double root = std::sqrt(static_cast<double>(w_k.dim(1)));
  SelfAttentionSteps steps;
  steps.q = matmul(x, w_q).value();
  steps.k = matmul(x, w_k).value();
  steps.v = matmul(x, w_v).value();
  steps.scores = matmul(steps.q, steps.k, {.transpose_b = true}).value();
  steps.scaled = scale(steps.scores, 1 / root).value();
  steps.weights = softmax(steps.scaled).value();
  steps.output = matmul(steps.weights, steps.v).value();

  // softmax(X M X') V with M = W_Q W_K' / sqrt(d_k): a bilinear score on the inputs themselves.
  const Variable m = scale(matmul(w_q, w_k, {.transpose_b = true}), 1 / root);  // [d, d]
  const Rows rows = Rows::single(x.dim(0));
  steps.one_equation = attention(x, x, steps.v, rows, rows, {.score = Bilinear{m}}).value();
  steps.difference = largest_difference(steps.output, steps.one_equation);
  steps.dot_products = x.dim(0) * x.dim(0);
  steps.parameters = w_q.size() + w_k.size() + w_v.size();
  return steps;
}

SelfAttentionExample self_attention_example(uint64_t seed, int64_t width, int64_t key_width) {
  check(width > 0 && key_width > 0, "self-attention: widths {} and {} must be positive", width,
        key_width);
  const auto drawn = [&](uint64_t site, int64_t columns) {
    Tensor w = Tensor::empty({width, columns}, DType::f64);
    const RandomKey key = random_key({.seed = seed, .site = site});
    for (int64_t i = 0; i < w.size(); ++i) {
      w.data<double>()[i] = std::floor(3 * random_uniform(key, static_cast<uint32_t>(i)));
    }
    return w;
  };
  return {Tensor::from(std::vector<double>{1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1}, {4, 3}),
          drawn(0, key_width), drawn(1, key_width), drawn(2, 2)};
}

}  // namespace heed

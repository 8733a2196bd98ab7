#include "heed/attention/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "heed/attention/prepare_problem_internal.h"
#include "heed/attention/reference_score_internal.h"
#include "heed/base/fail.h"
#include "heed/base/random.h"

namespace heed {
namespace {

using reference::Vector;

// The arguments as float64, checked.
struct Arguments {
  Tensor q, k, v;  // [N, H, Dq], [M, K, Dk], [M, K, Dv]; v undefined for weights
  Rows query_rows, key_rows;
  AttentionOptions options;
  Tensor lengths, allowed, bias;  // int64, uint8, float64; may be undefined

  Arguments(const Tensor& q_in, const Tensor& k_in, const Tensor& v_in, const Rows& query_rows_in,
            const Rows& key_rows_in, const AttentionOptions& options_in)
      : query_rows(query_rows_in), key_rows(key_rows_in), options(options_in) {
    const NoGrad no_grad;
    const auto wide = [](const Tensor& x) {
      return x.defined() ? x.to(DType::f64).contiguous() : x;
    };
    options.score = reference::in_double(options.score);
    options.bias = wide(options.bias);
    const engine::CoreInputs inputs = engine::lower(wide(q_in), wide(k_in), wide(v_in), options);
    engine::prepare<double>(inputs, query_rows, key_rows, options);  // for its checks alone
    q = engine::with_heads(wide(q_in), "q");
    k = engine::with_heads(wide(k_in), "k");
    if (v_in.defined()) v = engine::with_heads(wide(v_in), "v");
    bias = options.bias;
    if (options.mask.lengths.defined()) lengths = options.mask.lengths.to(DType::i64).contiguous();
    if (options.mask.allowed.defined()) allowed = options.mask.allowed.to(DType::u8).contiguous();
  }

  int64_t heads() const { return q.dim(1); }
  int64_t kv_head(int64_t head) const { return head / (q.dim(1) / k.dim(1)); }
};

Vector vector_at(const Tensor& x, int64_t row, int64_t head) {
  const int64_t width = x.dim(2);
  return {x.data<double>() + (row * x.dim(1) + head) * width, static_cast<size_t>(width)};
}
std::span<double> vector_at(Tensor& x, int64_t row, int64_t head) {
  const int64_t width = x.dim(2);
  return {x.data<double>() + (row * x.dim(1) + head) * width, static_cast<size_t>(width)};
}

// A query: sequence, head, and place in the sequence.
struct Query {
  int64_t b, h, t;
};

// Where a table [T, S], [B, T, S] or [B, H, T, S] has the entry of a pair; an axis of 1 repeats.
int64_t table_index(const Shape& shape, const Query& query, int64_t j) {
  const int64_t place[4] = {query.b, query.h, query.t, j};
  int64_t index = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int from_end = shape.rank() - axis;
    const int64_t at = shape.rank() == 3 && axis == 0 ? query.b : place[4 - from_end];
    index = index * shape[axis] + (shape[axis] == 1 ? 0 : at);
  }
  return index;
}

int64_t position_of(const Mask& mask, const Query& query) {
  return query.t + (mask.offsets.empty() ? mask.offset : mask.offsets[query.b]);
}

bool may_see(const Arguments& in, const Query& query, int64_t j) {
  const Mask& mask = in.options.mask;
  const int64_t p = position_of(mask, query);
  if (mask.is_causal && j > p) return false;
  if (mask.left != Mask::kUnlimited && p - j > mask.left) return false;
  if (mask.right != Mask::kUnlimited && j - p > mask.right) return false;
  if (mask.excludes_self && j == p) return false;
  if (in.lengths.defined()) {
    const int64_t row = in.query_rows.begin(query.b) + query.t;
    const int64_t at = mask.lengths_per_query ? row : query.b;
    if (j >= in.lengths.data<int64_t>()[at]) return false;
  }
  if (!in.allowed.defined()) return true;
  return in.allowed.data<uint8_t>()[table_index(in.allowed.shape(), query, j)] != 0;
}

// A key that a query may see, and the steps from its score to its weight.
struct Pair {
  int64_t j;
  double capped;      // c
  double score;       // s
  double weight = 0;  // w
};

bool is_kernel(const AttentionOptions& options) {  // the weight is exp(c)
  return std::holds_alternative<Gaussian>(options.score) &&
         (options.normalizer == Normalizer::sum || options.normalizer == Normalizer::none);
}

std::vector<Pair> visible_pairs(const Arguments& in, const Query& query) {
  const AttentionOptions& o = in.options;
  const Vector q = vector_at(std::as_const(in.q), in.query_rows.begin(query.b) + query.t, query.h);
  std::vector<Pair> pairs;
  for (int64_t j = 0; j < in.key_rows.length(query.b); ++j) {
    if (!may_see(in, query, j)) continue;
    double bias = 0;
    if (in.bias.defined()) {
      bias = in.bias.data<double>()[table_index(in.bias.shape(), query, j)];
    }
    if (bias == -std::numeric_limits<double>::infinity()) continue;
    if (!o.slopes.empty()) {
      const auto distance = static_cast<double>(std::abs(position_of(o.mask, query) - j));
      bias -= o.slopes[query.h] * distance;
    }
    const Vector k = vector_at(in.k, in.key_rows.begin(query.b) + j, in.kv_head(query.h));
    const double a = reference::pair_score(o.score, q, k);
    const double capped = o.softcap > 0 ? o.softcap * std::tanh(a / o.softcap) : a;
    const double score = (is_kernel(o) ? std::exp(capped) : capped) + bias;
    if (score == -std::numeric_limits<double>::infinity()) continue;
    pairs.push_back({j, capped, score});
  }
  return pairs;
}

// Sets the weights. Returns what `sum` divides by.
double normalize(const AttentionOptions& options, std::vector<Pair>& pairs) {
  double largest = -std::numeric_limits<double>::infinity();
  double total = 0;
  for (const Pair& p : pairs) {
    largest = std::isnan(p.score) || p.score > largest ? p.score : largest;
    total += p.score;
    check(options.normalizer != Normalizer::sum || options.allow_negative || !(p.score < 0),
          "attention: a weight is negative ({}); `sum` needs weights of 0 or more, or "
          "allow_negative",
          p.score);
  }
  if (std::abs(total) < std::numeric_limits<double>::min()) total = 0;
  double exponentials = 0;
  for (const Pair& p : pairs) exponentials += std::exp(p.score - largest);
  bool chosen = false;  // one_hot: the first of the largest
  for (Pair& p : pairs) {
    switch (options.normalizer) {
      case Normalizer::softmax: p.weight = std::exp(p.score - largest) / exponentials; break;
      case Normalizer::sum: p.weight = total == 0 ? 0 : p.score / total; break;
      case Normalizer::none: p.weight = p.score; break;
      case Normalizer::one_hot:
        if (std::isnan(largest))
          p.weight = largest;
        else if (!chosen && p.score == largest)
          p.weight = 1;
        chosen = chosen || p.score == largest;
        break;
    }
  }
  return total;
}

// r: what dropout multiplies a weight with.
double dropout_factor(const Arguments& in, const Query& query, int64_t j) {
  const AttentionOptions& o = in.options;
  if (o.dropout == 0 || o.normalizer == Normalizer::one_hot) return 1;
  const RandomKey key =
      random_key({.seed = o.seed,
                  .step = o.step,
                  .site = mix_bits(o.site ^ mix_bits(static_cast<uint64_t>(query.h))),
                  .sequence = in.query_rows.id(query.b),
                  .position = static_cast<uint64_t>(position_of(o.mask, query))});
  const auto threshold = static_cast<uint32_t>(o.dropout * 0x1p32);
  return random_bits(key, static_cast<uint32_t>(j)) < threshold ? 0 : 1 / (1 - o.dropout);
}

void forward_row(const Arguments& in, const Query& query, std::span<double> y) {
  std::vector<Pair> pairs = visible_pairs(in, query);
  normalize(in.options, pairs);
  for (const Pair& p : pairs) {
    const double w = dropout_factor(in, query, p.j) * p.weight;
    if (w == 0) continue;
    const Vector v = vector_at(in.v, in.key_rows.begin(query.b) + p.j, in.kv_head(query.h));
    for (size_t d = 0; d < y.size(); ++d) y[d] += w * v[d];
  }
}

// The formulas at the top of reference.h, from dw to ds.
std::vector<double> normalizer_backward(const AttentionOptions& options,
                                        const std::vector<Pair>& pairs, double total,
                                        const std::vector<double>& dw) {
  double mean = 0;  // sum_k w_ik dw_ik
  for (size_t n = 0; n < pairs.size(); ++n) mean += pairs[n].weight * dw[n];
  std::vector<double> ds(pairs.size());
  for (size_t n = 0; n < pairs.size(); ++n) {
    switch (options.normalizer) {
      case Normalizer::softmax: ds[n] = pairs[n].weight * (dw[n] - mean); break;
      case Normalizer::sum: ds[n] = total == 0 ? 0 : (dw[n] - mean) / total; break;
      case Normalizer::none: ds[n] = dw[n]; break;
      case Normalizer::one_hot: ds[n] = 0; break;
    }
  }
  return ds;
}

void backward_row(const Arguments& in, const Query& query, Vector dy,
                  AttentionGradients& gradients) {
  const AttentionOptions& o = in.options;
  const int64_t row = in.query_rows.begin(query.b) + query.t;
  const int64_t kv_head = in.kv_head(query.h);
  std::vector<Pair> pairs = visible_pairs(in, query);
  const double total = normalize(o, pairs);
  std::vector<double> dw;
  for (const Pair& p : pairs) {
    const int64_t key_row = in.key_rows.begin(query.b) + p.j;
    const double r = dropout_factor(in, query, p.j);
    const Vector v = vector_at(in.v, key_row, kv_head);
    const std::span<double> dv = vector_at(gradients.dv, key_row, kv_head);
    double sum = 0;
    for (size_t d = 0; d < dy.size(); ++d) {
      sum += dy[d] * v[d];
      dv[d] += r * p.weight * dy[d];
    }
    dw.push_back(r * sum);
  }
  const std::vector<double> ds = normalizer_backward(o, pairs, total, dw);
  for (size_t n = 0; n < pairs.size(); ++n) {
    const Pair& p = pairs[n];
    if (gradients.dbias.defined()) {
      gradients.dbias.data<double>()[table_index(in.bias.shape(), query, p.j)] += ds[n];
    }
    double da = is_kernel(o) ? ds[n] * std::exp(p.capped) : ds[n];
    if (o.softcap > 0) da *= 1 - (p.capped / o.softcap) * (p.capped / o.softcap);
    if (da == 0) continue;
    const int64_t key_row = in.key_rows.begin(query.b) + p.j;
    reference::add_pair_gradient(o.score, vector_at(in.q, row, query.h),
                                 vector_at(in.k, key_row, kv_head), da,
                                 vector_at(gradients.dq, row, query.h),
                                 vector_at(gradients.dk, key_row, kv_head), gradients);
  }
}

template <typename Function>
void for_each_query(const Arguments& in, const Function& function) {
  for (int64_t b = 0; b < in.query_rows.count(); ++b) {
    for (int64_t h = 0; h < in.heads(); ++h) {
      for (int64_t t = 0; t < in.query_rows.length(b); ++t) function(Query{b, h, t});
    }
  }
}

}  // namespace

Tensor reference_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                           const Rows& query_rows, const Rows& key_rows,
                           const AttentionOptions& options) {
  check(v.defined(), "attention: v is undefined");
  const Arguments in(q, k, v, query_rows, key_rows, options);
  Tensor y = Tensor::zeros({query_rows.total(), in.heads(), in.v.dim(2)}, DType::f64);
  for_each_query(in, [&](const Query& query) {
    forward_row(in, query, vector_at(y, query_rows.begin(query.b) + query.t, query.h));
  });
  return q.rank() == 2 ? y.join_heads() : y;
}

Tensor reference_attention_weights(const Tensor& q, const Tensor& k, const Rows& query_rows,
                                   const Rows& key_rows, const AttentionOptions& options,
                                   int64_t sequence, int64_t head) {
  const Arguments in(q, k, {}, query_rows, key_rows, options);
  check(sequence >= 0 && sequence < query_rows.count() && head >= 0 && head < in.heads(),
        "attention weights: sequence {} of {}, head {} of {}", sequence, query_rows.count(), head,
        in.heads());
  const int64_t keys = key_rows.length(sequence);
  Tensor w = Tensor::zeros({query_rows.length(sequence), keys}, DType::f64);
  for (int64_t t = 0; t < query_rows.length(sequence); ++t) {
    std::vector<Pair> pairs = visible_pairs(in, {sequence, head, t});
    normalize(options, pairs);
    for (const Pair& p : pairs) w.data<double>()[t * keys + p.j] = p.weight;
  }
  return w;
}

AttentionGradients reference_attention_gradients(const Tensor& q, const Tensor& k, const Tensor& v,
                                                 const Rows& query_rows, const Rows& key_rows,
                                                 const AttentionOptions& options,
                                                 const Tensor& dy) {
  check(v.defined(), "attention: v is undefined");
  const Arguments in(q, k, v, query_rows, key_rows, options);
  const Tensor slopes = engine::with_heads(dy.to(DType::f64).contiguous(), "dy");
  const Shape expected{query_rows.total(), in.heads(), in.v.dim(2)};
  check(slopes.shape() == expected, "attention: dy is {}, expected {}", dy, expected);
  AttentionGradients gradients;
  gradients.dq = Tensor::zeros(in.q.shape(), DType::f64);
  gradients.dk = Tensor::zeros(in.k.shape(), DType::f64);
  gradients.dv = Tensor::zeros(in.v.shape(), DType::f64);
  if (in.bias.defined()) gradients.dbias = Tensor::zeros(in.bias.shape(), DType::f64);
  reference::prepare_parameter_gradients(in.options.score, gradients);
  for_each_query(in, [&](const Query& query) {
    const int64_t row = query_rows.begin(query.b) + query.t;
    backward_row(in, query, vector_at(slopes, row, query.h), gradients);
  });
  gradients.dq = gradients.dq.reshape(q.shape());
  gradients.dk = gradients.dk.reshape(k.shape());
  gradients.dv = gradients.dv.reshape(v.shape());
  return gradients;
}

}  // namespace heed

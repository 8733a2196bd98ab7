// The reference itself: its gradients against central differences, and numbers worked out by hand.
#include "heed/attention/reference.h"
#include "heed/run/task_names.h"

#include <cmath>
#include <functional>

#include "tests/attention/attention_case.h"

namespace heed {
namespace {

// Reads and replaces one input of a case.
struct Input {
  const char* name;
  std::function<Tensor(const AttentionCase&)> get;
  std::function<void(AttentionCase&, const Tensor&)> set;
};

Input input_of(const char* name, Tensor AttentionCase::*member) {
  return {name, [member](const AttentionCase& c) { return c.*member; },
          [member](AttentionCase& c, const Tensor& x) { c.*member = x; }};
}

template <typename S>
Input input_of(const char* name, Variable S::*member) {
  return {
      name,
      [member](const AttentionCase& c) {
        const S* score = std::get_if<S>(&c.options.score);
        return score != nullptr ? (score->*member).value() : Tensor();
      },
      [member](AttentionCase& c, const Tensor& x) { std::get<S>(c.options.score).*member = x; }};
}

double inner(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    if (!std::isinf(a.data<double>()[i])) sum += a.data<double>()[i] * b.data<double>()[i];
  }
  return sum;
}

// The derivative of sum(dy y) when `input` moves along `direction`.
double difference(const AttentionCase& c, const Input& input, const Tensor& direction) {
  const auto loss = [&](double step) {
    AttentionCase moved = c;
    Tensor x = input.get(c).clone();
    for (int64_t i = 0; i < x.size(); ++i) {
      x.data<double>()[i] += step * direction.data<double>()[i];
    }
    input.set(moved, x);
    return inner(c.dy, reference_attention(moved.q, moved.k, moved.v, c.query_rows, c.key_rows,
                                           moved.options));
  };
  const double step = 1e-5;
  return (loss(step) - loss(-step)) / (2 * step);
}

// Element by element, or (quicker) along some random directions.
void check_input(const AttentionCase& c, const Input& input, const Tensor& analytic,
                 bool every_element) {
  ASSERT_EQ(input.get(c).defined(), analytic.defined()) << input.name;
  if (!analytic.defined()) return;
  ASSERT_EQ(input.get(c).shape(), analytic.shape()) << input.name;
  const double tolerance = 1e-7 * std::max(largest(analytic), 0.1);
  for (int64_t i = 0; every_element && i < analytic.size(); ++i) {
    Tensor direction = Tensor::zeros(analytic.shape(), DType::f64);
    direction.data<double>()[i] = 1;
    ASSERT_NEAR(analytic.data<double>()[i], difference(c, input, direction), tolerance)
        << input.name << ", element " << i;
  }
  for (uint64_t seed = 0; !every_element && seed < 5; ++seed) {
    const Tensor direction = numbers(analytic.shape(), 70 + seed);
    ASSERT_NEAR(inner(analytic, direction), difference(c, input, direction), 10 * tolerance)
        << input.name << ", direction " << seed;
  }
}

void check_reference(const AttentionCase& c, bool every_element) {
  SCOPED_TRACE(c.name);
  const AttentionGradients g =
      reference_attention_gradients(c.q, c.k, c.v, c.query_rows, c.key_rows, c.options, c.dy);
  const auto check = [&](const Input& input, const Tensor& analytic) {
    check_input(c, input, analytic, every_element && !kSlow);
  };
  check_input(c, input_of("v", &AttentionCase::v), g.dv, false);  // y is linear in v
  if (c.options.normalizer == Normalizer::one_hot) {
    EXPECT_EQ(largest(g.dq) + largest(g.dk), 0);
    return;
  }
  check(input_of("q", &AttentionCase::q), g.dq);
  check(input_of("k", &AttentionCase::k), g.dk);
  check({"bias", [](const AttentionCase& at) { return at.options.bias.value(); },
         [](AttentionCase& at, const Tensor& x) { at.options.bias = x; }},
        g.dbias);
  check(input_of("m", &Bilinear::m), g.dm);
  check(input_of("w_q", &Additive::w_q), g.dw_q);
  check(input_of("w_k", &Additive::w_k), g.dw_k);
  check(input_of("w_v", &Additive::w_v), g.dw_v);
  const Score& s = c.options.score;
  if (std::holds_alternative<Boxcar>(s)) check(input_of("width", &Boxcar::width), g.dwidth);
  if (std::holds_alternative<Gaussian>(s)) check(input_of("width", &Gaussian::width), g.dwidth);
  if (std::holds_alternative<Triangular>(s)) check(input_of("width", &Triangular::width), g.dwidth);
  if (std::holds_alternative<Epanechnikov>(s)) {
    check(input_of("width", &Epanechnikov::width), g.dwidth);
  }
}

// All dimensions differ and are at least 2: also N = 9 queries, M = 11 keys and Dv = 12.
constexpr int64_t kSequences = 3, kHeads = 4, kKvHeads = 2, kMaxQueries = 6, kMaxKeys = 7,
                  kWidth = 5, kKeyWidth = 8, kAdditiveWidth = 10;

AttentionSizes sizes(bool positive, int64_t key_width = kWidth) {
  return {.queries = {kMaxQueries, 2, 1},
          .keys = {kMaxKeys, 1, 3},
          .heads = kHeads,
          .kv_heads = kKvHeads,
          .width = kWidth,
          .value_width = 12,
          .key_width = key_width,
          .low = positive ? 0.1 : -1.0};
}

Tensor bias_with_exclusions(const Shape& shape) {
  Tensor bias = numbers(shape, 50, 0, 0.5).clone();
  for (int64_t i = 3; i < bias.size(); i += 5) bias.data<double>()[i] = -INFINITY;
  return bias;
}

// The score alone, then with everything at once.
TEST(Reference, Gradients) {
  for (int64_t key_width : {kWidth, kKeyWidth}) {
    for (Normalizer normalizer : kNormalizers) {
      const bool positive = normalizer == Normalizer::sum;
      for (const NamedScore& s : all_scores(kWidth, key_width, positive, kAdditiveWidth)) {
        AttentionCase c(sizes(positive, key_width));
        c.options.score = s.score;
        c.options.normalizer = normalizer;
        c.name = std::string(s.name) + ", " + name_of(normalizer);
        check_reference(c, true);
        c.name += ", with everything";
        c.options.softcap = 1.3;
        c.options.dropout = 0.3;
        c.options.seed = 11;
        c.options.slopes = {0.02, -0.03, 0.05, 0.01};
        c.options.allow_negative = true;
        c.options.bias = bias_with_exclusions({kSequences, kHeads, kMaxQueries, kMaxKeys});
        c.options.mask = Mask::causal(2) & Mask::window(2, -1) & Mask::exclude_self();
        check_reference(c, false);
      }
    }
  }
}

TEST(Reference, Masks) {
  const Tensor per_sequence = Tensor::from<int64_t>(std::vector<int64_t>{5, 1, 2}, {3});
  const Tensor per_query =
      Tensor::from<int32_t>(std::vector<int32_t>{7, 2, 1, 0, 3, 6, 1, 0, 3}, {9});
  Tensor allowed = Tensor::full({kSequences, 1, kMaxQueries, kMaxKeys}, 1, DType::boolean);
  for (int64_t i = 0; i < allowed.size(); i += 3) allowed.data<bool>()[i] = false;
  const std::vector<std::pair<const char*, Mask>> masks = {
      {"causal", Mask::causal()},
      {"window", Mask::window(1, 1)},
      {"exclude self", Mask::exclude_self()},
      {"length per sequence", Mask::key_lengths(per_sequence)},
      {"length per query", Mask::key_lengths_per_query(per_query)},
      {"dense", Mask::dense(allowed)},
      {"dense and causal", Mask::dense(allowed) & Mask::causal(1)}};
  for (const auto& [name, mask] : masks) {
    AttentionCase c(sizes(false));
    c.name = name;
    c.options.mask = mask;
    check_reference(c, true);
  }
}

TEST(Reference, BiasShapes) {
  for (const Shape& shape :
       {Shape{6, 7}, Shape{3, 6, 7}, Shape{3, 4, 6, 7}, Shape{1, 7}, Shape{6, 1}, Shape{1, 1},
        Shape{3, 1, 7}, Shape{1, 6, 7}, Shape{1, 4, 1, 7}, Shape{3, 1, 6, 1}, Shape{8, 9}}) {
    AttentionCase c(sizes(false));
    c.name = "bias " + shape.text();
    c.options.bias = numbers(shape, 51);
    check_reference(c, true);
  }
}

// softmax(0, ln 3) = (1/4, 3/4) over the values 8 and 4.
TEST(Reference, ByHand) {
  const Tensor q = Tensor::from<double>(std::vector<double>{1}, {1, 1});
  const Tensor k = Tensor::from<double>(std::vector<double>{0, std::log(3.0)}, {2, 1});
  const Tensor v = Tensor::from<double>(std::vector<double>{8, 4}, {2, 1});
  const Rows one = Rows::single(1), two = Rows::single(2);
  EXPECT_NEAR(reference_attention(q, k, v, one, two).item(), 5, 1e-15);
  // dy = 1: dv = w, ds = w (v - 5) = (0.75, -0.75), dk = ds q, dq = ds . k
  const AttentionGradients g =
      reference_attention_gradients(q, k, v, one, two, {}, Tensor::full({1, 1}, 1, DType::f64));
  EXPECT_NEAR(g.dv.data<double>()[1], 0.75, 1e-15);
  EXPECT_NEAR(g.dk.data<double>()[0], 0.75, 1e-15);
  EXPECT_NEAR(g.dq.item(), -0.75 * std::log(3.0), 1e-15);
}

}  // namespace
}  // namespace heed

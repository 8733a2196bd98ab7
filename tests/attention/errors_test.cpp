// Wrong arguments raise an Error that says what is wrong.
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "heed/base/error.h"
#include "tests/attention/attention_case.h"

namespace heed::errors_test {
namespace {

// What a call with changed arguments says; empty if it does not mind.
struct Arguments {
  Tensor q = Tensor::zeros({5, 4, 3}), k = Tensor::zeros({7, 2, 3}), v = Tensor::zeros({7, 2, 6});
  Rows query_rows = Rows::from_lengths({2, 3}), key_rows = Rows::from_lengths({3, 4});
  AttentionOptions options;
  WeightSelection selection;
};

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string complaint(const std::function<void(Arguments&)>& change) {
  Arguments a;
  change(a);
  return message([&] { attention(a.q, a.k, a.v, a.query_rows, a.key_rows, a.options); });
}

std::string weights_complaint(const std::function<void(Arguments&)>& change) {
  Arguments a;
  change(a);
  return message(
      [&] { attention_weights(a.q, a.k, a.query_rows, a.key_rows, a.options, a.selection); });
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "got: " << text << "\nwithout: " << part;
}

TEST(Errors, NoneWithoutReason) {
  EXPECT_EQ(complaint([](Arguments&) {}), "");
  EXPECT_EQ(weights_complaint([](Arguments&) {}), "");
}

TEST(Errors, Tensors) {
  expect_part(complaint([](Arguments& a) { a.q = Tensor(); }), "q is");
  expect_part(complaint([](Arguments& a) { a.k = Tensor(); }), "k is");
  expect_part(complaint([](Arguments& a) { a.v = Tensor(); }), "v is undefined");
  expect_part(weights_complaint([](Arguments& a) { a.q = Tensor(); }), "q is");
  expect_part(weights_complaint([](Arguments& a) { a.k = Tensor(); }), "k is");
  expect_part(complaint([](Arguments& a) { a.q = Tensor::zeros({5}); }), "expected float32 or");
  expect_part(complaint([](Arguments& a) { a.q = Tensor::zeros({1, 5, 4, 3}); }), "[1, 5, 4, 3]");
  expect_part(complaint([](Arguments& a) { a.k = a.k.to(DType::i64); }), "int64");
  expect_part(complaint([](Arguments& a) { a.k = a.k.to(DType::f64); }), "one type");
  expect_part(complaint([](Arguments& a) { a.v = a.v.to(DType::f64); }), "one type");
  expect_part(complaint([](Arguments& a) { a.q = a.q.to(DType::f64); }), "one type");
  expect_part(complaint([](Arguments& a) { a.k = Tensor::zeros({7, 2, 4}); }), "width");
  expect_part(complaint([](Arguments& a) {
                a.k = a.v = Tensor::zeros({7, 3, 3});
              }),
              "4 query heads");
  expect_part(complaint([](Arguments& a) { a.k = a.v = Tensor::zeros({7, 0, 3}); }), "0 key");
  expect_part(complaint([](Arguments& a) { a.v = Tensor::zeros({7, 1, 6}); }), "differ");
  expect_part(complaint([](Arguments& a) { a.v = Tensor::zeros({6, 2, 6}); }), "differ");
  expect_part(complaint([](Arguments& a) {
                a.q = Tensor::zeros({5, 4, 0});
                a.k = Tensor::zeros({7, 2, 0});
              }),
              "width");
}

TEST(Errors, RowsOfABatch) {
  expect_part(complaint([](Arguments& a) { a.query_rows = Rows::single(5); }), "1 sequences");
  expect_part(complaint([](Arguments& a) { a.query_rows = Rows::from_lengths({2, 2}); }), "q");
  expect_part(complaint([](Arguments& a) { a.key_rows = Rows::from_lengths({4, 4}); }), "k");
}

TEST(Errors, Numbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (double bad : {-1.0, nan, infinity}) {
    expect_part(complaint([&](Arguments& a) { a.options.softcap = bad; }), "softcap");
  }
  for (double bad : {1.0, -0.1, 2.0, nan}) {
    expect_part(complaint([&](Arguments& a) { a.options.dropout = bad; }), "dropout");
  }
  expect_part(complaint([](Arguments& a) { a.options.slopes = {1, 2, 3}; }), "3 slopes for 4");
  for (double bad : {nan, infinity}) {
    expect_part(complaint([&](Arguments& a) { a.options.slopes = {1, 2, 3, bad}; }), "slope");
    expect_part(complaint([&](Arguments& a) { a.options.score = ScaledDot{bad}; }), "scale");
  }
}

// Options are doubles; what float32 cannot hold is no infinity and no 0.
TEST(Errors, NumbersBeyondFloat32) {
  const auto both = [](const std::function<void(AttentionOptions&)>& change,
                       const std::string& part) {
    expect_part(complaint([&](Arguments& a) { change(a.options); }), part);
    EXPECT_EQ(complaint([&](Arguments& a) {
                a.q = a.q.to(DType::f64);
                a.k = a.k.to(DType::f64);
                a.v = a.v.to(DType::f64);
                change(a.options);
              }),
              "");
  };
  both([](AttentionOptions& o) { o.softcap = 1e39; }, "softcap 1e+39 is too large for float32");
  both([](AttentionOptions& o) { o.softcap = 1e-60; }, "softcap 1e-60 is too small for float32");
  both([](AttentionOptions& o) { o.score = ScaledDot{-1e39}; }, "the scale -1e+39 is too large");
  both([](AttentionOptions& o) { o.slopes = {0, 1e39, 0, 0}; }, "a slope 1e+39 is too large");
}

TEST(Errors, Masks) {
  const auto with_mask = [](const Mask& mask) {
    return complaint([&](Arguments& a) { a.options.mask = mask; });
  };
  expect_part(message([] { Mask::window(-2, 0); }), "window");
  expect_part(message([] { Mask::window(0, -2); }), "window");
  expect_part(with_mask({.left = -5}), "window");
  expect_part(with_mask({.offsets = {1, 2, 3}}), "3 offsets for 2");
  expect_part(with_mask(Mask::key_lengths(Tensor::zeros({3}, DType::i64))), "lengths");
  expect_part(with_mask(Mask::key_lengths(Tensor::zeros({2}))), "int32 or int64");
  expect_part(with_mask(Mask::key_lengths(Tensor::full({2}, -1, DType::i64))), "negative");
  expect_part(with_mask(Mask::key_lengths(Tensor::zeros({5}, DType::i64))),
              "one per sequence (2); the other way is key_lengths_per_query");
  expect_part(with_mask(Mask::key_lengths_per_query(Tensor::zeros({2}, DType::i64))),
              "one per query (5); the other way is key_lengths");
  expect_part(with_mask(Mask::dense(Tensor::zeros({3, 4}))), "bool or uint8");
  for (const Shape& shape : {Shape{4}, Shape{2, 4}, Shape{3, 3}, Shape{3, 3, 4}, Shape{2, 3, 3, 4},
                             Shape{3, 4, 3, 4}, Shape{1, 2, 4, 3, 4}}) {
    expect_part(with_mask(Mask::dense(Tensor::zeros(shape, DType::boolean))), shape.text());
    expect_part(complaint([&](Arguments& a) { a.options.bias = Tensor::zeros(shape); }),
                shape.text());
  }
  expect_part(complaint([](Arguments& a) {
                a.options.bias = Tensor::zeros({3, 4}, DType::f64);
              }),
              "bias");
  expect_part(message([] { Mask::causal(1) & Mask::causal(2); }), "different offsets");
  expect_part(message([] { Mask::causal() & Mask::causal(5); }), "different offsets, 0 and 5");
  expect_part(message([] { Mask::causal(5) & Mask::causal(); }), "different offsets, 5 and 0");
  expect_part(message([] { Mask{.offsets = {1, 2}} & Mask::causal(); }), "offsets");
  expect_part(message([] { Mask{.offsets = {1, 2}} & Mask{.offsets = {1, 3}}; }), "offsets");
  expect_part(message([] { Mask{.offsets = {1, 2}} & Mask::causal(5); }), "offsets");
  const Mask lengths = Mask::key_lengths(Tensor::zeros({2}, DType::i64));
  const Mask table = Mask::dense(Tensor::zeros({1, 1}, DType::boolean));
  expect_part(message([&] { lengths& lengths; }), "lengths");
  expect_part(message([&] { table& table; }), "table");
}

// Positions of any size: no overflow, and the largest window is no window.
TEST(Errors, HugePositions) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  AttentionCase c({.queries = {3}, .keys = {4}});
  const Outcome all = run_engine(c, DType::f32);
  c.options.mask = Mask::window(kMax, kMax);
  expect_same_outcomes(run_engine(c, DType::f32), all, "the largest window");
  EXPECT_EQ(largest(run_reference(c).y) > 0, true);
  for (int64_t offset : {kMax, kMin}) {
    expect_part(complaint([&](Arguments& a) { a.options.mask = Mask::causal(offset); }), "offset");
    expect_part(complaint([&](Arguments& a) { a.options.mask.offsets = {0, offset}; }), "offset");
  }
}

TEST(Errors, Scores) {
  const auto with_score = [](const Score& score) {
    return complaint([&](Arguments& a) { a.options.score = score; });
  };
  expect_part(with_score(Bilinear{}), "m is");
  expect_part(with_score(Bilinear{Tensor::zeros({4, 3})}), "m is");
  expect_part(with_score(Bilinear{Tensor::zeros({3, 4})}), "m is");
  expect_part(with_score(Bilinear{Tensor::zeros({3, 3}, DType::f64)}), "float64");
  const Tensor w = Tensor::zeros({5, 3}), w_v = Tensor::zeros({5});
  expect_part(with_score(Additive{}), "w_q");
  expect_part(with_score(Additive{Tensor::zeros({5, 4}), w, w_v}), "w_q");
  expect_part(with_score(Additive{w, Tensor::zeros({5, 2}), w_v}), "w_k");
  expect_part(with_score(Additive{w, Tensor::zeros({4, 3}), w_v}), "height");
  expect_part(with_score(Additive{w, w, Tensor::zeros({4})}), "height");
  expect_part(with_score(Additive{w, w, Tensor()}), "height");
  expect_part(with_score(Additive{w, w, w_v.to(DType::f64)}), "w_v");
  expect_part(with_score(CustomScore{}), "no function");
  for (double width : {0.0, -1.0, static_cast<double>(NAN)}) {
    const Tensor one = Tensor::full({1}, width);
    for (const Score& s :
         std::vector<Score>{Gaussian{one}, Boxcar{one}, Triangular{one}, Epanechnikov{one},
                            Gaussian{Tensor::full({3}, width)}}) {
      expect_part(with_score(s), "positive");
    }
  }
  expect_part(with_score(Gaussian{Tensor::full({2}, 1)}), "widths");
  expect_part(with_score(Gaussian{Tensor::full({3, 3}, 1)}), "widths");
  expect_part(with_score(Gaussian{Tensor::full({3}, 1, DType::f64)}), "widths");
}

TEST(Errors, ACustomScoreMayThrow) {
  const auto score = [](std::span<const double>, std::span<const double>) -> double {
    throw Error("my own");
  };
  EXPECT_EQ(complaint([&](Arguments& a) { a.options.score = CustomScore{score}; }), "my own");
}

TEST(Errors, WeightSelections) {
  const auto select = [](const WeightSelection& selection) {
    return weights_complaint([&](Arguments& a) { a.selection = selection; });
  };
  expect_part(select({.sequence = 2}), "sequence 2 of 2");
  expect_part(select({.sequence = -1}), "sequence -1");
  expect_part(select({.head = 4}), "head 4 of 4");
  expect_part(select({.head = -1}), "head -1");
  expect_part(select({.first_row = 3}), "of a sequence of 2");
  expect_part(select({.first_row = -1}), "of a sequence of 2");
  expect_part(select({.first_row = 1, .rows = 2}), "of a sequence of 2");
  expect_part(select({.first_row = 1, .rows = std::numeric_limits<int64_t>::max()}),
              "sequence of 2");
  const Arguments a;
  for (int64_t top : {0, -1}) {
    expect_part(
        message([&] { top_attention_weights(a.q, a.k, a.query_rows, a.key_rows, top, a.options); }),
        "top");
  }
  EXPECT_NE(message([&] {
              top_attention_weights(Tensor(), a.k, a.query_rows, a.key_rows, 1, a.options);
            }),
            "");
}

TEST(Errors, StatisticsThatDoNotFit) {
  const Arguments a;
  const auto with = [&](const std::function<void(RowStatistics&, AttentionOptions&)>& change) {
    AttentionOptions options;
    RowStatistics statistics =
        attention_with_statistics(a.q, a.k, a.v, a.query_rows, a.key_rows, options).statistics;
    change(statistics, options);
    return message(
        [&] { attention_weights(a.q, a.k, a.query_rows, a.key_rows, options, {}, statistics); });
  };
  EXPECT_EQ(with([](auto&, auto&) {}), "");
  expect_part(with([](auto& s, auto&) { s = {}; }), "statistics");
  expect_part(with([](auto& s, auto&) { s.sum = Tensor(); }), "statistics");
  expect_part(with([](auto& s, auto&) { s.max = s.max.slice(0, 0, 4); }), "statistics");
  expect_part(with([](auto& s, auto&) { s.sum = s.sum.to(DType::f64); }), "statistics");
  expect_part(with([](auto& s, auto&) { s.max = s.max.to(DType::f64); }), "statistics");
  expect_part(with([](auto&, auto& o) { o.normalizer = Normalizer::one_hot; }), "one_hot");
  expect_part(with([](auto& s, auto& o) {
                o.normalizer = Normalizer::one_hot;
                s.index = Tensor::zeros({2, 2}, DType::i64);
              }),
              "one_hot");
  EXPECT_THROW(RowStatistics().log_sum_exp(), Error);
}

TEST(Errors, Reference) {
  const Arguments a;
  const auto rows = [&](const Tensor& q, const Tensor& v) {
    return message([&] { reference_attention(q, a.k, v, a.query_rows, a.key_rows); });
  };
  EXPECT_EQ(rows(a.q, a.v), "");
  expect_part(rows(Tensor(), a.v), "q is");
  expect_part(rows(a.q, Tensor()), "v is undefined");
  expect_part(message([&] {
                reference_attention_gradients(a.q, a.k, a.v, a.query_rows, a.key_rows, {},
                                              Tensor::zeros({5, 4, 5}));
              }),
              "dy");
  expect_part(
      message([&] { reference_attention_weights(a.q, a.k, a.query_rows, a.key_rows, {}, 2, 0); }),
      "sequence 2 of 2");
}

}  // namespace
}  // namespace heed::errors_test

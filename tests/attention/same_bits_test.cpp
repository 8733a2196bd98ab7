// The same bits, forward and backward: for any number of threads, any company in the batch, all
// rows at once or one at a time, views or copies.
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "heed/run/task_names.h"
#include "tests/attention/attention_case.h"

namespace heed {
namespace {

struct NamedMask {
  const char* name;
  Mask mask;
};

std::vector<NamedMask> some_masks() {
  return {{"all", {}},
          {"causal", Mask::causal()},
          {"window", Mask::causal(3) & Mask::window(70, 0)},
          {"two-sided window", Mask::window(9, 40) & Mask::exclude_self()}};
}

// Every score and normalizer with some mask, and every mask with some score.
void for_each_kind(const AttentionSizes& sizes,
                   const std::function<void(AttentionCase&)>& function) {
  const std::vector<NamedMask> masks = some_masks();
  size_t turn = 0;
  for (const NamedScore& s : all_scores(sizes.width, sizes.width, true)) {
    for (Normalizer normalizer : kNormalizers) {
      AttentionCase c(sizes);
      const NamedMask& mask = masks[turn++ % masks.size()];
      c.options.score = s.score;
      c.options.normalizer = normalizer;
      c.options.mask = mask.mask;
      c.options.dropout = turn % 3 == 0 ? 0.2 : 0;
      c.options.softcap = turn % 5 == 0 ? 1.5 : 0;
      c.options.allow_negative = true;
      c.name = std::string(s.name) + ", " + name_of(normalizer) + ", " + mask.name;
      function(c);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

Outcome run_with_threads(const AttentionCase& c, int count) {
  const ThreadScope scope(count);
  return run_engine(c, DType::f32);
}

// The statistics of all rows, and the weights of one head.
NamedTensors inside_with_threads(const AttentionCase& c, int count) {
  const ThreadScope scope(count);
  const AttentionOptions o = ParameterOptions(c.options, DType::f32).options;
  const Tensor q = c.q.to(DType::f32), k = c.k.to(DType::f32), v = c.v.to(DType::f32);
  const RowStatistics statistics =
      attention_with_statistics(q, k, v, c.query_rows, c.key_rows, o).statistics;
  NamedTensors result = {
      {"max", statistics.max},
      {"sum", statistics.sum},
      {"weights", attention_weights(q, k, c.query_rows, c.key_rows, o, {.head = 1})}};
  if (statistics.index.defined()) result.emplace_back("index", statistics.index.to(DType::f64));
  return result;
}

void expect_same_for_any_threads(const AttentionSizes& sizes) {
  for_each_kind(sizes, [](AttentionCase& c) {
    c.options.bias = numbers({1, c.q.dim(1), 1, c.key_rows.max_length()}, 3, 0, 1);
    const Outcome one = run_with_threads(c, 1);
    const NamedTensors inside = inside_with_threads(c, 1);
    for (int count : {2, 3, 8, 16}) {
      expect_same_outcomes(run_with_threads(c, count), one, c.name);
      const NamedTensors other = inside_with_threads(c, count);
      for (size_t i = 0; i < inside.size(); ++i) {
        expect_same_bits(other[i].second, inside[i].second,
                         (c.name + ", " + inside[i].first).c_str());
      }
    }
  });
}

// Forward, backward and weights are above kParallelWork, but for the weights of the first sizes
// under sanitizers. Narrow ones are only with many tiles, hence the short sequences.
TEST(SameBits, AnyNumberOfThreads) {
  const int64_t length = kSlow ? 140 : 200;
  expect_same_for_any_threads({.queries = {length, 3, 70},
                               .keys = {length, 130, 9},
                               .heads = 4,
                               .kv_heads = 2,
                               .width = 8,
                               .value_width = 12,
                               .low = 0.1});
  expect_same_for_any_threads({.queries = {130, 3, 70},
                               .keys = {130, 130, 9},
                               .width = 64,
                               .value_width = 64,
                               .low = 0.1,
                               .high = 0.4});
  expect_same_for_any_threads({.queries = {220, 70, 3, 1, 1, 2, 1, 1, 4, 1, 1, 5, 1, 1, 2, 1, 1, 3},
                               .keys = {220, 9, 7, 2, 1, 3, 1, 5, 4, 2, 1, 6, 3, 1, 2, 8, 1, 4},
                               .kv_heads = 1,
                               .width = 2,
                               .value_width = 1,
                               .low = 0.1});
}

TEST(SameBits, AnyNumberOfThreadsWithManyKeys) {
  AttentionCase c({.queries = {5, 70}, .keys = {kSlow ? 4200 : 17000, 4200}, .width = 16});
  const Outcome one = run_with_threads(c, 1);
  for (int count : {2, 3, 8, 16}) expect_same_outcomes(run_with_threads(c, count), one, "keys");
}

// Whatever else is wanted: a gradient alone is that of all together.
TEST(SameBits, OneGradientAlone) {
  for (const int64_t keys : {150, 4200}) {  // and enough to be dealt to several tasks
    AttentionCase c({.queries = {5, 0, 7}, .keys = {keys, 3, 0}, .width = 16});
    c.options.bias = numbers({7, keys}, 9);
    const AttentionGradients all = run_engine(c, DType::f32).gradients;
    const std::pair<const char*, Tensor> expected[] = {
        {"q", all.dq}, {"k", all.dk}, {"v", all.dv}, {"bias", all.dbias}};
    for (size_t wanted = 0; wanted < std::size(expected); ++wanted) {
      std::vector<Variable> in;
      for (const Tensor& x : {c.q, c.k, c.v, c.options.bias.value()}) {
        const Tensor value = x.to(DType::f32);
        in.push_back(in.size() == wanted ? Variable::parameter(value) : Variable(value));
      }
      AttentionOptions options = c.options;
      options.bias = in[3];
      const Variable y = attention(in[0], in[1], in[2], c.query_rows, c.key_rows, options);
      const Tensor dy = c.dy.to(DType::f32);
      const Gradients g = backward(record(Tensor::zeros({1}, DType::f32), {y},
                                          [dy](const Tensor&) { return std::vector{dy}; }));
      expect_same_bits(g.of(in[wanted]).contiguous(), expected[wanted].second,
                       expected[wanted].first);
    }
  }
}

// A sequence of a case, with its id and its own rows of everything.
AttentionCase sequence_alone(const AttentionCase& c, int64_t b) {
  AttentionCase alone;
  alone.name = c.name;
  alone.options = c.options;
  alone.query_rows = Rows::single(c.query_rows.length(b), c.query_rows.id(b));
  alone.key_rows = Rows::single(c.key_rows.length(b), c.key_rows.id(b));
  const auto queries = [&](const Tensor& x) {
    return x.slice(0, c.query_rows.begin(b), c.query_rows.end(b)).clone();
  };
  const auto keys = [&](const Tensor& x) {
    return x.slice(0, c.key_rows.begin(b), c.key_rows.end(b)).clone();
  };
  alone.q = queries(c.q);
  alone.dy = queries(c.dy);
  alone.k = keys(c.k);
  alone.v = keys(c.v);
  return alone;
}

// What a sequence has to itself: its rows of y, dq, dk and dv.
Outcome part_of(const Outcome& o, const AttentionCase& c, int64_t b) {
  const auto queries = [&](const Tensor& x) {
    return x.slice(0, c.query_rows.begin(b), c.query_rows.end(b)).contiguous();
  };
  const auto keys = [&](const Tensor& x) {
    return x.slice(0, c.key_rows.begin(b), c.key_rows.end(b)).contiguous();
  };
  Outcome part;
  part.y = queries(o.y);
  part.gradients.dq = queries(o.gradients.dq);
  part.gradients.dk = keys(o.gradients.dk);
  part.gradients.dv = keys(o.gradients.dv);
  return part;
}

Outcome without_parameters(Outcome o) {
  o.gradients.dbias = o.gradients.dwidth = o.gradients.dm = Tensor();
  o.gradients.dw_q = o.gradients.dw_k = o.gradients.dw_v = Tensor();
  return o;
}

void expect_same_alone(const AttentionSizes& sizes) {
  const std::vector<uint64_t> ids = {900, 3, 77, 1u << 31, 5};
  for_each_kind(sizes, [&](AttentionCase& c) {
    c.query_rows = Rows::from_lengths(sizes.queries, ids);
    c.key_rows = Rows::from_lengths(sizes.keys, ids);
    const Outcome all = run_engine(c, DType::f32);
    for (int64_t b = 0; b < c.query_rows.count(); ++b) {
      const Outcome alone = run_engine(sequence_alone(c, b), DType::f32);
      expect_same_outcomes(without_parameters(alone), part_of(all, c, b), c.name);
    }
  });
}

TEST(SameBits, AloneAndInCompany) {
  expect_same_alone({.queries = {7, 150, 0, 66, 1},
                     .keys = {9, 150, 4, 131, 40},
                     .heads = 4,
                     .kv_heads = 2,
                     .width = 5,
                     .low = 0.1});
  AttentionSizes other{
      .queries = {7, 70, 0, 66, 1}, .keys = {9, 140, 4, 131, 40}, .kv_heads = 1, .low = 0.1};
  other.width = 2;
  other.value_width = 1;
  expect_same_alone(other);
  other.width = other.value_width = 64;
  other.high = 0.4;
  expect_same_alone(other);
}

// A sequence of many keys is cut into chunks by its own length alone.
TEST(SameBits, AloneAndInCompanyWithManyKeys) {
  AttentionCase c({.queries = {3, 5, 2}, .keys = {300, kSlow ? 4200 : 17000, 4200}});
  const Outcome all = run_engine(c, DType::f32);
  for (int64_t b = 0; b < 3; ++b) {
    expect_same_outcomes(run_engine(sequence_alone(c, b), DType::f32), part_of(all, c, b), "keys");
  }
}

// As decoding does: row t alone, at offset t, with the keys up to it or with all of them.
void expect_same_rows(const AttentionSizes& sizes, const Mask& mask) {
  const auto step = [](int64_t t) { return t % 64 > 60 || t < 3 ? 1 : 7; };
  for_each_kind(sizes, [&](AttentionCase& c) {
    c.options.mask = mask;
    const Outcome all = run_engine(c, DType::f32);
    for (int64_t t = 0; t < c.q.dim(0); t += step(t)) {
      AttentionCase row = c;
      row.q = c.q.slice(0, t, t + 1);
      row.dy = c.dy.slice(0, t, t + 1);
      row.query_rows = Rows::single(1);
      row.options.mask.offset = t;
      Outcome one = run_engine(row, DType::f32);
      expect_same_bits(one.y, all.y.slice(0, t, t + 1), c.name.c_str());
      expect_same_bits(one.gradients.dq, all.gradients.dq.slice(0, t, t + 1),
                       (c.name + ", dq").c_str());
      row.k = c.k.slice(0, 0, t + 1);
      row.v = c.v.slice(0, 0, t + 1);
      row.key_rows = Rows::single(t + 1);
      one = run_engine(row, DType::f32);
      expect_same_bits(one.y, all.y.slice(0, t, t + 1), (c.name + ", keys so far").c_str());
      expect_same_bits(one.gradients.dq, all.gradients.dq.slice(0, t, t + 1),
                       (c.name + ", keys so far, dq").c_str());
    }
  });
}

TEST(SameBits, OneRowAtATime) {
  AttentionSizes sizes{
      .queries = {kSlow ? 20 : 150}, .keys = {150}, .kv_heads = 1, .width = 5, .low = 0.1};
  for (const Mask& mask : {Mask::causal(), Mask::causal() & Mask::window(50, -1),
                           Mask::causal() & Mask::exclude_self()}) {
    expect_same_rows(sizes, mask);
  }
  sizes.width = 2;
  sizes.value_width = 1;
  expect_same_rows(sizes, Mask::causal() & Mask::window(50, -1));
  sizes.width = sizes.value_width = 64;
  sizes.high = 0.4;
  expect_same_rows(sizes, Mask::causal());
}

// Later tokens, whatever they are, do not change earlier rows.
TEST(SameBits, CausalRowsDoNotSeeLaterTokens) {
  for_each_kind({.queries = {150}, .keys = {150}, .heads = 2, .width = 5, .low = 0.1},
                [](AttentionCase& c) {
                  c.options.mask = Mask::causal();
                  const Outcome before = run_engine(c, DType::f32);
                  for (int64_t t : {1, 64, 149}) {
                    for (double other : {0.5, std::numeric_limits<double>::quiet_NaN()}) {
                      AttentionCase changed = c;
                      for (Tensor* x : {&changed.q, &changed.k, &changed.v, &changed.dy}) {
                        *x = x->clone();
                        x->slice(0, t, 150).fill(other);
                      }
                      const Outcome after = run_engine(changed, DType::f32);
                      const auto early = [t](const Tensor& x) { return x.slice(0, 0, t); };
                      expect_same_bits(early(after.y), early(before.y), c.name.c_str());
                      expect_same_bits(early(after.gradients.dq), early(before.gradients.dq),
                                       (c.name + ", dq").c_str());
                    }
                  }
                });
}

// q, k and v as slices of one fused product, and as copies.
TEST(SameBits, ViewsAndCopies) {
  const int64_t heads = 3, width = 5;
  for_each_kind(
      {.queries = {70, 9},
       .keys = {70, 9},
       .heads = heads,
       .kv_heads = heads,
       .width = width,
       .value_width = width,
       .low = 0.1},
      [&](AttentionCase& c) {
        const Tensor fused = numbers({79, 3 * heads * width}, 4, 0.1, 1).to(DType::f32);
        const auto part = [&](int64_t i) {
          return fused.slice(1, i * heads * width, (i + 1) * heads * width).split_heads(heads);
        };
        AttentionCase views = c, copies = c;
        views.q = part(0);
        views.k = part(1);
        views.v = part(2);
        ASSERT_FALSE(views.q.is_contiguous());
        copies.q = views.q.clone();
        copies.k = views.k.clone();
        copies.v = views.v.clone();
        expect_same_outcomes(run_engine(views, DType::f32), run_engine(copies, DType::f32), c.name);
      });
}

}  // namespace
}  // namespace heed

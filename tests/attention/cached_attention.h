// Sequences whose attention is known without a cache, and the comparison with what a cache gives.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "heed/attention/cached_attention.h"
#include "tests/attention/attention_case.h"

namespace heed::key_value_cache_test {

using Slots = std::vector<int64_t>;

// Sequences whose queries, keys and values are all known, and the outputs without a cache.
struct Whole {
  DType type;
  Rows query_rows, key_rows;
  Tensor q, k, v;
  AttentionOptions options;
  AttentionResult result;
  CacheShape shape;

  Whole(const AttentionCase& c, DType as)
      : type(as),
        query_rows(c.query_rows),
        key_rows(c.key_rows),
        q(c.q.to(as)),
        k(c.k.to(as)),
        v(c.v.to(as)),
        options(ParameterOptions(c.options, as).options),
        shape{c.k.dim(1), c.k.dim(2), c.v.dim(2), as} {
    const NoGrad no_grad;
    result = attention_with_statistics(q, k, v, query_rows, key_rows, options);
  }

  KeyValueCache empty_cache() const { return KeyValueCache(shape, options.score); }
};

// Some rows of one sequence: rows [begin, end) of sequence b go to or come from `slot`.
struct Part {
  int64_t b, begin, end, slot;
};

inline Tensor gather(const Tensor& x, const Rows& rows, const std::vector<Part>& parts) {
  int64_t total = 0;
  for (const Part& p : parts) total += p.end - p.begin;
  Tensor result = Tensor::empty({total, x.dim(1), x.dim(2)}, x.dtype());
  int64_t to = 0;
  for (const Part& p : parts) {
    const int64_t first = rows.begin(p.b), count = p.end - p.begin;
    result.slice(0, to, to + count).copy_from(x.slice(0, first + p.begin, first + p.begin + count));
    to += count;
  }
  return result;
}

inline Rows rows_of(const std::vector<Part>& parts) {
  std::vector<int64_t> lengths;
  for (const Part& p : parts) lengths.push_back(p.end - p.begin);
  return Rows::from_lengths(lengths);
}

inline Slots slots_of(const std::vector<Part>& parts) {
  Slots slots;
  for (const Part& p : parts) slots.push_back(p.slot);
  return slots;
}

inline void append(KeyValueCache& cache, const Whole& whole, const std::vector<Part>& parts) {
  const NoGrad no_grad;
  cache.append(gather(whole.k, whole.key_rows, parts), gather(whole.v, whole.key_rows, parts),
               rows_of(parts), slots_of(parts));
}

// Leaves free blocks that are full of NaN, as a sequence of before may: nobody must read it.
inline void spoil_blocks(KeyValueCache& cache, const Whole& whole) {
  constexpr int64_t kPositions = 8 * 128;
  const auto spoilt = [&](int64_t width) {
    Tensor x = Tensor::empty({kPositions, whole.shape.kv_heads, width}, DType::f64);
    x.fill(std::numeric_limits<double>::quiet_NaN());
    return x.to(whole.type);
  };
  const Slots slots = {cache.add_sequence()};
  cache.append(spoilt(whole.shape.key_width), spoilt(whole.shape.value_width),
               Rows::single(kPositions), slots);
  cache.remove(slots[0]);
}

// The queries of these parts give the rows of the whole.
inline void expect_rows(const KeyValueCache& cache, const Whole& whole,
                        const std::vector<Part>& parts, const AttentionOptions& options,
                        const std::string& name) {
  const NoGrad no_grad;
  const AttentionResult result = attention_with_statistics(
      gather(whole.q, whole.query_rows, parts), cache, rows_of(parts), slots_of(parts), options);
  expect_same_bits(result.output.value(),
                   gather(whole.result.output.value(), whole.query_rows, parts), name.c_str());
  const auto statistics = [&](const Tensor& x) {
    return gather(x.reshape({x.dim(0), x.dim(1), 1}), whole.query_rows, parts);
  };
  const Shape shape = result.statistics.max.shape();
  expect_same_bits(result.statistics.max, statistics(whole.result.statistics.max).reshape(shape),
                   (name + ", max").c_str());
  expect_same_bits(result.statistics.sum, statistics(whole.result.statistics.sum).reshape(shape),
                   (name + ", sum").c_str());
}

// Self-attention in steps: `cuts` are the lengths after each step.
inline void expect_steps(KeyValueCache& cache, const Whole& whole, int64_t b, const Slots& cuts,
                         const std::string& name, bool drops = false) {
  const int64_t slot = cache.add_sequence();
  int64_t begin = 0;
  for (const int64_t end : cuts) {
    const std::vector<Part> part = {{b, begin, end, slot}};
    append(cache, whole, part);
    ASSERT_EQ(cache.length(slot), end);
    expect_rows(cache, whole, part, whole.options, name + " to " + std::to_string(end));
    if (drops) {
      cache.drop_before(slot, std::max<int64_t>(0, end - whole.options.mask.left));
    }
    begin = end;
  }
  cache.remove(slot);
}

// Every position by itself from `first` on.
inline Slots one_by_one(int64_t first, int64_t end) {
  Slots cuts;
  for (int64_t t = first; t <= end; ++t) cuts.push_back(t);
  return cuts;
}

inline AttentionSizes self_attention(int64_t length) {
  return {.queries = {length, length - 5},
          .keys = {length, length - 5},
          .heads = 4,
          .kv_heads = 2,
          .width = 5,
          .value_width = 7,
          .low = 0.1};
}

}  // namespace heed::key_value_cache_test

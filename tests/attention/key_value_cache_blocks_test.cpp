// What becomes of the blocks of a cache: forks share them, windows drop them, truncation frees
// them.
#include "tests/attention/cached_attention.h"

namespace heed::key_value_cache_test {
namespace {

// A fork shares what is full and copies the partial block when either side grows.
TEST(KeyValueCache, Forks) {
  for (const int64_t common : {0, 1, 127, 128, 129, 256, 300}) {
    // Two sequences that are alike up to `common`.
    AttentionCase c(self_attention(310));
    c.options.mask = Mask::causal();
    Tensor k = c.k.clone(), v = c.v.clone(), q = c.q.clone();
    for (Tensor* x : {&k, &v, &q}) {
      x->slice(0, 310, 310 + common).copy_from(x->slice(0, 0, common).clone());
    }
    c.k = k, c.v = v, c.q = q;
    for (const DType type : {DType::f32, DType::f64}) {
      const Whole whole(c, type);
      KeyValueCache cache = whole.empty_cache();
      const int64_t first = cache.add_sequence();
      append(cache, whole, {{0, 0, common, first}});
      const int64_t second = cache.fork(first);
      const int64_t blocks = (common + 127) / 128;
      EXPECT_EQ(cache.length(second), common);
      EXPECT_EQ(cache.blocks_in_use(), blocks);
      for (int64_t t = common; t < 305; ++t) {
        const std::vector<Part> both = {{1, t, t + 1, second}, {0, t, t + 1, first}};
        append(cache, whole, both);
        expect_rows(cache, whole, both, whole.options, "fork");
      }
      const int64_t shared = common / 128;
      EXPECT_EQ(cache.blocks_in_use(), 2 * 3 - shared);
      cache.remove(first);
      EXPECT_EQ(cache.blocks_in_use(), 3);
      const std::vector<Part> rest = {{1, 100, 305, second}};
      AttentionOptions options = whole.options;
      options.mask.offsets = {100};
      expect_rows(cache, whole, rest, options, "after the other left");
    }
  }
}

// Of several sequences with the same partial block, the last one to grow keeps it.
TEST(KeyValueCache, ForksCopyOneBlockEach) {
  AttentionCase c(self_attention(140));
  c.options.mask = Mask::causal();
  const Whole whole(c, DType::f32);
  KeyValueCache cache = whole.empty_cache();
  const int64_t parent = cache.add_sequence();
  append(cache, whole, {{0, 0, 130, parent}});
  const int64_t a = cache.fork(parent), b = cache.fork(parent);
  cache.remove(parent);
  EXPECT_EQ(cache.blocks_in_use(), 2);
  const std::vector<Part> parts = {{0, 130, 131, a}, {0, 130, 131, b}};
  append(cache, whole, parts);
  EXPECT_EQ(cache.blocks_in_use(), 3);
  expect_rows(cache, whole, parts, whole.options, "children");
  cache.remove(a);
  cache.remove(b);
  EXPECT_EQ(cache.blocks_in_use(), 0);
  const int64_t bytes = cache.bytes();
  EXPECT_EQ(bytes, 3 * 2 * 128 * (5 + 7) * 4);
  expect_steps(cache, whole, 0, {140}, "free blocks");
  EXPECT_EQ(cache.bytes(), bytes) << "free blocks are used again";
}

TEST(KeyValueCache, WindowsDropBlocks) {
  const int64_t length = kSlow ? 300 : 600;
  for (const int64_t left : {0, 1, 60, 127, 128, 129, 200}) {
    AttentionCase c(self_attention(length));
    c.options.mask = Mask::causal() & Mask::window(left, -1);
    c.options.slopes = {0.5, 0.25, 0.1, 0.01};
    const Whole whole(c, DType::f32);
    KeyValueCache cache = whole.empty_cache();
    expect_steps(cache, whole, 0, one_by_one(130, length), "window", true);
    expect_steps(cache, whole, 1, {100, 190, 290, 295}, "window", true);
    EXPECT_LE(cache.bytes(), (3 + (length > 400 ? 2 : 0) + 2) * int64_t{2 * 128 * (5 + 7) * 4});
  }
}

TEST(KeyValueCache, DroppedBlocksStayShared) {
  AttentionCase c(self_attention(300));
  c.options.mask = Mask::causal() & Mask::window(30, -1);
  const Whole whole(c, DType::f32);
  KeyValueCache cache = whole.empty_cache();
  const int64_t a = cache.add_sequence();
  append(cache, whole, {{0, 0, 290, a}});
  const int64_t b = cache.fork(a);
  cache.drop_before(a, 260);
  EXPECT_EQ(cache.first_position(a), 256);
  EXPECT_EQ(cache.first_position(b), 0);
  EXPECT_EQ(cache.blocks_in_use(), 3);
  const int64_t d = cache.fork(a);
  EXPECT_EQ(cache.first_position(d), 256);
  const std::vector<Part> parts = {{0, 290, 295, a}, {0, 290, 300, b}, {0, 290, 291, d}};
  append(cache, whole, parts);
  expect_rows(cache, whole, parts, whole.options, "dropped and shared");
  EXPECT_EQ(cache.blocks_in_use(), 2 + 3);
  cache.remove(b);
  EXPECT_EQ(cache.blocks_in_use(), 2);
  cache.remove(a);
  cache.remove(d);
  EXPECT_EQ(cache.blocks_in_use(), 0);
}

// Of values with one column, those behind the end are read as well, with weights of 0. A fork or a
// truncated sequence gets a block that another one has left.
TEST(KeyValueCache, CopiedBlocksEndWithZeros) {
  AttentionCase c({.queries = {140, 140}, .keys = {140, 140}, .value_width = 1});
  c.options.mask = Mask::causal();
  for (const DType type : {DType::f32, DType::f64}) {
    const Whole whole(c, type);
    for (const int64_t length : {1, 15, 16, 17, 30, 127, 129}) {
      KeyValueCache cache = whole.empty_cache();
      spoil_blocks(cache, whole);
      const int64_t a = cache.add_sequence();
      append(cache, whole, {{0, 0, length, a}});
      const int64_t b = cache.fork(a);
      std::vector<Part> next = {{0, length, length + 1, a}, {0, length, length + 1, b}};
      append(cache, whole, next);
      expect_rows(cache, whole, next, whole.options, "forked");
      const int64_t shorter = cache.fork(a);
      cache.truncate(shorter, length);
      next = {{0, length, length + 1, a}, {0, length - 1, length, shorter}};
      expect_rows(cache, whole, next, whole.options, "truncated");
    }
  }
}

TEST(KeyValueCache, Truncate) {
  AttentionCase c(self_attention(300));
  c.options.mask = Mask::causal();
  for (const DType type : {DType::f32, DType::f64}) {
    const Whole whole(c, type);
    for (const int64_t length : {0, 1, 100, 127, 128, 129, 256, 280, 290}) {
      KeyValueCache cache = whole.empty_cache();
      spoil_blocks(cache, whole);
      const int64_t a = cache.add_sequence();
      append(cache, whole, {{1, 0, 290, a}});
      cache.truncate(a, 0);
      append(cache, whole, {{0, 0, 290, a}});
      const int64_t b = cache.fork(a);
      cache.truncate(a, length);
      EXPECT_EQ(cache.length(a), length);
      EXPECT_EQ(cache.length(b), 290);
      const std::vector<Part> parts = {{0, length, 295, a}, {0, 290, 295, b}};
      append(cache, whole, parts);
      expect_rows(cache, whole, parts, whole.options, "truncated");
    }
  }
}

}  // namespace
}  // namespace heed::key_value_cache_test

// Attention on a cache gives the bits of attention on whole sequences.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "heed/run/task_names.h"
#include "tests/attention/cached_attention.h"

namespace heed::key_value_cache_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Self-attention of every kind: each score with some normalizer, mask and further option.
std::vector<AttentionCase> self_attention_cases(int64_t length) {
  const std::vector<std::pair<const char*, Mask>> masks = {
      {"causal", Mask::causal()},
      {"window", Mask::causal() & Mask::window(20, -1)},
      {"window without causal", Mask::window(130, 0)},
      {"not self", Mask::causal() & Mask::exclude_self()}};
  std::vector<AttentionCase> cases;
  size_t turn = 0;
  for (const NamedScore& s : all_scores(5, 5, true)) {
    for (const Normalizer normalizer : kNormalizers) {
      AttentionCase c(self_attention(length));
      const auto& [mask_name, mask] = masks[turn++ % masks.size()];
      c.options.score = s.score;
      c.options.normalizer = normalizer;
      c.options.mask = mask;
      c.options.allow_negative = true;
      if (turn % 2 == 0) c.options.softcap = 1.5;
      if (turn % 3 == 0) c.options.slopes = {0.5, 0.25, 0.1, 0.01};
      c.name = std::string(s.name) + ", " + name_of(normalizer) + ", " + mask_name;
      cases.push_back(c);
    }
  }
  return cases;
}

TEST(KeyValueCache, AnySplitOfEveryKind) {
  for (const AttentionCase& c : self_attention_cases(140)) {
    for (const DType type : {DType::f32, DType::f64}) {
      const Whole whole(c, type);
      KeyValueCache cache = whole.empty_cache();
      spoil_blocks(cache, whole);
      expect_steps(cache, whole, 0, {140}, c.name);
      expect_steps(cache, whole, 0, {1, 127, 128, 129, 140}, c.name);
      expect_steps(cache, whole, 0, {3, 3, 126, 139, 140}, c.name);
      if (!kSlow) expect_steps(cache, whole, 0, one_by_one(120, 140), c.name);
      EXPECT_EQ(cache.blocks_in_use(), 0);
      if (HasFailure()) return;
    }
  }
}

TEST(KeyValueCache, EveryPositionByItself) {
  AttentionCase c(self_attention(270));
  c.options.mask = Mask::causal();
  c.options.slopes = {0.5, 0.25, 0.1, 0.01};
  for (const DType type : {DType::f32, DType::f64}) {
    const Whole whole(c, type);
    KeyValueCache cache = whole.empty_cache();
    spoil_blocks(cache, whole);
    expect_steps(cache, whole, 0, one_by_one(1, 270), "one by one");
  }
}

TEST(KeyValueCache, AnyNumberOfThreads) {
  for (const AttentionCase& c : self_attention_cases(140)) {
    const Whole whole(c, DType::f32);
    for (const int count : {1, 2, 3}) {
      const ThreadScope scope(count);
      KeyValueCache cache = whole.empty_cache();
      expect_steps(cache, whole, 1, {70, 129, 130, 135}, c.name);
    }
  }
}

// Enough work that threads are really used.
TEST(KeyValueCache, AnyNumberOfThreadsOnLongSequences) {
  const int64_t length = kSlow ? 300 : 1500;
  AttentionCase c({.queries = {length, length},
                   .keys = {length, length},
                   .heads = 8,
                   .kv_heads = 4,
                   .width = 64,
                   .value_width = 64});
  c.options.mask = Mask::causal();
  const Whole whole(c, DType::f32);
  for (const int count : {1, 2, 3}) {
    const ThreadScope scope(count);
    KeyValueCache cache = whole.empty_cache();
    const int64_t a = cache.add_sequence(), b = cache.add_sequence();
    std::vector<Part> parts = {{0, 0, length - 2, a}, {1, 0, length - 2, b}};
    for (int64_t end = length - 2; end <= length; ++end) {
      for (Part& p : parts) p.end = end;
      append(cache, whole, parts);
      expect_rows(cache, whole, parts, whole.options, "long");
      for (Part& p : parts) p.begin = end;
    }
  }
}

// Sequences that come, grow at their own pace, pause and leave.
TEST(KeyValueCache, AnyCompany) {
  AttentionCase c({.queries = {200, 131, 60, 5},
                   .keys = {200, 131, 60, 5},
                   .heads = 4,
                   .kv_heads = 2,
                   .width = 6,
                   .value_width = 9});
  c.options.mask = Mask::causal();
  const Whole whole(c, DType::f32);
  KeyValueCache cache = whole.empty_cache();
  Slots slot(4, -1), done(4, 0);
  const auto step = [&](const std::vector<std::pair<int64_t, int64_t>>& counts) {
    std::vector<Part> parts;
    for (const auto& [b, count] : counts) {
      const auto at = static_cast<size_t>(b);
      if (slot[at] < 0) slot[at] = cache.add_sequence();
      parts.push_back({b, done[at], done[at] + count, slot[at]});
      done[at] += count;
    }
    append(cache, whole, parts);
    expect_rows(cache, whole, parts, whole.options, "company");
  };
  step({{0, 130}});
  step({{1, 127}, {0, 1}});
  step({{0, 1}, {2, 59}, {1, 1}});
  step({{2, 1}, {1, 1}, {0, 1}, {3, 0}});
  cache.remove(slot[2]);
  step({{3, 5}, {1, 2}, {0, 67}});
  cache.remove(slot[1]);
  cache.remove(slot[0]);
  slot = {-1, -1, -1, slot[3]};
  done = {0, 0, 0, done[3]};
  step({{2, 60}, {0, 200}, {1, 131}});  // into blocks that held other sequences
}

// Keys that are all there, queries that come one after the other, and several of one slot.
TEST(KeyValueCache, CrossAttention) {
  for (const int64_t keys : {1, 127, 128, 129, 260}) {
    for (const NamedScore& s : all_scores(5, 5, true)) {
      AttentionCase c({.queries = {12, 70},
                       .keys = {keys, 40},
                       .heads = 4,
                       .kv_heads = 2,
                       .width = 5,
                       .value_width = 7,
                       .low = 0.1});
      c.options.score = s.score;
      if (keys == 129) c.options.mask = Mask::window(9, 40);
      const Whole whole(c, DType::f32);
      KeyValueCache cache = whole.empty_cache();
      const int64_t a = cache.add_sequence(), b = cache.add_sequence();
      append(cache, whole, {{0, 0, keys, a}, {1, 0, 40, b}});
      for (int64_t t = 0; t < 12; t += 3) {
        AttentionOptions options = whole.options;
        options.mask.offsets = {t + 2, t, t, t + 1};
        expect_rows(cache, whole,
                    {{0, t + 2, t + 3, a},
                     {1, t, t + 60 - 2 * t, b},
                     {0, t, t + 1, a},
                     {0, t + 1, t + 2, a}},
                    options, s.name);
      }
    }
  }
}

TEST(KeyValueCache, DifferentWidthsOfQueriesAndKeys) {
  for (const NamedScore& s : all_scores(4, 6, false)) {
    for (const DType type : {DType::f32, DType::f64}) {
      AttentionCase c({.queries = {140, 3}, .keys = {140, 3}, .width = 4, .key_width = 6});
      c.options.score = s.score;
      c.options.mask = Mask::causal();
      const Whole whole(c, type);
      KeyValueCache cache = whole.empty_cache();
      expect_steps(cache, whole, 0, {1, 2, 127, 128, 140}, s.name);
    }
  }
}

// A NaN that no query may see: in a later row of the block, before the window, in a neighbor.
TEST(KeyValueCache, MaskedNaN) {
  for (const NamedScore& s : all_scores(5, 5, true)) {
    for (const Mask& mask : {Mask::causal(), Mask::causal() & Mask::window(20, -1)}) {
      AttentionCase c(self_attention(150));
      c.options.score = s.score;
      c.options.mask = mask;
      c.v = c.v.clone();
      c.k = c.k.clone();
      c.v.slice(0, 100, 101).fill(kNaN);
      c.v.slice(0, 140, 141).slice(2, 2, 3).fill(std::numeric_limits<double>::infinity());
      c.k.slice(0, 130, 131).fill(kNaN);
      const Whole whole(c, DType::f32);
      KeyValueCache cache = whole.empty_cache();
      expect_steps(cache, whole, 0, {99, 100, 101, 119, 120, 121, 131, 145, 150}, s.name);
      expect_steps(cache, whole, 0, {150}, s.name);
      // The blocks that held NaN serve others.
      expect_steps(cache, whole, 1, {1, 90, 129, 145}, s.name);
    }
  }
}

TEST(KeyValueCache, TablesAndLengths) {
  AttentionCase c(self_attention(140));
  c.options.mask = Mask::causal();
  c.options.mask.allowed = random_tensor({140, 140}, 8, DType::f64, 0, 3).to(DType::u8);
  c.options.bias = numbers({4, 140, 140}, 9).reshape({1, 4, 140, 140});
  const Whole whole(c, DType::f32);
  KeyValueCache cache = whole.empty_cache();
  const int64_t slot = cache.add_sequence();
  for (const auto& [begin, end] : {std::pair{0, 100}, {100, 129}, {129, 130}, {130, 140}}) {
    append(cache, whole, {{0, begin, end, slot}});
    AttentionOptions options = whole.options;
    // Row 0 of a table belongs to the first query of the call.
    options.mask.allowed = whole.options.mask.allowed.slice(0, begin, end);
    options.bias = whole.options.bias.value().slice(2, begin, end);
    expect_rows(cache, whole, {{0, begin, end, slot}}, options, "tables");
  }
  AttentionOptions limited;
  limited.mask.lengths = Tensor::from(std::vector<int64_t>{70}, {1});
  const Tensor q = whole.q.slice(0, 0, 3);
  expect_same_bits(attention(q, cache, Rows::single(3), Slots{slot}, limited),
                   attention(q, whole.k.slice(0, 0, 70), whole.v.slice(0, 0, 70), Rows::single(3),
                             Rows::single(70))
                       .value(),
                   "lengths");
}

TEST(KeyValueCache, OneHeadWithoutAnAxis) {
  AttentionCase c({.queries = {130}, .keys = {130}, .heads = 1, .kv_heads = 1});
  const Tensor q = c.q.reshape({130, 4}), k = c.k.reshape({130, 4}), v = c.v.reshape({130, 6});
  KeyValueCache cache({.key_width = 4, .value_width = 6, .type = DType::f64});
  const Slots slots = {cache.add_sequence()};
  cache.append(k, v, Rows::single(130), slots);
  const Tensor y = attention(q, cache, Rows::single(130), slots);
  EXPECT_EQ(y.shape(), (Shape{130, 6}));
  expect_same_bits(y, attention(q, k, v, Rows::single(130), Rows::single(130)).value(), "2-D");
}

TEST(KeyValueCache, ScalarValues) {
  AttentionCase c({.queries = {140, 140}, .keys = {140, 140}, .value_width = 1});
  c.options.mask = Mask::causal();
  c.v.slice(0, 10, 11).fill(kNaN);
  const Whole whole(c, DType::f32);
  KeyValueCache cache = whole.empty_cache();
  spoil_blocks(cache, whole);
  expect_steps(cache, whole, 0, {1, 10, 11, 139, 140}, "scalars");
  expect_steps(cache, whole, 1, {3, 129, 140}, "scalars");
}

TEST(KeyValueCache, DropoutIsAFunctionOfPositions) {
  AttentionCase c(self_attention(140));
  c.options.mask = Mask::causal();
  c.options.dropout = 0.3;
  c.options.seed = 7;
  const Whole whole(c, DType::f32);
  KeyValueCache cache = whole.empty_cache();
  expect_steps(cache, whole, 0, {100, 139, 140}, "dropout");
}

TEST(KeyValueCache, EmptySequences) {
  KeyValueCache cache({.key_width = 4, .value_width = 6});
  const Slots slots = {cache.add_sequence()};
  const Tensor y = attention(Tensor::full({2, 1, 4}, 1), cache, Rows::single(2), slots);
  expect_same_bits(y, Tensor::zeros({2, 1, 6}), "no keys");
  const Tensor none = attention(Tensor::zeros({0, 1, 4}), cache, Rows::from_lengths({}), Slots{});
  EXPECT_EQ(none.shape(), (Shape{0, 1, 6}));
  cache.append(Tensor::zeros({0, 1, 4}), Tensor::zeros({0, 1, 6}), Rows::single(0), slots);
  EXPECT_EQ(cache.length(slots[0]), 0);
  EXPECT_EQ(cache.blocks_in_use(), 0);
}

// The weights of any row are those without a cache, with and without statistics.
TEST(KeyValueCache, Weights) {
  for (const AttentionCase& c : self_attention_cases(140)) {
    const Whole whole(c, DType::f32);
    KeyValueCache cache = whole.empty_cache();
    const Slots slots = {cache.add_sequence(), cache.add_sequence()};
    append(cache, whole, {{1, 0, 135, slots[0]}, {0, 0, 139, slots[1]}});
    append(cache, whole, {{0, 139, 140, slots[1]}});
    // The last two rows of sequence 1 and the last five of sequence 0.
    const std::vector<Part> parts = {{1, 133, 135, slots[0]}, {0, 135, 140, slots[1]}};
    const Tensor q = gather(whole.q, whole.query_rows, parts);
    const Rows rows = rows_of(parts);
    const NoGrad no_grad;
    const RowStatistics statistics =
        attention_with_statistics(q, cache, rows, slots, whole.options).statistics;
    for (const int64_t head : {0, 3}) {
      for (int64_t b = 0; b < 2; ++b) {
        const Part& part = parts[b];
        const Tensor expected =
            attention_weights(whole.q, whole.k, whole.query_rows, whole.key_rows, whole.options,
                              {.sequence = part.b, .head = head, .first_row = part.begin + 1});
        const WeightSelection selection{.sequence = b, .head = head, .first_row = 1};
        expect_same_bits(attention_weights(q, cache, rows, slots, whole.options, selection),
                         expected, c.name.c_str());
        expect_same_bits(
            attention_weights(q, cache, rows, slots, whole.options, selection, statistics),
            expected, c.name.c_str());
      }
    }
    if (HasFailure()) return;
  }
}

TEST(KeyValueCache, Moves) {
  KeyValueCache cache({.key_width = 4, .value_width = 6});
  const Slots slots = {cache.add_sequence()};
  cache.append(Tensor::zeros({3, 1, 4}), Tensor::full({3, 1, 6}, 2), Rows::single(3), slots);
  KeyValueCache moved = std::move(cache);
  const Tensor y = attention(Tensor::zeros({1, 1, 4}), moved, Rows::single(1), slots);
  expect_same_bits(y, Tensor::full({1, 1, 6}, 2), "moved");
}

}  // namespace
}  // namespace heed::key_value_cache_test

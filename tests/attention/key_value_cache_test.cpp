// Attention on a cache gives the bits of attention on whole sequences.
#include "heed/attention/key_value_cache.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/attention/attention_case.h"

namespace heed::key_value_cache_test {
namespace {

using Slots = std::vector<int64_t>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

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

Tensor gather(const Tensor& x, const Rows& rows, const std::vector<Part>& parts) {
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

Rows rows_of(const std::vector<Part>& parts) {
  std::vector<int64_t> lengths;
  for (const Part& p : parts) lengths.push_back(p.end - p.begin);
  return Rows::from_lengths(lengths);
}

Slots slots_of(const std::vector<Part>& parts) {
  Slots slots;
  for (const Part& p : parts) slots.push_back(p.slot);
  return slots;
}

void append(KeyValueCache& cache, const Whole& whole, const std::vector<Part>& parts) {
  const NoGrad no_grad;
  cache.append(gather(whole.k, whole.key_rows, parts), gather(whole.v, whole.key_rows, parts),
               rows_of(parts), slots_of(parts));
}

// The queries of these parts give the rows of the whole.
void expect_rows(const KeyValueCache& cache, const Whole& whole, const std::vector<Part>& parts,
                 const AttentionOptions& options, const std::string& name) {
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
void expect_steps(KeyValueCache& cache, const Whole& whole, int64_t b, const Slots& cuts,
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
Slots one_by_one(int64_t first, int64_t end) {
  Slots cuts;
  for (int64_t t = first; t <= end; ++t) cuts.push_back(t);
  return cuts;
}

AttentionSizes self_attention(int64_t length) {
  return {.queries = {length, length - 5},
          .keys = {length, length - 5},
          .heads = 4,
          .kv_heads = 2,
          .width = 5,
          .value_width = 7,
          .low = 0.1};
}

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
      expect_steps(cache, whole, 0, {140}, c.name);
      expect_steps(cache, whole, 0, {1, 127, 128, 129, 140}, c.name);
      expect_steps(cache, whole, 0, {3, 3, 126, 139, 140}, c.name);
      if (!kSanitized) expect_steps(cache, whole, 0, one_by_one(120, 140), c.name);
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
  const int64_t length = kSanitized ? 300 : 1500;
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
  const int64_t length = kSanitized ? 300 : 600;
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

TEST(KeyValueCache, Truncate) {
  AttentionCase c(self_attention(300));
  c.options.mask = Mask::causal();
  for (const DType type : {DType::f32, DType::f64}) {
    const Whole whole(c, type);
    for (const int64_t length : {0, 1, 100, 127, 128, 129, 256, 280, 290}) {
      KeyValueCache cache = whole.empty_cache();
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
        const Part& part = parts[static_cast<size_t>(b)];
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

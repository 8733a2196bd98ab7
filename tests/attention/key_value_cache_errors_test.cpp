// What a cache refuses, and what it says then.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/cached_attention.h"
#include "heed/base/error.h"
#include "tests/attention/attention_case.h"

namespace heed::key_value_cache_errors_test {
namespace {

using Slots = std::vector<int64_t>;

std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

void expect_error(const std::function<void()>& call, const std::string& part) {
  const std::string text = message(call);
  EXPECT_NE(text.find(part), std::string::npos) << "got: " << text << "\nwithout: " << part;
}

TEST(KeyValueCacheErrors, Shapes) {
  expect_error([] { KeyValueCache({.value_width = 3}); }, "keys of width 0");
  expect_error([] { KeyValueCache({.kv_heads = 0, .key_width = 2, .value_width = 3}); }, "0 heads");
  expect_error([] { KeyValueCache({.key_width = 2, .value_width = 3, .type = DType::i64}); },
               "int64");
  expect_error(
      [] {
        KeyValueCache({.key_width = 2, .value_width = 3},
                      Additive{Tensor::zeros({5, 2}), Tensor::zeros({5, 3}), Tensor::zeros({5})});
      },
      "w_k is float32 [5, 3], expected float32 [h, 2]");
}

TEST(KeyValueCacheErrors, Slots) {
  KeyValueCache cache({.key_width = 4, .value_width = 6});
  const int64_t slot = cache.add_sequence(), gone = cache.add_sequence();
  const Tensor k = Tensor::zeros({1, 1, 4}), v = Tensor::zeros({1, 1, 6});
  cache.remove(gone);
  for (const auto& [bad, says] : {std::pair<int64_t, const char*>{gone, "was removed"},
                                  {7, "slot 7 was never given out"},
                                  {-1, "slot -1 was never given out"}}) {
    const Slots slots = {bad};
    expect_error([&, b = bad] { cache.remove(b); }, says);
    expect_error([&, b = bad] { cache.fork(b); }, says);
    expect_error([&, b = bad] { (void)cache.length(b); }, says);
    expect_error([&, b = bad] { (void)cache.first_position(b); }, says);
    expect_error([&, b = bad] { cache.truncate(b, 0); }, says);
    expect_error([&, b = bad] { cache.drop_before(b, 0); }, says);
    expect_error([&] { cache.append(k, v, Rows::single(1), slots); }, says);
    expect_error([&] { attention(k, cache, Rows::single(1), slots); }, says);
    expect_error([&] { attention_weights(k, cache, Rows::single(1), slots); }, says);
  }
  const Tensor k2 = Tensor::zeros({2, 1, 4}), v2 = Tensor::zeros({2, 1, 6});
  expect_error(
      [&] {
        cache.append(k2, v2, Rows::from_lengths({1, 1}), Slots{slot, slot});
      },
      "comes twice");
  expect_error(
      [&] {
        cache.append(k2, v2, Rows::from_lengths({1, 1}), Slots{slot});
      },
      "2 sequences but 1 slots");
  expect_error(
      [&] {
        attention(k2, cache, Rows::from_lengths({1, 1}), Slots{slot});
      },
      "2 sequences of queries but 1 slots");
  EXPECT_EQ(cache.length(slot), 0) << "a wrong call changes nothing";
}

TEST(KeyValueCacheErrors, Tensors) {
  KeyValueCache cache({.kv_heads = 2, .key_width = 4, .value_width = 6});
  const Slots slots = {cache.add_sequence()};
  const Rows rows = Rows::single(3);
  const Tensor k = Tensor::zeros({3, 2, 4}), v = Tensor::zeros({3, 2, 6});
  const auto append = [&](const Variable& keys, const Variable& values) {
    return [&, keys, values] { cache.append(keys, values, rows, slots); };
  };
  expect_error(append(Tensor(), v), "k is");
  expect_error(append(Tensor::zeros({3, 2, 5}), v), "append: k is float32 [3, 2, 5], expected");
  expect_error(append(Tensor::zeros({3, 1, 4}), v), "append: k is float32 [3, 1, 4], expected");
  expect_error(append(k, Tensor::zeros({3, 2, 4})), "append: v is float32 [3, 2, 4], expected");
  expect_error(append(k.to(DType::f64), v), "append: k is float64");
  expect_error(append(k, v.to(DType::f64)), "append: v is float64");
  expect_error(append(Tensor::zeros({4, 2, 4}), v), "append: k");
  expect_error(append(k, Tensor::zeros({2, 2, 6})), "append: v");
  expect_error(append(Variable::parameter(k), v), "NoGrad");
  EXPECT_EQ(cache.length(slots[0]), 0) << "a wrong call changes nothing";
  append(k, v)();

  const auto attend = [&](const Variable& q, const AttentionOptions& options = {}) {
    return [&, q, options] { attention(q, cache, rows, slots, options); };
  };
  expect_error(attend(Tensor()), "q is");
  expect_error(attend(Tensor::zeros({3, 2, 5})), "differ in width");
  expect_error(attend(Tensor::zeros({3, 3, 4})), "not a multiple of 2");
  expect_error(attend(Tensor::zeros({3, 2, 4}, DType::f64)), "q is float64");
  expect_error(attend(Tensor::zeros({2, 2, 4})), "attention: q");
  expect_error(attend(Variable::parameter(Tensor::zeros({3, 2, 4}))), "NoGrad");
  AttentionOptions bias;
  bias.bias = Variable::parameter(Tensor::zeros({3, 3}));
  expect_error(attend(Tensor::zeros({3, 2, 4}), bias), "NoGrad");
  {
    const NoGrad no_grad;
    attend(Variable::parameter(Tensor::zeros({3, 2, 4})))();
  }
  attend(Tensor::zeros({3, 6, 4}))();
}

TEST(KeyValueCacheErrors, Scores) {
  const Tensor w_k = Tensor::zeros({5, 4});
  const Additive additive{Tensor::zeros({5, 4}), w_k, Tensor::zeros({5})};
  KeyValueCache plain({.key_width = 4, .value_width = 6});
  KeyValueCache projected({.key_width = 4, .value_width = 6}, additive);
  const Slots slots = {plain.add_sequence()};
  ASSERT_EQ(projected.add_sequence(), slots[0]);
  const Tensor q = Tensor::zeros({1, 1, 4});
  const auto attend = [&](const KeyValueCache& cache, const Score& score) {
    return [&, score] { attention(q, cache, Rows::single(1), slots, {.score = score}); };
  };
  attend(plain, Gaussian{})();
  attend(projected, additive)();
  expect_error(attend(plain, additive), "the score is additive");
  expect_error(attend(projected, ScaledDot{}), "the score is not additive");
  Additive other = additive;
  other.w_k = Tensor::zeros({5, 4});
  expect_error(attend(projected, other), "not the one that the cache was made with");
}

TEST(KeyValueCacheErrors, Positions) {
  KeyValueCache cache({.key_width = 4, .value_width = 6});
  const Slots slots = {cache.add_sequence()};
  const auto attend = [&](int64_t queries, const Mask& mask) {
    return [&, queries, mask] {
      attention(Tensor::zeros({queries, 1, 4}), cache, Rows::single(queries), slots,
                {.mask = mask});
    };
  };
  expect_error(attend(2, Mask::causal()), "2 queries but 0 cached keys; append theirs first");
  cache.append(Tensor::zeros({300, 1, 4}), Tensor::zeros({300, 1, 6}), Rows::single(300), slots);
  expect_error([&] { cache.drop_before(slots[0], 301); }, "position 301");
  expect_error([&] { cache.drop_before(slots[0], -1); }, "position -1");
  expect_error([&] { cache.truncate(slots[0], 301); }, "cannot become 301");
  cache.drop_before(slots[0], 200);
  EXPECT_EQ(cache.first_position(slots[0]), 128);
  expect_error(attend(1, Mask::causal()), "may see keys from 0 on, but those before 128");
  const Mask window = Mask::causal() & Mask::window(171, -1);
  attend(1, window)();
  expect_error(attend(2, window), "query at position 298 of slot 0 may see keys from 127 on");
  expect_error([&] { cache.truncate(slots[0], 127); }, "holds positions 128 to 300");
  cache.truncate(slots[0], 128);
  EXPECT_EQ(cache.blocks_in_use(), 0);
  cache.append(Tensor::zeros({2, 1, 4}), Tensor::zeros({2, 1, 6}), Rows::single(2), slots);
  EXPECT_EQ(cache.length(slots[0]), 130);
}

}  // namespace
}  // namespace heed::key_value_cache_errors_test

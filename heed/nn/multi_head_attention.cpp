#include "heed/nn/multi_head_attention.h"

#include <cmath>

#include "heed/attention/attention.h"
#include "heed/attention/cached_attention.h"
#include "heed/base/fail.h"
#include "heed/nn/positions.h"
#include "heed/ops/reshape.h"
#include "heed/ops/split.h"

namespace heed {
namespace {

MultiHeadAttentionOptions resolved(MultiHeadAttentionOptions options, int64_t width) {
  check(options.heads > 0, "multi-head attention: expected at least 1 head, got {}", options.heads);
  if (options.kv_heads == 0) options.kv_heads = options.heads;
  check(options.kv_heads > 0 && options.heads % options.kv_heads == 0,
        "multi-head attention: {} heads cannot share {} heads of keys and values; take a divisor",
        options.heads, options.kv_heads);
  if (options.key_width == 0) {
    check(width % options.heads == 0,
          "multi-head attention: a width of {} cannot be split into {} heads; choose a multiple, "
          "or give the width of a head",
          width, options.heads);
    options.key_width = width / options.heads;
  }
  if (options.query_width == 0) options.query_width = options.key_width;
  check(options.query_width == options.key_width || options.score == ScoreKind::additive ||
            options.score == ScoreKind::bilinear,
        "multi-head attention: queries of width {} have no dot product with keys of width {}; make "
        "them equal, or take the additive or the bilinear score",
        options.query_width, options.key_width);
  check(
      options.query_width == options.key_width || !options.rotary,
      "multi-head attention: rotary positions turn queries and keys alike, so their widths {} and "
      "{} must be equal",
      options.query_width, options.key_width);
  if (options.value_width == 0) options.value_width = options.key_width;
  if (options.output_width == 0) options.output_width = width;
  if (options.hidden == 0) options.hidden = options.key_width;
  return options;
}

Score make_score(const ParameterScope& scope, const MultiHeadAttentionOptions& options) {
  const int64_t q = options.query_width, k = options.key_width;
  switch (options.score) {
    case ScoreKind::scaled_dot: return ScaledDot{};
    case ScoreKind::dot: return Dot{};
    case ScoreKind::additive: {
      const int64_t h = options.hidden;
      return Additive{scope.create("w_q", {h, q}, Initializer::glorot(q, h)),
                      scope.create("w_k", {h, k}, Initializer::glorot(k, h)),
                      scope.create("w_v", {h}, Initializer::glorot(h, 1))};
    }
    case ScoreKind::bilinear: return Bilinear{scope.create("m", {q, k}, Initializer::glorot(q, k))};
  }
  fail("multi-head attention: unknown score {}", static_cast<int>(options.score));
}

struct Shared {
  Rows rows;
  std::vector<int64_t> slots;
};

// Neighbours that look at the same slot become one sequence, so that it is read once for all. The
// order of the rows is not changed, and without a mask they all see the same.
Shared shared_memory(const Rows& rows, std::span<const int64_t> slots) {
  std::vector<int64_t> lengths, once;
  for (size_t b = 0; b < slots.size(); ++b) {
    const int64_t length = rows.length(static_cast<int64_t>(b));
    if (!once.empty() && once.back() == slots[b]) {
      lengths.back() += length;
    } else {
      once.push_back(slots[b]);
      lengths.push_back(length);
    }
  }
  return {Rows::from_lengths(lengths), std::move(once)};
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(const ParameterScope& scope, int64_t width,
                                       const MultiHeadAttentionOptions& options)
    : options_(resolved(options, width)), name_(scope.name()), site_(scope.site()) {
  const int64_t queries = options_.heads * options_.query_width;
  const int64_t keys = options_.kv_heads * options_.key_width;
  const int64_t values = options_.kv_heads * options_.value_width;
  if (options_.source_width == 0) {
    qkv = Linear(scope.in("qkv"), width, queries + keys + values,
                 {.bias = options_.bias, .initializer = Initializer::glorot(width, queries)});
  } else {
    query = Linear(scope.in("query"), width, queries, {.bias = options_.bias});
    keys_values = Linear(
        scope.in("keys_values"), options_.source_width, keys + values,
        {.bias = options_.bias, .initializer = Initializer::glorot(options_.source_width, keys)});
  }
  output = Linear(scope.in("output"), options_.heads * options_.value_width, options_.output_width,
                  {.bias = options_.bias});
  score = make_score(scope.in("score"), options_);
  type_ = output.weight.value().dtype();
}

AttentionOptions MultiHeadAttention::options_for(const Mask& mask, const Pass& pass) const {
  AttentionOptions result{.score = score, .mask = mask};
  if (pass.training) {
    result.dropout = options_.dropout;
    result.seed = pass.seed;
    result.step = pass.step;
    result.site = site_;
  }
  return result;
}

Variable MultiHeadAttention::turned(const Variable& x, const Rows& rows,
                                    std::span<const int64_t> offsets) const {
  if (!options_.rotary) return x;
  return rotary_at(x, row_positions(rows, offsets), *options_.rotary);
}

void MultiHeadAttention::notify(const Pass& pass, const AttentionCall& call) const {
  if (pass.observer != nullptr) pass.observer->attention(name_, call);
}

Variable MultiHeadAttention::finish(const Variable& heads) const {
  return output(join_heads(heads));
}

Variable MultiHeadAttention::self(const Variable& x, const Rows& rows, const Mask& mask,
                                  const Pass& pass, const CacheSlots& cached) const {
  check(options_.source_width == 0, "{}: made for cross attention", name_);
  std::vector<Variable> parts =
      split(qkv(x), {options_.heads * options_.query_width, options_.kv_heads * options_.key_width,
                     options_.kv_heads * options_.value_width});
  std::vector<int64_t> offsets;
  if (cached.cache != nullptr) {
    for (const int64_t slot : cached.slots) offsets.push_back(cached.cache->length(slot));
  }
  const Variable q = turned(split_heads(parts[0], options_.heads), rows, offsets);
  const Variable k = turned(split_heads(parts[1], options_.kv_heads), rows, offsets);
  const Variable v = split_heads(parts[2], options_.kv_heads);
  AttentionOptions options = options_for(mask, pass);
  if (cached.cache == nullptr) {
    notify(pass, {.q = q, .query_rows = rows, .k = k, .key_rows = rows, .options = options});
    pass.observe(name_, ".v", v, rows);
    const Variable mix = heed::attention(q, k, v, rows, rows, options);
    pass.observe(name_, ".mix", mix, rows);
    return finish(mix);
  }
  cached.cache->append(k, v, rows, cached.slots);
  options.mask.offsets = offsets;
  notify(pass, {.q = q,
                .query_rows = rows,
                .cache = cached.cache,
                .slots = {cached.slots.begin(), cached.slots.end()},
                .options = options});
  return finish(heed::attention(q, *cached.cache, rows, cached.slots, options));
}

Variable MultiHeadAttention::cross(const Variable& x, const Rows& rows, const Variable& memory,
                                   const Rows& memory_rows, const Pass& pass) const {
  check(options_.source_width != 0, "{}: made for self-attention", name_);
  std::vector<Variable> parts =
      split(keys_values(memory),
            {options_.kv_heads * options_.key_width, options_.kv_heads * options_.value_width});
  const Variable q = split_heads(query(x), options_.heads);
  const Variable k = split_heads(parts[0], options_.kv_heads);
  const Variable v = split_heads(parts[1], options_.kv_heads);
  const AttentionOptions options = options_for({}, pass);
  notify(pass, {.q = q, .query_rows = rows, .k = k, .key_rows = memory_rows, .options = options});
  pass.observe(name_, ".v", v, memory_rows);
  const Variable mix = heed::attention(q, k, v, rows, memory_rows, options);
  pass.observe(name_, ".mix", mix, rows);
  return finish(mix);
}

Variable MultiHeadAttention::cross(const Variable& x, const Rows& rows, const CacheSlots& cached,
                                   const Pass& pass) const {
  const Variable q = split_heads(query(x), options_.heads);
  const AttentionOptions options = options_for({}, pass);
  notify(pass, {.q = q,
                .query_rows = rows,
                .cache = cached.cache,
                .slots = {cached.slots.begin(), cached.slots.end()},
                .options = options});
  const Shared shared = shared_memory(rows, cached.slots);
  return finish(heed::attention(q, *cached.cache, shared.rows, shared.slots, options));
}

void MultiHeadAttention::remember(const Tensor& memory, const Rows& memory_rows,
                                  const CacheSlots& cached) const {
  const NoGrad no_grad;
  std::vector<Variable> parts =
      split(keys_values(memory),
            {options_.kv_heads * options_.key_width, options_.kv_heads * options_.value_width});
  cached.cache->append(split_heads(parts[0], options_.kv_heads),
                       split_heads(parts[1], options_.kv_heads), memory_rows, cached.slots);
}

KeyValueCache MultiHeadAttention::make_cache() const {
  return KeyValueCache({.kv_heads = options_.kv_heads,
                        .key_width = options_.key_width,
                        .value_width = options_.value_width,
                        .type = type_},
                       score);
}

}  // namespace heed

#include "heed/attention/key_value_cache.h"

#include <algorithm>
#include <vector>

#include "heed/attention/cache_state_internal.h"
#include "heed/attention/prepare_problem_internal.h"
#include "heed/base/fail.h"

namespace heed {

using engine::block_at;
using engine::kBlock;
using engine::release_block;

KeyValueCache::KeyValueCache(const CacheShape& shape, const Score& score)
    : state_(std::make_unique<engine::CacheState>()) {
  check(shape.kv_heads > 0 && shape.key_width > 0 && shape.value_width > 0,
        "KeyValueCache: {} heads, keys of width {} and values of width {}; each must be 1 or more",
        shape.kv_heads, shape.key_width, shape.value_width);
  check(is_real(shape.type), "KeyValueCache: the type is {}, expected float32 or float64",
        name(shape.type));
  state_->shape = shape;
  state_->width = shape.key_width;
  if (const auto* additive = std::get_if<Additive>(&score)) {
    const Tensor& w_k = additive->w_k.value();
    check(w_k.defined() && w_k.rank() == 2 && w_k.dim(1) == shape.key_width &&
              w_k.dtype() == shape.type,
          "KeyValueCache: w_k is {}, expected {} [h, {}]", w_k, name(shape.type), shape.key_width);
    state_->w_k = w_k;
    state_->width = w_k.dim(0);
  }
}

KeyValueCache::~KeyValueCache() = default;
KeyValueCache::KeyValueCache(KeyValueCache&&) noexcept = default;
KeyValueCache& KeyValueCache::operator=(KeyValueCache&&) noexcept = default;

const CacheShape& KeyValueCache::shape() const { return state_->shape; }

int64_t KeyValueCache::add_sequence() {
  if (state_->free_slots.empty()) {
    state_->free_slots.push_back(static_cast<int64_t>(state_->sequences.size()));
    state_->sequences.emplace_back();
  }
  const int64_t slot = state_->free_slots.back();
  state_->free_slots.pop_back();
  state_->sequences[slot].is_live = true;
  return slot;
}

int64_t KeyValueCache::fork(int64_t slot) {
  const engine::CachedSequence copy = state_->at(slot, "fork");
  const auto held = copy.blocks.begin() + copy.dropped;
  std::for_each(held, copy.blocks.end(), [&](int64_t b) { ++block_at(*state_, b).users; });
  const int64_t result = add_sequence();
  state_->sequences[result] = copy;
  return result;
}

void KeyValueCache::remove(int64_t slot) {
  engine::CachedSequence& sequence = state_->at(slot, "remove");
  const auto held = sequence.blocks.begin() + sequence.dropped;
  std::for_each(held, sequence.blocks.end(), [&](int64_t b) { release_block(*state_, b); });
  sequence = {};
  state_->free_slots.push_back(slot);
}

int64_t KeyValueCache::length(int64_t slot) const { return state_->at(slot, "length").length; }

void KeyValueCache::append(const Variable& k, const Variable& v, const Rows& rows,
                           std::span<const int64_t> slots) {
  check(!will_record({&k, &v}),
        "append: k or v wants a gradient, which a cache does not keep; use NoGrad");
  const NoGrad no_grad;
  const CacheShape& shape = state_->shape;
  Variable keys = engine::with_heads(k, "k");
  const Variable values = engine::with_heads(v, "v");
  const auto fits = [&](const Variable& x, int64_t width) {
    return x.value().dtype() == shape.type && x.value().dim(1) == shape.kv_heads &&
           x.value().dim(2) == width;
  };
  check(fits(keys, shape.key_width), "append: k is {}, expected {} [N, {}, {}]", k.value(),
        name(shape.type), shape.kv_heads, shape.key_width);
  check(fits(values, shape.value_width), "append: v is {}, expected {} [N, {}, {}]", v.value(),
        name(shape.type), shape.kv_heads, shape.value_width);
  rows.require_total(keys.value().dim(0), "append: k");
  rows.require_total(values.value().dim(0), "append: v");
  check(static_cast<int64_t>(slots.size()) == rows.count(), "append: {} sequences but {} slots",
        rows.count(), slots.size());
  std::vector<int64_t> sorted(slots.begin(), slots.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  check(twice == sorted.end(), "append: slot {} comes twice; give its rows as one sequence",
        twice == sorted.end() ? 0 : *twice);
  for (const int64_t slot : slots) (void)state_->at(slot, "append");
  if (state_->w_k.defined()) keys = engine::project(keys, state_->w_k, true);
  engine::append_rows(*state_, keys, values, rows, slots);
}

void KeyValueCache::truncate(int64_t slot, int64_t length) {
  engine::CachedSequence& sequence = state_->at(slot, "truncate");
  check(length >= sequence.dropped * kBlock && length <= sequence.length,
        "truncate: slot {} holds positions {} to {}, so its length cannot become {}", slot,
        sequence.dropped * kBlock, sequence.length, length);
  if (length == sequence.length) return;
  while (static_cast<int64_t>(sequence.blocks.size()) > engine::block_count(length)) {
    release_block(*state_, sequence.blocks.back());
    sequence.blocks.pop_back();
  }
  sequence.length = length;
  engine::clear_end(*state_, sequence);
}

void KeyValueCache::drop_before(int64_t slot, int64_t position) {
  engine::CachedSequence& sequence = state_->at(slot, "drop_before");
  check(position >= 0 && position <= sequence.length,
        "drop_before: position {} of a sequence of {} (slot {})", position, sequence.length, slot);
  for (; (sequence.dropped + 1) * kBlock <= position; ++sequence.dropped) {
    release_block(*state_, sequence.blocks[sequence.dropped]);
  }
}

int64_t KeyValueCache::first_position(int64_t slot) const {
  return state_->at(slot, "first_position").dropped * kBlock;
}

int64_t KeyValueCache::blocks_in_use() const {
  return static_cast<int64_t>(state_->blocks.size() - state_->free_blocks.size());
}

int64_t KeyValueCache::bytes() const {
  const int64_t elements = state_->shape.kv_heads * state_->head_size();
  return static_cast<int64_t>(state_->blocks.size() * byte_size(state_->shape.type)) * elements;
}

}  // namespace heed

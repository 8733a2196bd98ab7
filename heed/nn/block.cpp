#include "heed/nn/block.h"

#include "heed/ops/add.h"
#include "heed/ops/dropout.h"

namespace heed {
namespace {

// In the order of Part. First letters tell the dropout sites of parts apart: with equal ones, two
// parts would drop the same elements.
constexpr const char* kPartNames[] = {"attention", "cross", "feed_forward"};

constexpr bool first_letters_differ() {
  for (const char* const& a : kPartNames) {
    for (const char* const& b : kPartNames) {
      if (&a != &b && a[0] == b[0]) return false;
    }
  }
  return true;
}
static_assert(first_letters_differ());

}  // namespace

Variable drop(const Variable& x, const Rows& rows, double probability, const Pass& pass,
              uint64_t site) {
  if (!pass.training || probability == 0) return x;
  return dropout(x, rows, {.p = probability, .site = pass.site(site)});
}

Block::Block(const ParameterScope& scope, int64_t width, const BlockOptions& options)
    : options_(options), name_(scope.name()), site_(scope.site()) {
  attention_norm = Norm(scope.in("attention_norm"), width, options.norm);
  attention = MultiHeadAttention(scope.in("attention"), width, options.attention);
  if (options.memory_width > 0) {
    MultiHeadAttentionOptions to_memory = options.attention;
    to_memory.source_width = options.memory_width;
    to_memory.rotary.reset();
    cross_norm = Norm(scope.in("cross_norm"), width, options.norm);
    cross = MultiHeadAttention(scope.in("cross"), width, to_memory);
  }
  feed_forward_norm = Norm(scope.in("feed_forward_norm"), width, options.norm);
  feed_forward = FeedForward(scope.in("feed_forward"), width, options.hidden, options.feed_forward);
}

template <typename F>
Variable Block::part(Part which, const Norm& norm, const Variable& x, const Rows& rows,
                     const Pass& pass, const F& f) const {
  const bool pre = options_.norm_place == NormPlace::pre;
  const std::string name = kPartNames[static_cast<size_t>(which)];
  const std::string full = name_ + "." + name;
  const Variable input = pre ? norm(x) : x;
  pass.observe(full, ".input", input, rows);
  const Variable inner = f(input);
  pass.observe(full, inner, rows);
  // The site of a part: the block's, mixed with the part's own letter.
  const uint64_t site = mix_bits(site_ ^ static_cast<uint64_t>(name[0]));
  Variable sum = add(x, drop(inner, rows, options_.dropout, pass, site));
  pass.observe(full, ".sum", sum, rows);
  if (pre) return sum;
  Variable y = norm(sum);
  pass.observe(full, ".norm", y, rows);
  return y;
}

Variable Block::operator()(const Variable& x, const Rows& rows, const Mask& mask,
                           const Memory& memory, const Pass& pass, const CacheSlots& cached) const {
  Variable y = part(Part::attention, attention_norm, x, rows, pass,
                    [&](const Variable& h) { return attention.self(h, rows, mask, pass, cached); });
  if (options_.memory_width > 0) {
    y = part(Part::cross, cross_norm, y, rows, pass, [&](const Variable& h) {
      if (memory.cached.cache != nullptr) return cross.cross(h, rows, memory.cached, pass);
      return cross.cross(h, rows, memory.states, memory.rows, pass);
    });
  }
  y = part(Part::feed_forward, feed_forward_norm, y, rows, pass, feed_forward);
  pass.observe(name_, y, rows);
  return y;
}

}  // namespace heed

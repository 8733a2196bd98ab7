#include <algorithm>

#include "heed/base/fail.h"
#include "heed/models/pool_internal.h"
#include "heed/models/transformer.h"
#include "heed/ops/gather.h"

namespace heed {
namespace {

class TransformerDecoding final : public Decoding {
 public:
  explicit TransformerDecoding(const Transformer& model)
      : model_(model), caches_(model.make_caches()) {}

  std::vector<int64_t> begin(const Batch& batch) override {
    const NoGrad no_grad;
    std::vector<int64_t> slots, sources;
    for (int64_t b = 0; b < batch.source_rows.count(); ++b) {
      slots.push_back(
          for_each(caches_.self, [](KeyValueCache& cache) { return cache.add_sequence(); }));
      if (caches_.memory.empty()) continue;
      sources.push_back(
          for_each(caches_.memory, [](KeyValueCache& cache) { return cache.add_sequence(); }));
      look_at(slots.back(), sources.back());
    }
    if (!caches_.memory.empty()) {
      const Tensor memory = model_.encode(batch.source, batch.source_rows, {});
      model_.remember(memory, batch.source_rows, caches_, sources);
    }
    return slots;
  }

  Tensor advance(std::span<const int64_t> slots, const Rows& rows, const Tensor& ids,
                 const Pass& pass) override {
    const NoGrad no_grad;
    check(static_cast<int64_t>(slots.size()) == rows.count(), "decoding: {} slots, {} sequences",
          slots.size(), rows.count());
    const bool is_prefix = model_.config().kind == TransformerKind::prefix && is_new(slots);
    const Variable x = model_.decode_next(ids, rows, is_prefix, caches_, slots, pass);
    return model_.output()(gather(x, last_rows(rows)));
  }

  int64_t length(int64_t slot) const override { return caches_.self[0].length(slot); }

  int64_t limit() const override {
    return model_.config().positions == PositionKind::learned ? model_.config().context : 0;
  }

  int64_t fork(int64_t slot) override {
    const int64_t result =
        for_each(caches_.self, [&](KeyValueCache& cache) { return cache.fork(slot); });
    if (!caches_.memory.empty()) look_at(result, caches_.source_of[slot]);
    return result;
  }

  void remove(int64_t slot) override {
    const auto remove_from = [](std::vector<KeyValueCache>& caches, int64_t from) {
      for (KeyValueCache& cache : caches) cache.remove(from);
    };
    remove_from(caches_.self, slot);
    if (caches_.memory.empty()) return;
    const int64_t source = caches_.source_of[slot];
    if (--lookers_[source] == 0) remove_from(caches_.memory, source);
  }

 private:
  // All caches hand out the same slots, because they see the same calls.
  template <typename F>
  static int64_t for_each(std::vector<KeyValueCache>& caches, const F& f) {
    int64_t result = -1;
    for (KeyValueCache& cache : caches) result = f(cache);
    return result;
  }

  // Forks of a slot look at the same source.
  void look_at(int64_t slot, int64_t source) {
    const auto fit = [](std::vector<int64_t>& list, int64_t index) -> int64_t& {
      const auto at = static_cast<size_t>(index);
      if (at >= list.size()) list.resize(at + 1);
      return list[at];
    };
    fit(caches_.source_of, slot) = source;
    ++fit(lookers_, source);
  }

  bool is_new(std::span<const int64_t> slots) const {
    const auto empty = [this](int64_t slot) { return length(slot) == 0; };
    const bool any = std::any_of(slots.begin(), slots.end(), empty);
    check(!any || std::all_of(slots.begin(), slots.end(), empty),
          "decoding: prefixes and later tokens cannot be read in one call");
    return any;
  }

  const Transformer& model_;
  Transformer::Caches caches_;
  std::vector<int64_t> lookers_;  // of a slot of the memory: how many look at it
};

}  // namespace

std::unique_ptr<Decoding> Transformer::decoding() const {
  check(config_.head == HeadKind::next_token, "transformer: this model does not predict tokens");
  return std::make_unique<TransformerDecoding>(*this);
}

}  // namespace heed

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "heed/base/fail.h"
#include "heed/models/rnn_seq2seq.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/gather.h"

namespace heed {
namespace {

// Sequences that a recurrent encoder-decoder is writing.
class RnnDecoding final : public Decoding {
 public:
  explicit RnnDecoding(const RnnSeq2seq& model) : model_(model) {}

  std::vector<int64_t> begin(const Batch& batch) override;
  Tensor advance(std::span<const int64_t> slots, const Rows& rows, const Tensor& ids,
                 const Pass& pass) override;
  int64_t length(int64_t slot) const override { return at(slot).length; }
  int64_t fork(int64_t slot) override;
  void remove(int64_t slot) override;

 private:
  // One encoded source, shared by the slots that were forked from one.
  struct Source {
    Tensor states, summary, keys;  // [S, De], [1, De], [S, A] or undefined
  };
  struct Slot {
    std::shared_ptr<const Source> source;
    std::vector<Tensor> states;  // of each layer, [1, S]
    int64_t length = 0;
  };

  const Slot& at(int64_t slot) const;
  // The sources of these slots as one memory. It is kept while the slots have the same sources.
  const RnnSeq2seq::Memory& memory_of(std::span<const int64_t> slots);

  const RnnSeq2seq& model_;
  std::map<int64_t, Slot> slots_;
  int64_t next_ = 0;
  std::vector<std::shared_ptr<const Source>> assembled_;
  RnnSeq2seq::Memory memory_;
};

const RnnDecoding::Slot& RnnDecoding::at(int64_t slot) const {
  const auto found = slots_.find(slot);
  check(found != slots_.end(), "decoding: there is no slot {}", slot);
  return found->second;
}

std::vector<int64_t> RnnDecoding::begin(const Batch& batch) {
  const NoGrad no_grad;
  const RnnSeq2seq::Memory memory = model_.encode(batch.source, batch.source_rows, {});
  const std::vector<Variable> start = model_.start(memory);
  std::vector<int64_t> result;
  for (int64_t b = 0; b < memory.rows.count(); ++b) {
    const auto rows_of = [&](const Variable& x) {
      return x.value().defined() ? x.value().slice(0, memory.rows.begin(b), memory.rows.end(b))
                                 : Tensor();
    };
    Slot slot;
    slot.source = std::make_shared<const Source>(Source{
        rows_of(memory.states), memory.summary.value().slice(0, b, b + 1), rows_of(memory.keys)});
    for (const Variable& state : start) slot.states.push_back(state.value().slice(0, b, b + 1));
    slots_[next_] = std::move(slot);
    result.push_back(next_++);
  }
  return result;
}

const RnnSeq2seq::Memory& RnnDecoding::memory_of(std::span<const int64_t> slots) {
  std::vector<std::shared_ptr<const Source>> sources;
  for (const int64_t slot : slots) sources.push_back(at(slot).source);
  if (sources == assembled_) return memory_;
  const auto joined = [&](Tensor Source::*part) {
    std::vector<Variable> parts;
    parts.reserve(sources.size());
    for (const auto& source : sources) parts.emplace_back((*source).*part);
    return parts[0].value().defined() ? concatenate(parts) : Variable();
  };
  std::vector<int64_t> lengths;
  lengths.reserve(sources.size());
  for (const auto& source : sources) lengths.push_back(source->states.dim(0));
  memory_ = {.rows = Rows::from_lengths(lengths),
             .states = joined(&Source::states),
             .summary = joined(&Source::summary),
             .keys = joined(&Source::keys)};
  model_.pack(memory_);
  assembled_ = std::move(sources);
  return memory_;
}

Tensor RnnDecoding::advance(std::span<const int64_t> slots, const Rows& rows, const Tensor& ids,
                            const Pass& pass) {
  const NoGrad no_grad;
  const auto count = static_cast<int64_t>(slots.size());
  check(count > 0 && rows.count() == count, "decoding: {} slots but rows for {}", count,
        rows.count());
  std::vector<int64_t> last_rows;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t slot = slots[i];
    check(rows.length(i) > 0, "decoding: no tokens for slot {}", slot);
    check(std::count(slots.begin(), slots.end(), slot) == 1, "decoding: slot {} comes twice", slot);
    last_rows.push_back(rows.end(i) - 1);
  }
  const RnnSeq2seq::Memory& memory = memory_of(slots);
  std::vector<Variable> start;
  for (size_t layer = 0; layer < at(slots[0]).states.size(); ++layer) {
    std::vector<Variable> states;
    for (const int64_t slot : slots) states.emplace_back(at(slot).states[layer]);
    start.push_back(concatenate(states));
  }
  const RnnSeq2seq::Decoded decoded = model_.decode(memory, ids, rows, start, pass);
  for (int64_t i = 0; i < count; ++i) {
    Slot& slot = slots_[slots[i]];
    slot.length += rows.length(i);
    for (size_t layer = 0; layer < slot.states.size(); ++layer) {
      slot.states[layer] = decoded.last[layer].value().slice(0, i, i + 1);
    }
  }
  return model_.output()(gather(decoded.readout, Tensor::from(last_rows, {count})));
}

int64_t RnnDecoding::fork(int64_t slot) {
  slots_[next_] = at(slot);
  return next_++;
}

void RnnDecoding::remove(int64_t slot) {
  at(slot);
  slots_.erase(slot);
}

}  // namespace

std::unique_ptr<Decoding> RnnSeq2seq::decoding() const {
  return std::make_unique<RnnDecoding>(*this);
}

}  // namespace heed

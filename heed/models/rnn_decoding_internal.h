// Sequences that a recurrent encoder-decoder is writing.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "heed/models/rnn_seq2seq.h"

namespace heed {

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

}  // namespace heed

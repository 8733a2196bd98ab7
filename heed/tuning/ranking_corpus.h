// Rankings as training items: the sequences of one ranking, the best answer first, stand one after
// the other in a batch.
//
//   scores    target: prompt, answer, end              no labels; the last row is what is scored
//   answers   target: prompt, answer                   labels: the tokens of the answer and its end
//
// The id of a sequence is its number among all sequences, so that what is known of it can be kept
// in a table. `label_count` of a batch is its number of rankings.
#pragma once

#include <vector>

#include "heed/base/export.h"
#include "heed/train/item_corpus.h"
#include "heed/tuning/rankings.h"

namespace heed {

struct RankedIds {
  std::vector<int32_t> prompt;
  std::vector<std::vector<int32_t>> answers;  // each with its end; the best first
};

// A ranking as tokens. Of what is longer than `max_length` (0: any length is allowed), the
// beginning of the prompt is left out; of an answer that alone is too long, what comes before its
// end.
HEED_API RankedIds encode_ranking(const Ranking& ranking, const ChatTemplate& form,
                                  const Tokenizer& tokenizer, int64_t max_length);

enum class RankingUse : uint8_t { scores, answers };

class HEED_API RankingCorpus final : public ItemCorpus {
 public:
  RankingCorpus(std::vector<RankedIds> rankings, RankingUse use);

  uint64_t fingerprint() const override;
  const RankedIds& ranking(int64_t item) const { return rankings_[item]; }
  int64_t sequences() const { return static_cast<int64_t>(item_of_.size()); }

  // How many answers each ranking of a batch has.
  std::vector<int64_t> sizes(const Batch& batch) const;

 private:
  Batch make_batch(std::span<const int64_t> items) const override;

  std::vector<RankedIds> rankings_;
  RankingUse use_;
  std::vector<int64_t> first_;    // sequence of each ranking
  std::vector<int64_t> item_of_;  // ranking of each sequence
};

// prompt and answer as a sequence of a batch that is being made.
struct HEED_API AnswerBatch {
  std::vector<int32_t> ids = {}, labels = {};
  std::vector<int64_t> lengths = {};
  std::vector<uint64_t> sequences = {};

  void add(std::span<const int32_t> prompt, std::span<const int32_t> answer, uint64_t sequence,
           RankingUse use);
  Batch finish(int64_t label_count) const;
};

}  // namespace heed

#include "heed/tuning/ranking_corpus.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/base/random.h"

namespace heed {

RankedIds encode_ranking(const Ranking& ranking, const ChatTemplate& form,
                         const Tokenizer& tokenizer, int64_t max_length) {
  RankedIds ids{.prompt = encode_chat_prompt(form, tokenizer, ranking.prompt), .answers = {}};
  size_t longest = 0;
  // A prompt keeps at least a quarter of the room, so that an answer is one to something.
  const auto room = static_cast<size_t>(max_length);
  for (const std::string& text : ranking.answers) {
    std::vector<int32_t> answer = encode_answer(form, tokenizer, ranking.prompt, text);
    const size_t limit = std::max<size_t>(room - room / 4, 1);
    if (max_length > 0 && answer.size() > limit) {
      answer.erase(answer.begin() + static_cast<std::ptrdiff_t>(limit) - 1, answer.end() - 1);
    }
    longest = std::max(longest, answer.size());
    ids.answers.push_back(std::move(answer));
  }
  if (max_length > 0 && ids.prompt.size() + longest > room) {
    const size_t too_many = std::min(ids.prompt.size() + longest - room, ids.prompt.size() - 1);
    ids.prompt.erase(ids.prompt.begin(),
                     ids.prompt.begin() + static_cast<std::ptrdiff_t>(too_many));
  }
  return ids;
}

void AnswerBatch::add(std::span<const int32_t> prompt, std::span<const int32_t> answer,
                      uint64_t sequence, RankingUse use) {
  check(!prompt.empty() && !answer.empty(), "an answer needs a prompt and a token at least");
  ids.insert(ids.end(), prompt.begin(), prompt.end());
  const bool scored = use == RankingUse::scores;
  ids.insert(ids.end(), answer.begin(), scored ? answer.end() : answer.end() - 1);
  lengths.push_back(static_cast<int64_t>(prompt.size() + answer.size()) - (scored ? 0 : 1));
  sequences.push_back(sequence);
  if (scored) return;
  labels.insert(labels.end(), prompt.size() - 1, -1);
  labels.insert(labels.end(), answer.begin(), answer.end());
}

Batch AnswerBatch::finish(int64_t label_count) const {
  Batch batch;
  batch.target = Tensor::from(ids, {static_cast<int64_t>(ids.size())});
  batch.target_rows = Rows::from_lengths(lengths, sequences);
  if (!labels.empty()) batch.labels = Tensor::from(labels, {static_cast<int64_t>(labels.size())});
  batch.label_count = label_count;
  return batch;
}

RankingCorpus::RankingCorpus(std::vector<RankedIds> rankings, RankingUse use)
    : rankings_(std::move(rankings)), use_(use) {
  for (size_t i = 0; i < rankings_.size(); ++i) {
    first_.push_back(sequences());
    int64_t cost = 0;
    for (const std::vector<int32_t>& answer : rankings_[i].answers) {
      item_of_.push_back(static_cast<int64_t>(i));
      cost += static_cast<int64_t>(rankings_[i].prompt.size() + answer.size());
    }
    costs_.push_back(cost);
  }
}

uint64_t RankingCorpus::fingerprint() const {
  uint64_t h = mix_bits(rankings_.size());
  const auto add = [&](const std::vector<int32_t>& ids) {
    h = mix_bits(h ^ ids.size());
    for (const int32_t id : ids) h = (h ^ static_cast<uint32_t>(id)) * 0x100000001b3u;
  };
  for (const RankedIds& ranking : rankings_) {
    add(ranking.prompt);
    for (const std::vector<int32_t>& answer : ranking.answers) add(answer);
  }
  return mix_bits(h);
}

std::vector<int64_t> RankingCorpus::sizes(const Batch& batch) const {
  std::vector<int64_t> sizes;
  int64_t last = -1;
  for (int64_t b = 0; b < batch.target_rows.count(); ++b) {
    const int64_t item = item_of_[batch.target_rows.id(b)];
    if (item != last) sizes.push_back(0);
    ++sizes.back();
    last = item;
  }
  return sizes;
}

Batch RankingCorpus::make_batch(std::span<const int64_t> items) const {
  AnswerBatch batch;
  for (const int64_t item : items) {
    const RankedIds& ranking = rankings_[item];
    auto sequence = static_cast<uint64_t>(first_[item]);
    for (const std::vector<int32_t>& answer : ranking.answers) {
      batch.add(ranking.prompt, answer, sequence++, use_);
    }
  }
  return batch.finish(static_cast<int64_t>(items.size()));
}

}  // namespace heed

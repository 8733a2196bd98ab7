#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/byte_alphabet_internal.h"

namespace heed {
namespace {

constexpr uint32_t kEnd = UINT32_MAX;

struct Pair {
  int32_t left, right;
  bool operator==(const Pair&) const = default;
};
struct PairHash {
  size_t operator()(const Pair& pair) const {
    const uint64_t key = (static_cast<uint64_t>(static_cast<uint32_t>(pair.left)) << 32) |
                         static_cast<uint32_t>(pair.right);
    return static_cast<size_t>((key * 0x9e3779b97f4a7c15u) >> 20);
  }
};

// Where a pair occurs; places that no longer hold it are skipped when they are looked at.
struct Occurrences {
  int64_t count = 0;
  std::vector<uint32_t> places;
  bool grew = false;  // in the merge that is under way
};

// A count that was right when it was seen. The largest comes first; of equal ones the smallest
// pair.
struct Candidate {
  int64_t count;
  Pair pair;
  bool operator<(const Candidate& other) const {
    if (count != other.count) return count < other.count;
    if (pair.left != other.pair.left) return pair.left > other.pair.left;
    return pair.right > other.pair.right;
  }
};

// All different words, one after the other, as linked lists of tokens. A merge touches only the
// places of its pair, so that one long word costs no more than many short ones.
class Words {
 public:
  void add(std::string_view word, int64_t count, const std::array<int32_t, 256>& byte_ids) {
    const size_t begin = tokens_.size();
    const size_t end = begin + word.size();
    check(end < kEnd, "bpe: more than 4 GB of different words; train on less text");
    for (size_t i = begin; i < end; ++i) {
      tokens_.push_back(byte_ids[static_cast<unsigned char>(word[i - begin])]);
      previous_.push_back(i == begin ? kEnd : static_cast<uint32_t>(i - 1));
      next_.push_back(i + 1 == end ? kEnd : static_cast<uint32_t>(i + 1));
      counts_.push_back(count);
    }
  }

  void count_pairs() {
    for (uint32_t i = 0; i < tokens_.size(); ++i) {
      if (next_[i] != kEnd) change({tokens_[i], tokens_[next_[i]]}, counts_[i], i);
    }
    queue_grown();
  }

  // The pair to merge next; nothing if none occurs twice.
  std::optional<Pair> most_frequent() {
    while (!queue_.empty()) {
      const Candidate top = queue_.top();
      queue_.pop();
      const auto found = pairs_.find(top.pair);
      const int64_t count = found == pairs_.end() ? 0 : found->second.count;
      if (count == top.count) return count < 2 ? std::nullopt : std::optional(top.pair);
      if (count > 0 && count < top.count) queue_.push({count, top.pair});
    }
    return std::nullopt;
  }

  void merge(const Pair& pair, int32_t id) {
    std::vector<uint32_t> places = std::move(pairs_[pair].places);
    pairs_.erase(pair);
    std::sort(places.begin(), places.end());  // "aaa": the left pair first
    for (const uint32_t at : places) {
      const uint32_t gone = next_[at];
      if (tokens_[at] != pair.left || gone == kEnd || tokens_[gone] != pair.right) continue;
      const int64_t count = counts_[at];
      const uint32_t before = previous_[at];
      const uint32_t behind = next_[gone];
      if (before != kEnd) {
        change({tokens_[before], pair.left}, -count, before);
        change({tokens_[before], id}, count, before);
      }
      if (behind != kEnd) {
        change({pair.right, tokens_[behind]}, -count, gone);
        change({id, tokens_[behind]}, count, at);
        previous_[behind] = at;
      }
      tokens_[at] = id;
      tokens_[gone] = -1;
      next_[at] = behind;
    }
    pairs_.erase(pair);  // "aaa" counted it again
    queue_grown();
  }

 private:
  void change(const Pair& pair, int64_t count, uint32_t place) {
    Occurrences& occurrences = pairs_[pair];
    occurrences.count += count;
    if (count < 0) return;
    if (!occurrences.grew) grown_.push_back(pair);
    occurrences.grew = true;
    occurrences.places.push_back(place);
  }

  // Pairs that grew are queued once, with their final count. For those that shrank, the old count
  // in the queue is corrected when it comes to the top.
  void queue_grown() {
    for (const Pair& pair : grown_) {
      const auto found = pairs_.find(pair);
      if (found == pairs_.end()) continue;
      found->second.grew = false;
      queue_.push({found->second.count, pair});
    }
    grown_.clear();
  }

  std::vector<int32_t> tokens_;  // -1: merged into the one before
  std::vector<uint32_t> previous_;
  std::vector<uint32_t> next_;
  std::vector<int64_t> counts_;  // of the word
  std::unordered_map<Pair, Occurrences, PairHash> pairs_;
  std::vector<Pair> grown_;
  std::priority_queue<Candidate> queue_;
};

Words words_of(std::span<const std::string_view> texts, const std::array<int32_t, 256>& byte_ids) {
  const SplitPattern pattern(kGpt2Pattern, SplitPattern::Gaps::keep, "bpe");
  std::unordered_map<std::string_view, int64_t> counts;
  std::vector<std::string_view> order;  // of first occurrence: the same on every run
  for (const std::string_view text : texts) {
    pattern.split(text, [&](std::string_view word) {
      if (++counts[word] == 1) order.push_back(word);
    });
  }
  check(!order.empty(), "tokenizer: there is no text to train on");
  Words words;
  for (const std::string_view word : order) words.add(word, counts[word], byte_ids);
  return words;
}

}  // namespace

BpeModel train_bpe(std::span<const std::string_view> texts, int64_t size) {
  const auto specials = static_cast<int64_t>(kSpecialNames.size());
  check(size >= 256 + specials,
        "tokenizer: a vocabulary of {} has no room for 256 bytes and {} special tokens", size,
        specials);
  BpeModel model;
  model.splits = {{.pattern = kGpt2Pattern}};
  std::array<int32_t, 256> byte_ids{};
  std::vector<std::string> bytes;                // of each token
  std::unordered_map<std::string, int32_t> ids;  // and back, of the merged ones
  for (const unsigned char byte : alphabet_order()) {
    byte_ids[byte] = static_cast<int32_t>(bytes.size());
    bytes.emplace_back(1, static_cast<char>(byte));
  }
  Words words = words_of(texts, byte_ids);
  words.count_pairs();
  while (static_cast<int64_t>(bytes.size()) < size - specials) {
    const auto pair = words.most_frequent();
    if (!pair) break;
    std::string joined = bytes[pair->left] + bytes[pair->right];
    // "ab" + "c" and "a" + "bc" are the same token.
    const auto [token, is_new] = ids.emplace(std::move(joined), static_cast<int32_t>(bytes.size()));
    if (is_new) bytes.push_back(token->first);
    words.merge(*pair, token->second);
    model.merges.push_back({pair->left, pair->right, token->second});
  }
  for (const std::string& token : bytes) model.tokens.push_back(to_alphabet(token));
  for (const std::string_view special : kSpecialNames) {
    model.added.push_back(
        {.text = std::string(special), .id = static_cast<int32_t>(model.tokens.size())});
    model.tokens.emplace_back(special);
  }
  return model;
}

}  // namespace heed

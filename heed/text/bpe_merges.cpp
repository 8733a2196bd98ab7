#include "heed/text/bpe_merges_internal.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

#include "heed/base/fail.h"
#include "heed/base/random.h"

namespace heed {
namespace {

// Below this length, looking at every pair for each merge is faster than a queue.
constexpr size_t kShort = 48;

uint64_t key_of(int32_t left, int32_t right) {
  return (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) | static_cast<uint32_t>(right);
}

}  // namespace

BpeMerges::BpeMerges(std::vector<BpeMerge> merges) : merges_(std::move(merges)) {
  slots_.resize(std::bit_ceil(2 * merges_.size() + 2));
  for (size_t i = 0; i < merges_.size(); ++i) {
    const uint64_t key = key_of(merges_[i].left, merges_[i].right);
    size_t at = mix_bits(key) & (slots_.size() - 1);
    while (slots_[at].rank != kNone && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
    if (slots_[at].rank == kNone) slots_[at] = {key, static_cast<int32_t>(i)};
  }
}

int32_t BpeMerges::rank(int32_t left, int32_t right) const {
  const uint64_t key = key_of(left, right);
  size_t at = mix_bits(key) & (slots_.size() - 1);
  while (slots_[at].rank != kNone && slots_[at].key != key) at = (at + 1) & (slots_.size() - 1);
  return slots_[at].rank;
}

void BpeMerges::apply(std::vector<int32_t>& word) const {
  if (word.size() <= kShort) {
    apply_to_short(word);
  } else {
    apply_to_long(word);
  }
}

void BpeMerges::apply_to_short(std::vector<int32_t>& word) const {
  int32_t ranks[kShort];  // ranks[i]: of the merge of word[i] and word[i + 1]
  size_t n = word.size();
  for (size_t i = 0; i + 1 < n; ++i) ranks[i] = rank(word[i], word[i + 1]);
  while (n > 1) {
    const size_t best = static_cast<size_t>(std::min_element(ranks, ranks + n - 1) - ranks);
    if (ranks[best] == kNone) break;
    word[best] = merges_[ranks[best]].id;
    for (size_t i = best + 1; i + 1 < n; ++i) word[i] = word[i + 1];
    for (size_t i = best + 1; i + 2 < n; ++i) ranks[i] = ranks[i + 1];
    --n;
    if (best > 0) ranks[best - 1] = rank(word[best - 1], word[best]);
    if (best + 1 < n) ranks[best] = rank(word[best], word[best + 1]);
  }
  word.resize(n);
}

// The tokens are a linked list; a queue holds the merges that were possible when they were seen.
void BpeMerges::apply_to_long(std::vector<int32_t>& word) const {
  constexpr uint32_t kEnd = UINT32_MAX;
  check(word.size() < kEnd, "bpe: a word of {} bytes is too long", word.size());
  struct Node {
    uint32_t previous, next;
    int32_t rank;  // of the merge with the next, as it is now
  };
  const auto n = static_cast<uint32_t>(word.size());
  std::vector<Node> nodes(n);
  std::vector<uint64_t> entries;  // rank and place; the lowest comes first
  const auto entry = [](int32_t rank, uint32_t place) {
    return (static_cast<uint64_t>(rank) << 32) | place;
  };
  for (uint32_t i = 0; i < n; ++i) {
    const bool last = i + 1 == n;
    nodes[i] = {i == 0 ? kEnd : i - 1, last ? kEnd : i + 1,
                last ? kNone : rank(word[i], word[i + 1])};
    if (nodes[i].rank != kNone) entries.push_back(entry(nodes[i].rank, i));
  }
  std::priority_queue queue(std::greater<uint64_t>(), std::move(entries));
  const auto update = [&](uint32_t i) {
    const uint32_t next = nodes[i].next;
    nodes[i].rank = next == kEnd ? kNone : rank(word[i], word[next]);
    if (nodes[i].rank != kNone) queue.push(entry(nodes[i].rank, i));
  };
  while (!queue.empty()) {
    const auto at = static_cast<uint32_t>(queue.top());
    const auto best = static_cast<int32_t>(queue.top() >> 32);
    queue.pop();
    if (nodes[at].rank != best) continue;  // one of the two was merged with something else since
    const uint32_t gone = nodes[at].next;
    word[at] = merges_[best].id;
    nodes[at].next = nodes[gone].next;
    nodes[gone].rank = kNone;
    if (nodes[at].next != kEnd) nodes[nodes[at].next].previous = at;
    update(at);
    if (nodes[at].previous != kEnd) update(nodes[at].previous);
  }
  size_t count = 0;
  for (uint32_t i = 0; i != kEnd; i = nodes[i].next) word[count++] = word[i];
  word.resize(count);
}

}  // namespace heed

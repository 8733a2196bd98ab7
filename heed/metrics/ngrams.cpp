#include <algorithm>

#include "heed/metrics/ngrams_internal.h"

namespace heed {

std::vector<int32_t> WordIds::operator()(std::span<const std::string> words) {
  std::vector<int32_t> ids;
  ids.reserve(words.size());
  for (const std::string& word : words) {
    ids.push_back(ids_.emplace(word, static_cast<int32_t>(ids_.size())).first->second);
  }
  return ids;
}

Ngrams::Ngrams(std::span<const int32_t> ids, size_t n) : n_(n) {
  if (ids.size() < n) return;
  total_ = static_cast<int64_t>(ids.size() - n + 1);
  std::vector<Entry> all;
  all.reserve(static_cast<size_t>(total_));
  for (size_t i = 0; i + n <= ids.size(); ++i) all.push_back({ids.data() + i, 1});
  std::sort(all.begin(), all.end(), [&](const Entry& a, const Entry& b) { return less(a, b); });
  for (const Entry& entry : all) {
    if (!entries_.empty() && !less(entries_.back(), entry)) {
      ++entries_.back().count;
    } else {
      entries_.push_back(entry);
    }
  }
}

bool Ngrams::less(const Entry& a, const Entry& b) const {
  return std::lexicographical_compare(a.first, a.first + n_, b.first, b.first + n_);
}

int64_t shared_ngrams(const Ngrams& a, std::span<const Ngrams> b) {
  std::vector<int64_t> max(a.entries().size(), 0);
  for (const Ngrams& other : b) {
    size_t j = 0;
    for (size_t i = 0; i < max.size(); ++i) {
      const Ngrams::Entry& wanted = a.entries()[i];
      while (j < other.entries().size() && a.less(other.entries()[j], wanted)) ++j;
      if (j == other.entries().size()) break;
      if (!a.less(wanted, other.entries()[j])) max[i] = std::max(max[i], other.entries()[j].count);
    }
  }
  int64_t shared = 0;
  for (size_t i = 0; i < max.size(); ++i) shared += std::min(max[i], a.entries()[i].count);
  return shared;
}

}  // namespace heed

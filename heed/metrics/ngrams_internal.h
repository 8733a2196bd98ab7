// The n-grams of a sequence of ids: how often each occurs, and how many two sequences share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace heed {

// Gives equal words equal ids. Words compare with others of the same numbering only.
class WordIds {
 public:
  std::vector<int32_t> operator()(std::span<const std::string> words);

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

// The distinct runs of n neighbours in `ids`, in order, and their counts. `ids` must live as long.
class Ngrams {
 public:
  struct Entry {
    const int32_t* first;  // n ids
    int64_t count;
  };

  Ngrams(std::span<const int32_t> ids, size_t n);

  int64_t total() const { return total_; }
  std::span<const Entry> entries() const { return entries_; }
  bool less(const Entry& a, const Entry& b) const;  // b may be of another Ngrams with the same n

 private:
  size_t n_;
  int64_t total_ = 0;
  std::vector<Entry> entries_;
};

// sum over g of min(count of g in a, largest count of g in any of b)
int64_t shared_ngrams(const Ngrams& a, std::span<const Ngrams> b);

}  // namespace heed

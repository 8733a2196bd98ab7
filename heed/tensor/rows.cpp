#include "heed/tensor/rows.h"

#include <algorithm>

#include "heed/base/fail.h"

namespace heed {

Rows Rows::from_lengths(std::span<const int64_t> lengths, std::span<const uint64_t> ids) {
  check(ids.empty() || ids.size() == lengths.size(), "rows: {} lengths but {} ids", lengths.size(),
        ids.size());
  Rows rows;
  for (size_t b = 0; b < lengths.size(); ++b) {
    check(lengths[b] >= 0, "rows: length {} of sequence {} is negative", lengths[b], b);
    constexpr int64_t kMax = int64_t{1} << 56;  // as many as a shape may have
    check(lengths[b] < kMax - rows.begins_.back(), "rows: the {} sequences are too long in all",
          lengths.size());
    rows.begins_.push_back(rows.begins_.back() + lengths[b]);
    rows.ids_.push_back(ids.empty() ? b : ids[b]);
  }
  return rows;
}

Rows Rows::single(int64_t length, uint64_t id) {
  return from_lengths(std::span(&length, 1), std::span(&id, 1));
}

int64_t Rows::max_length() const {
  int64_t longest = 0;
  for (int64_t b = 0; b < count(); ++b) longest = std::max(longest, length(b));
  return longest;
}

void Rows::require_total(int64_t total_rows, const char* what) const {
  check(total() == total_rows, "{}: the sequences have {} rows in all, the tensor has {}", what,
        total(), total_rows);
}

}  // namespace heed

// Rows: where each sequence of a ragged batch begins, and which sequence it is.
//
// A batch is [N, C]: the tokens of all sequences one after the other, without padding.
//
//   Rows rows = Rows::from_lengths({5, 3});   // N = 8: rows 0..4 and 5..7
//
// The id is what random numbers depend on, so that a sequence draws the same ones wherever it
// stands; by default it is the index in the batch.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "heed/base/export.h"

namespace heed {

class HEED_API Rows {
 public:
  Rows() = default;
  static Rows from_lengths(std::span<const int64_t> lengths, std::span<const uint64_t> ids = {});
  static Rows from_lengths(std::initializer_list<int64_t> lengths) {
    return from_lengths(std::span(lengths.begin(), lengths.size()));
  }
  static Rows single(int64_t length, uint64_t id = 0);  // one sequence

  int64_t count() const { return static_cast<int64_t>(ids_.size()); }  // B
  int64_t total() const { return begins_.back(); }                     // N
  int64_t begin(int64_t b) const { return begins_[b]; }
  int64_t end(int64_t b) const { return begins_[static_cast<size_t>(b) + 1]; }
  int64_t length(int64_t b) const { return end(b) - begin(b); }
  uint64_t id(int64_t b) const { return ids_[b]; }
  int64_t max_length() const;

  // Raises an Error that names `what` unless the rows cover exactly `total` rows of a tensor.
  void require_total(int64_t total, const char* what) const;

 private:
  std::vector<int64_t> begins_{0};  // B + 1
  std::vector<uint64_t> ids_;       // B
};

}  // namespace heed

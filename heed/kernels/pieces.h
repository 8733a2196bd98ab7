// Many arrays, the parameters of a model say, shared among threads as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "heed/base/parallel.h"

namespace heed::kernels {

struct Piece {
  size_t array;  // which one
  int64_t begin, count;
};

inline constexpr int64_t kPiece = 1 << 14;  // elements

// The arrays of these sizes, each cut from its own beginning: the cuts do not depend on the number
// of threads, nor those of one array on the others.
inline std::vector<Piece> cut_into_pieces(const std::vector<int64_t>& sizes) {
  std::vector<Piece> pieces;
  for (size_t array = 0; array < sizes.size(); ++array) {
    for (int64_t begin = 0; begin < sizes[array]; begin += kPiece) {
      pieces.push_back({array, begin, std::min(sizes[array] - begin, kPiece)});
    }
  }
  return pieces;
}

// Calls body(piece) for every piece, on all threads if the whole, at `nanoseconds` per element, is
// worth it.
template <typename Body>
void for_pieces(const std::vector<int64_t>& sizes, double nanoseconds, const Body& body) {
  const std::vector<Piece> pieces = cut_into_pieces(sizes);
  double elements = 0;
  for (const int64_t size : sizes) elements += static_cast<double>(size);
  parallel_for(static_cast<int64_t>(pieces.size()), elements * nanoseconds,
               [&](int64_t i) { body(pieces[i]); });
}

}  // namespace heed::kernels

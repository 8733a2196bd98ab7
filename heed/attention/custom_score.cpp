// A user's own score, pair by pair, in double.

#include <algorithm>
#include <utility>
#include <vector>

#include "heed/attention/tile_score_internal.h"

namespace heed::engine {
namespace {

template <typename T>
class CustomTileScore final : public TileScore<T> {
 public:
  explicit CustomTileScore(CustomScore custom) : custom_(std::move(custom)) {}

  void forward(const ScoreTile<T>& tile, T* s) const override {
    const std::vector<double> keys = rows_of_keys(tile);
    for (int64_t i = 0; i < tile.rows; ++i) {
      const std::vector<double> q = query(tile, i);
      for (int64_t j = 0; j < tile.columns; ++j) {
        s[i * kBlock + j] = static_cast<T>(custom_.score(q, key(tile, keys, j)));
      }
    }
  }

  void backward(const ScoreTile<T>& tile, const T* ds,
                const ScoreGradients<T>& gradients) const override {
    if (!custom_.gradient) return;
    const std::vector<double> keys = rows_of_keys(tile);
    const auto width = static_cast<size_t>(tile.width);
    std::vector<double> dq(width), dk(width);
    for (int64_t i = 0; i < tile.rows; ++i) {
      const std::vector<double> q = query(tile, i);
      for (int64_t j = 0; j < tile.columns; ++j) {
        const T slope = ds[i * kBlock + j];
        if (slope == T{0}) continue;
        std::fill(dq.begin(), dq.end(), 0.0);
        std::fill(dk.begin(), dk.end(), 0.0);
        custom_.gradient(q, key(tile, keys, j), slope, dq, dk);
        for (size_t d = 0; d < width; ++d) {
          const auto column = static_cast<int64_t>(d);
          gradients.queries[i * gradients.query_stride + column] += static_cast<T>(dq[d]);
          gradients.keys[column * tile.key_stride + j] += static_cast<T>(dk[d]);
        }
      }
    }
  }

 private:
  static std::vector<double> query(const ScoreTile<T>& tile, int64_t i) {
    const T* q = tile.queries + i * tile.width;
    return {q, q + tile.width};
  }

  static std::vector<double> rows_of_keys(const ScoreTile<T>& tile) {
    std::vector<double> rows;
    rows.reserve(static_cast<size_t>(tile.columns * tile.width));
    for (int64_t j = 0; j < tile.columns; ++j) {
      for (int64_t d = 0; d < tile.width; ++d) rows.push_back(tile.keys[d * tile.key_stride + j]);
    }
    return rows;
  }

  static std::span<const double> key(const ScoreTile<T>& tile, const std::vector<double>& rows,
                                     int64_t j) {
    const auto width = static_cast<size_t>(tile.width);
    return std::span(rows).subspan(static_cast<size_t>(j) * width, width);
  }

  CustomScore custom_;
};

}  // namespace

template <typename T>
std::unique_ptr<TileScore<T>> make_custom_score(CustomScore custom) {
  return std::make_unique<CustomTileScore<T>>(std::move(custom));
}

template std::unique_ptr<TileScore<float>> make_custom_score(CustomScore);
template std::unique_ptr<TileScore<double>> make_custom_score(CustomScore);

}  // namespace heed::engine

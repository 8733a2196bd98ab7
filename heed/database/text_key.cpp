#include "heed/database/text_key.h"

#include <cmath>
#include <string>

#include "heed/base/fail.h"
#include "heed/base/random.h"

namespace heed {

Tensor text_key(std::string_view text, int64_t width) {
  check(width > 0, "text key: the width must be positive, got {}", width);
  std::string letters = "^";
  for (const char c : text) letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  letters += '$';
  Tensor key = Tensor::zeros({width});
  for (size_t length = 2; length <= 3; ++length) {
    for (size_t begin = 0; begin + length <= letters.size(); ++begin) {
      uint64_t hash = length;
      for (size_t i = begin; i < begin + length; ++i) {
        hash = mix_bits(hash ^ static_cast<unsigned char>(letters[i]));
      }
      const auto at = static_cast<int64_t>((hash >> 1) % static_cast<uint64_t>(width));
      key.data<float>()[at] += (hash & 1) != 0 ? 1.0f : -1.0f;
    }
  }
  double squares = 0;
  for (int64_t i = 0; i < width; ++i) {
    squares += std::pow(std::as_const(key).data<float>()[i], 2);
  }
  if (squares == 0) return key;
  for (int64_t i = 0; i < width; ++i) {
    key.data<float>()[i] = static_cast<float>(key.data<float>()[i] / std::sqrt(squares));
  }
  return key;
}

}  // namespace heed

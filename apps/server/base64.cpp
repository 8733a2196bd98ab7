#include "apps/server/base64.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace heed::server {

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63u];
    }
  }
  return text;
}

std::string base64(const Tensor& numbers) {
  static_assert(std::endian::native == std::endian::little);
  const Tensor values = numbers.to(DType::f32).contiguous();
  std::string bytes(static_cast<size_t>(values.size()) * sizeof(float), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data<float>(), bytes.size());
  return base64(bytes);
}

}  // namespace heed::server

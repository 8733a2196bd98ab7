#include <cstdint>

#include "heed/io/tensor_bytes_internal.h"

namespace heed {
namespace {

template <typename T>
std::span<const std::byte> bytes_as(const Tensor& tensor) {
  return std::as_bytes(std::span(tensor.data<T>(), static_cast<size_t>(tensor.size())));
}

}  // namespace

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::f32: return bytes_as<float>(tensor);
    case DType::f64: return bytes_as<double>(tensor);
    case DType::f16: return bytes_as<Float16>(tensor);
    case DType::bf16: return bytes_as<BFloat16>(tensor);
    case DType::i64: return bytes_as<int64_t>(tensor);
    case DType::i32: return bytes_as<int32_t>(tensor);
    case DType::i8: return bytes_as<int8_t>(tensor);
    case DType::u8: return bytes_as<uint8_t>(tensor);
    case DType::boolean: return bytes_as<bool>(tensor);
  }
  return {};
}

}  // namespace heed

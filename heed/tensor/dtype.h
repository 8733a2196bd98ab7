// Element types. Arithmetic is float32 (float64 for proofs); the others store and index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heed/base/export.h"

namespace heed {

enum class DType : uint8_t { f32, f64, f16, bf16, i64, i32, i8, u8, boolean };

HEED_API size_t byte_size(DType type);
HEED_API const char* name(DType type);  // "float32", "int64", "bool", ...

// Storage-only floats: the bits, converted by to_float / from_float.
struct Float16 {
  uint16_t bits = 0;
};
struct BFloat16 {
  uint16_t bits = 0;
};

HEED_API float to_float(Float16 x);
HEED_API float to_float(BFloat16 x);
HEED_API Float16 to_float16(float x);    // rounds to nearest even, overflows to infinity
HEED_API BFloat16 to_bfloat16(float x);  // rounds to nearest even, keeps NaN a NaN

template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, Float16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, int64_t>)
    return DType::i64;
  else if constexpr (std::is_same_v<T, int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, int8_t>)
    return DType::i8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return DType::u8;
  else {
    static_assert(std::is_same_v<T, bool>, "not an element type of heed");
    return DType::boolean;
  }
}

constexpr bool is_real(DType type) { return type == DType::f32 || type == DType::f64; }

}  // namespace heed

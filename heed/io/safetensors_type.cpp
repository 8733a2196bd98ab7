#include <array>
#include <cstdint>

#include "heed/base/fail.h"
#include "heed/io/safetensors_header_internal.h"

namespace heed {
namespace {

struct NamedType {
  std::string_view name;
  DType type;
};

constexpr std::array kTypes = {
    NamedType{"F32", DType::f32},   NamedType{"F64", DType::f64}, NamedType{"F16", DType::f16},
    NamedType{"BF16", DType::bf16}, NamedType{"I64", DType::i64}, NamedType{"I32", DType::i32},
    NamedType{"I8", DType::i8},     NamedType{"U8", DType::u8},   NamedType{"BOOL", DType::boolean},
};

}  // namespace

std::optional<DType> safetensors_type(std::string_view type) {
  for (const NamedType& one : kTypes) {
    if (one.name == type) return one.type;
  }
  return {};
}

const char* safetensors_name(DType type) {
  for (const NamedType& one : kTypes) {
    if (one.type == type) return one.name.data();
  }
  fail("safetensors: no name for {}", name(type));
}

}  // namespace heed

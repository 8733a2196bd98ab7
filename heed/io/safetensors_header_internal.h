// The header of a .safetensors file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/tensor/dtype.h"
#include "heed/tensor/shape.h"

namespace heed {

// What other readers accept as well.
inline constexpr size_t kMaxSafetensorsHeader = 100'000'000;

struct SafetensorsEntry {
  std::string name;
  std::string type;  // "F32"
  Shape shape;
  size_t begin = 0, end = 0;  // bytes of the data
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;  // in the order of their data
  std::map<std::string, std::string> metadata;
};

// Afterwards every entry is known to have the size of its type and shape, the entries fill
// `data_bytes` without gap or overlap, and no name comes twice.
SafetensorsHeader parse_safetensors_header(std::string_view text, size_t data_bytes,
                                           const std::string& file);

std::string safetensors_header_text(const SafetensorsHeader& header);

// heed's type of that name, if it has one; and back.
std::optional<DType> safetensors_type(std::string_view type);
const char* safetensors_name(DType type);

}  // namespace heed

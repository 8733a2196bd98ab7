// Compressed files, which are no text: known by their first bytes, whatever their names.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace heed {

inline constexpr size_t kTellingBytes = 6;  // of the longest of these beginnings

// The program that unpacks a file that begins so; nothing if it is not compressed.
inline std::string_view unpacked_by(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b\x08")) return "gzip";
  if (beginning.starts_with("\x28\xb5\x2f\xfd")) return "zstd";
  if (beginning.starts_with("BZh")) return "bzip2";
  if (beginning.starts_with(std::string_view("\xfd"
                                             "7zXZ\0",
                                             6))) {
    return "xz";
  }
  return {};
}

// What to say of it.
inline std::string compressed_text(std::string_view program) {
  return fmt::format("this is compressed by {0}, expected text; unpack it: {0} -dc FILE > TEXT",
                     program);
}

}  // namespace heed

// GPT-2's way to write bytes as visible characters, so that tokens can be JSON strings and merges
// can be separated by spaces: printable bytes of Latin-1 stand for themselves, the 68 others for
// U+0100 and up in their order. The space is "Ġ", the line feed "Ċ".
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// The bytes in the order of their ids in GPT-2's vocabulary: the printable ones first.
const std::array<unsigned char, 256>& alphabet_order();

// Bytes as visible characters, and back; nothing if a character stands for no byte.
std::string to_alphabet(std::string_view bytes);
std::optional<std::string> from_alphabet(std::string_view token);

}  // namespace heed

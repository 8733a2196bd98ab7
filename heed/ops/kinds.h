// What recurrent cells and rotary positions may be.
#pragma once

#include <cstdint>

namespace heed {

enum class CellKind : uint8_t { gru, lstm };

inline int64_t gate_count(CellKind cell) { return cell == CellKind::gru ? 3 : 4; }   // G
inline int64_t state_parts(CellKind cell) { return cell == CellKind::gru ? 1 : 2; }  // h; h and c

// Which two numbers of a head are pair i: (2i, 2i + 1), as in GPT-J and llama2.c, or (i, i + R/2),
// as in GPT-NeoX and the Llama files of Hugging Face.
enum class RotaryPairs : uint8_t { adjacent, halves };

}  // namespace heed

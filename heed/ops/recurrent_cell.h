// The kinds of recurrent cells. Their formulas are in ops/gru_sequence.h and ops/lstm_sequence.h.
#pragma once

#include <cstdint>

namespace heed {

enum class CellKind : uint8_t { gru, lstm };

inline int64_t gate_count(CellKind cell) { return cell == CellKind::gru ? 3 : 4; }   // G
inline int64_t state_parts(CellKind cell) { return cell == CellKind::gru ? 1 : 2; }  // h; h and c

}  // namespace heed

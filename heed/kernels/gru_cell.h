// The step of a GRU over rows of float, see ops/gru_sequence.h. Keeps r, z, n and the n part of gh.
#pragma once

#include "heed/kernels/recurrent_cell.h"

namespace heed::kernels {

void gru_forward(const CellForward<float>& cell);
void gru_backward(const CellBackward<float>& cell);

}  // namespace heed::kernels

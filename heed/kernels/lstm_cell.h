// The step of an LSTM over rows of float, see ops/lstm_sequence.h. Keeps i, f, g, o and tanh c.
#pragma once

#include "heed/kernels/recurrent_cell.h"

namespace heed::kernels {

void lstm_forward(const CellForward<float>& cell);
void lstm_backward(const CellBackward<float>& cell);

}  // namespace heed::kernels

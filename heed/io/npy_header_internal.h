// The header of a .npy file: a Python dictionary in text form.
#pragma once

#include <string>
#include <string_view>

#include "heed/tensor/dtype.h"
#include "heed/tensor/shape.h"

namespace heed {

struct NpyHeader {
  DType type = DType::f32;
  bool fortran_order = false;
  Shape shape;
};

// `text` is the dictionary with its padding. The product of the shape, times the element size, is
// known to fit in 63 bits afterwards.
NpyHeader parse_npy_header(std::string_view text, const std::string& name);

std::string npy_header_text(const NpyHeader& header);

}  // namespace heed

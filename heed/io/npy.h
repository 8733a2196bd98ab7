// NumPy's .npy files, format versions 1 to 3.
//
//   6 bytes   \x93NUMPY
//   2 bytes   major and minor version
//   2 bytes   length of the header, little-endian (version 1; 4 bytes from version 2 on)
//   header    {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  spaces, newline
//   data      the elements
//
// Read are little-endian float16, float32, float64, int8, int32, int64, uint8 and bool. Fortran
// order is transposed to row-major. Everything is checked against the size of the file before
// memory is taken, so that a damaged or hostile file gives an Error and nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

HEED_API Tensor load_npy(const std::string& path);

// The same from memory; `name` stands for the file in messages.
HEED_API Tensor parse_npy(std::span<const std::byte> bytes, const std::string& name);

// Version 1, row-major, written to a temporary name and renamed. bfloat16 has no .npy type.
HEED_API void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace heed

// Tables of numbers as text: one row per line, columns separated by commas.
//
// A first line without any number is a header and is skipped. Blank lines at the end, spaces around
// numbers, CRLF and a byte order mark are accepted; rows of different length and cells that are not
// numbers are errors that name the line and the column.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// [rows, columns], float32 or float64.
HEED_API Tensor load_csv(const std::string& path, DType type = DType::f32);

// The same from memory; `name` stands for the file in messages.
HEED_API Tensor parse_csv(std::string_view text, const std::string& name, DType type = DType::f32);

// A matrix, or a vector as one column. Numbers get as many digits as it takes to read them back
// exactly.
HEED_API void save_csv(const std::string& path, const Tensor& table);

}  // namespace heed

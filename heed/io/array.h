// One door for arrays that a user names: a .npy file, a .csv file, or typed numbers.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/export.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Typed numbers: rows separated by ';', columns by ','. "1,0;0,1" is [2, 2], "3" is [1, 1].
HEED_API Tensor parse_array(std::string_view text, DType type = DType::f32);

// A .npy file keeps its own type; text becomes `text_type`, float32 or float64.
HEED_API Tensor load_array(const std::string& text_or_path, DType text_type = DType::f32);

// True if load_array() would read a .npy file.
HEED_API bool is_npy_path(std::string_view text_or_path);

// By the ending of the name: .npy or .csv.
HEED_API void save_array(const std::string& path, const Tensor& tensor);

}  // namespace heed

// The weights of a model that another program wrote, by its names.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/io/safetensors.h"
#include "heed/tensor/tensor.h"

namespace heed {

class HEED_API ForeignWeights {
 public:
  // model.safetensors of a folder, or the files that model.safetensors.index.json names.
  static ForeignWeights open(const std::string& folder);

  bool contains(const std::string& name) const { return file_of_.contains(name); }

  // As float32, which float16 and bfloat16 become exactly. An Error if it is not there, or of
  // another shape.
  Tensor take(const std::string& name, const Shape& shape);
  // Zeros if it is not there.
  Tensor take_or_zeros(const std::string& name, const Shape& shape);

  // The names that were never taken, sorted.
  std::vector<std::string> left() const;

 private:
  std::string folder_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, size_t> file_of_;
  std::set<std::string> taken_;
};

// Matrices [Out_i, In], as PyTorch keeps them, to one [In, sum Out_i]: transposed, side by side.
HEED_API Tensor side_by_side(std::span<const Tensor> matrices);
// Vectors one after the other.
HEED_API Tensor end_to_end(std::span<const Tensor> vectors);

}  // namespace heed

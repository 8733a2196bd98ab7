// The normalization of a block: layer norm or rms norm, with its parameters.
#pragma once

#include "heed/base/export.h"
#include "heed/nn/layer_kinds.h"
#include "heed/nn/parameters.h"

namespace heed {

struct NormOptions {
  NormKind kind = NormKind::layer;
  double epsilon = 1e-5;
};

class HEED_API Norm {
 public:
  Norm() = default;
  Norm(const ParameterScope& scope, int64_t width, const NormOptions& options = {});

  Variable operator()(const Variable& x) const;  // [N, C] -> [N, C]

  Variable gain;   // [C], starts at 1
  Variable shift;  // [C], starts at 0; layer norm only

 private:
  NormOptions options_;
};

}  // namespace heed

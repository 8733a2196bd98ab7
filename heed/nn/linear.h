// A linear map: y = f(x W + b), with W in float32 or, for inference, in int8.
#pragma once

#include "heed/base/export.h"
#include "heed/nn/parameters.h"
#include "heed/ops/affine.h"

namespace heed {

struct LinearOptions {
  bool bias = true;
  Activation activation = Activation::none;
  Initializer initializer = {};  // scale 0: Glorot's
};

class HEED_API Linear {
 public:
  Linear() = default;
  Linear(const ParameterScope& scope, int64_t in, int64_t out, const LinearOptions& options = {});

  Variable operator()(const Variable& x) const;  // [N, In] -> [N, Out]

  // The weight with its adapter, if it has one.
  Variable effective_weight() const;

  Variable weight;            // [In, Out]
  Variable down, up;          // of its adapter; undefined without
  QuantizedMatrix quantized;  // instead of it, if the model is int8
  Variable bias;              // [Out]; undefined without

 private:
  Activation activation_ = Activation::none;
};

}  // namespace heed

// A tensor [..., C] as rows of C elements.
#pragma once

#include "heed/base/fail.h"
#include "heed/tensor/tensor.h"

namespace heed {

// Rows may be apart in a matrix; a tensor of another rank is made contiguous.
struct RowView {
  Tensor x;
  int64_t rows, columns, stride;

  RowView(const Tensor& tensor, const char* what) {
    check(tensor.defined() && tensor.rank() >= 1, "{} must be [..., C], got {}", what, tensor);
    x = tensor.rank() == 2 ? tensor : tensor.contiguous();
    columns = x.dim(-1);
    rows = columns == 0 ? 0 : x.size() / columns;
    stride = x.rank() == 2 ? x.stride(0) : columns;
  }

  template <typename T>
  const T* row(int64_t r) const {
    return x.data<T>() + r * stride;
  }
};

}  // namespace heed

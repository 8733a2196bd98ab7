// Tensor: a value handle on shared storage. Copying a Tensor copies the handle, not the numbers.
//
// Row-major. The last axis is always contiguous; leading axes may have any stride, so taking rows,
// columns or heads is a view:
//
//   Tensor x = Tensor::zeros({8, 12});     // [N, C]
//   Tensor a = x.slice(0, 2, 5);           // [3, 12]  rows 2..4
//   Tensor b = x.slice(1, 4, 8);           // [8, 4]   columns 4..7, row stride 12
//   Tensor h = x.split_heads(3);           // [8, 3, 4] heads as a view
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/dtype.h"
#include "heed/tensor/shape.h"
#include "heed/tensor/storage.h"

namespace heed {

class HEED_API Tensor {
 public:
  // Undefined: defined() is false, shape [0].
  Tensor() = default;

  static Tensor empty(const Shape& shape, DType type = DType::f32);  // uninitialized
  static Tensor zeros(const Shape& shape, DType type = DType::f32);
  static Tensor full(const Shape& shape, double value, DType type = DType::f32);
  template <typename T>
  static Tensor from(std::span<const T> values, const Shape& shape);
  template <typename T>
  static Tensor from(const std::vector<T>& values, const Shape& shape) {
    return from(std::span<const T>(values), shape);
  }
  // Elements that start `offset` bytes into the storage; checks bounds and alignment.
  static Tensor view_of(std::shared_ptr<Storage> storage, size_t offset, const Shape& shape,
                        DType type);

  bool defined() const { return storage_ != nullptr; }
  DType dtype() const { return type_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int axis) const;     // negative counts from the end
  int64_t stride(int axis) const;  // in elements
  int64_t size() const { return defined() ? shape_.size() : 0; }
  bool is_contiguous() const;
  bool owns_storage() const;  // writable memory that no other handle shares

  // The first element. T must be the element type; data() of a read-only mapping throws.
  template <typename T>
  T* data();
  template <typename T>
  const T* data() const;
  double item() const;  // the only element, as double

  // Views.
  Tensor slice(int axis, int64_t begin, int64_t end) const;
  Tensor select(int axis, int64_t index) const;  // drops the axis; not the last one
  Tensor split_heads(int64_t heads) const;       // [.., H*D] -> [.., H, D]
  Tensor join_heads() const;                     // [.., H, D] -> [.., H*D]; needs adjacent heads
  Tensor reshape(const Shape& shape) const;      // a view if contiguous, else a copy

  // Copies.
  Tensor clone() const;  // contiguous copy
  Tensor contiguous() const { return is_contiguous() ? *this : clone(); }
  Tensor to(DType type) const;           // converts; the same handle if nothing changes
  void copy_from(const Tensor& source);  // same shape and type
  void fill(double value);

  std::string text() const;  // "float32 [2, 3]", for messages

 private:
  int axis_of(int axis) const;
  std::byte* raw() const { return storage_->data() + offset_; }
  void require(DType type) const;
  void require_count(size_t values) const;
  void require_writable() const;

  std::shared_ptr<Storage> storage_;
  size_t offset_ = 0;  // bytes
  Shape shape_{0};
  Shape strides_{1};  // elements
  DType type_ = DType::f32;
};

template <typename T>
T* Tensor::data() {
  require(dtype_of<T>());
  require_writable();
  return reinterpret_cast<T*>(raw());
}

template <typename T>
const T* Tensor::data() const {
  require(dtype_of<T>());
  return reinterpret_cast<const T*>(raw());
}

template <typename T>
Tensor Tensor::from(std::span<const T> values, const Shape& shape) {
  Tensor result = empty(shape, dtype_of<T>());
  result.require_count(values.size());
  T* out = result.template data<T>();
  for (size_t i = 0; i < values.size(); ++i) out[i] = values[i];
  return result;
}

}  // namespace heed

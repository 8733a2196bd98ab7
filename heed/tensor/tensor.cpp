#include "heed/tensor/tensor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "heed/base/divide_up.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"

namespace heed {
namespace {

Shape row_major_strides(const Shape& shape) {
  Shape strides = shape;
  int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    strides[axis] = step;
    step *= std::max<int64_t>(shape[axis], 1);
  }
  return strides;
}

// Calls visit(T{}) with the C++ type of an element type.
template <typename Visitor>
void with_type(DType type, Visitor&& visit) {
  switch (type) {
    case DType::f32: return visit(float{});
    case DType::f64: return visit(double{});
    case DType::f16: return visit(Float16{});
    case DType::bf16: return visit(BFloat16{});
    case DType::i64: return visit(int64_t{});
    case DType::i32: return visit(int32_t{});
    case DType::i8: return visit(int8_t{});
    case DType::u8: return visit(uint8_t{});
    case DType::boolean: return visit(bool{});
  }
}

template <typename To, typename From>
To convert(From x) {
  if constexpr (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>) {
    return convert<To>(to_float(x));
  } else if constexpr (std::is_same_v<To, Float16>) {
    return to_float16(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return to_bfloat16(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // Toward zero; what does not fit goes to the nearest that does, NaN to 0. (A plain cast would
    // be undefined.) The largest integer may round up to a From, so the comparison is with <.
    using Limits = std::numeric_limits<To>;
    if (!(x > static_cast<From>(Limits::min()))) return std::isnan(x) ? To{0} : Limits::min();
    return x < static_cast<From>(Limits::max()) ? static_cast<To>(x) : Limits::max();
  } else {
    return static_cast<To>(x);
  }
}

// Walks along the runs of the last axis, in row-major order. The offset is in elements.
class RowCursor {
 public:
  RowCursor(const Shape& shape, const Shape& strides, int64_t row)
      : shape_(shape), strides_(strides) {
    for (int axis = shape.rank() - 2; axis >= 0; --axis) {
      auto& i = index_[axis];
      i = row % shape[axis];
      row /= shape[axis];
      offset_ += i * strides[axis];
    }
  }

  int64_t offset() const { return offset_; }

  void next() {
    for (int axis = shape_.rank() - 2; axis >= 0; --axis) {
      auto& i = index_[axis];
      offset_ += strides_[axis];
      if (++i < shape_[axis]) break;
      offset_ -= i * strides_[axis];
      i = 0;
    }
  }

 private:
  const Shape& shape_;
  const Shape& strides_;
  std::array<int64_t, Shape::kMaxRank> index_{};
  int64_t offset_ = 0;
};

int64_t row_count(const Shape& shape) {
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) rows *= shape[axis];
  return rows;
}

template <typename Row>
void for_each_row(const Shape& shape, const Shape& strides, Row&& row) {
  const int64_t rows = row_count(shape);
  if (rows == 0) return;
  RowCursor cursor(shape, strides, 0);
  for (int64_t r = 0; r < rows; ++r, cursor.next()) row(cursor.offset());
}

// Copies are cut into tasks of about this size.
constexpr size_t kTaskBytes = size_t{1} << 18;
constexpr double kBytesPerNanosecond = 5;

// How many elements lie between the first and the last of a view, both included.
int64_t extent(const Shape& shape, const Shape& strides) {
  int64_t last = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) last += (shape[axis] - 1) * strides[axis];
  return last + 1;
}

void copy_bytes(std::byte* to, const std::byte* from, size_t bytes) {
  const auto tasks = static_cast<int64_t>((bytes + kTaskBytes - 1) / kTaskBytes);
  parallel_for(tasks, static_cast<double>(bytes) / kBytesPerNanosecond, [&](int64_t task) {
    const size_t begin = static_cast<size_t>(task) * kTaskBytes;
    std::memcpy(to + begin, from + begin, std::min(kTaskBytes, bytes - begin));
  });
}

}  // namespace

Tensor Tensor::empty(const Shape& shape, DType type) {
  Tensor result;
  result.storage_ = Storage::allocate(static_cast<size_t>(shape.size()) * byte_size(type));
  result.shape_ = shape;
  result.strides_ = row_major_strides(shape);
  result.type_ = type;
  return result;
}

Tensor Tensor::zeros(const Shape& shape, DType type) {
  Tensor result = empty(shape, type);
  std::memset(result.raw(), 0, static_cast<size_t>(shape.size()) * byte_size(type));
  return result;
}

Tensor Tensor::full(const Shape& shape, double value, DType type) {
  Tensor result = empty(shape, type);
  result.fill(value);
  return result;
}

Tensor Tensor::view_of(std::shared_ptr<Storage> storage, size_t offset, const Shape& shape,
                       DType type) {
  check(storage != nullptr, "tensor: a view needs storage");
  const size_t bytes = static_cast<size_t>(shape.size()) * byte_size(type);
  check(offset <= storage->bytes() && bytes <= storage->bytes() - offset,
        "tensor: {} {} at byte {} does not fit in {} bytes", name(type), shape, offset,
        storage->bytes());
  check(offset % byte_size(type) == 0, "tensor: byte {} is not aligned for {}", offset, name(type));
  Tensor result;
  result.storage_ = std::move(storage);
  result.offset_ = offset;
  result.shape_ = shape;
  result.strides_ = row_major_strides(shape);
  result.type_ = type;
  return result;
}

int Tensor::axis_of(int axis) const {
  const int positive = axis < 0 ? axis + rank() : axis;
  if (positive < 0 || positive >= rank()) fail("tensor: {} has no axis {}", text(), axis);
  return positive;
}

int64_t Tensor::dim(int axis) const { return shape_[axis_of(axis)]; }
int64_t Tensor::stride(int axis) const { return strides_[axis_of(axis)]; }

bool Tensor::is_contiguous() const {
  if (size() == 0) return true;
  int64_t step = 1;
  for (int axis = rank() - 1; axis >= 0; --axis) {
    if (shape_[axis] != 1 && strides_[axis] != step) return false;
    step *= shape_[axis];
  }
  return true;
}

bool Tensor::owns_storage() const { return storage_.use_count() == 1 && !storage_->read_only(); }

// With if and fail(), because check() would put its arguments together, name() among them, at every
// call of data().
void Tensor::require(DType type) const {
  if (!defined()) fail("tensor: undefined tensor used where {} was expected", name(type));
  if (type_ != type) fail("tensor: expected {}, got {}", name(type), text());
}

void Tensor::require_count(size_t values) const {
  check(static_cast<int64_t>(values) == shape_.size(), "tensor: {} needs {} values, got {}", *this,
        shape_.size(), values);
}

void Tensor::require_writable() const {
  if (storage_->read_only()) fail("tensor: {} is a read-only mapping; clone() it to write", text());
}

double Tensor::item() const {
  if (size() != 1) fail("tensor: item() needs one element, got {}", text());
  double value = 0;
  with_type(type_, [&](auto zero) {
    value = convert<double>(*reinterpret_cast<const decltype(zero)*>(raw()));
  });
  return value;
}

Tensor Tensor::slice(int axis, int64_t begin, int64_t end) const {
  const int at = axis_of(axis);
  check(0 <= begin && begin <= end && end <= shape_[at],
        "tensor: slice [{}, {}) is outside axis {} of {}", begin, end, axis, *this);
  Tensor result = *this;
  result.offset_ += static_cast<size_t>(begin * strides_[at]) * byte_size(type_);
  result.shape_[at] = end - begin;
  return result;
}

Tensor Tensor::select(int axis, int64_t index) const {
  const int at = axis_of(axis);
  check(at + 1 < rank(), "tensor: select needs an axis before the last one, got {} of {}", axis,
        *this);
  Tensor result = slice(at, index, index + 1);
  std::vector<int64_t> sizes(shape_.begin(), shape_.end());
  std::vector<int64_t> steps(strides_.begin(), strides_.end());
  sizes.erase(sizes.begin() + at);
  steps.erase(steps.begin() + at);
  result.shape_ = Shape(sizes);
  result.strides_ = Shape(steps);
  return result;
}

Tensor Tensor::split_heads(int64_t heads) const {
  check(rank() >= 1 && rank() < Shape::kMaxRank && heads > 0 && dim(-1) % heads == 0,
        "tensor: cannot split the last axis of {} into {} heads", *this, heads);
  std::vector<int64_t> sizes(shape_.begin(), shape_.end());
  std::vector<int64_t> steps(strides_.begin(), strides_.end());
  const int64_t width = sizes.back() / heads;
  sizes.back() = heads;
  sizes.push_back(width);
  steps.back() = width;
  steps.push_back(1);
  Tensor result = *this;
  result.shape_ = Shape(sizes);
  result.strides_ = Shape(steps);
  return result;
}

Tensor Tensor::join_heads() const {
  check(rank() >= 2, "tensor: join_heads needs [.., H, D], got {}", *this);
  check(dim(-2) == 1 || stride(-2) == dim(-1), "tensor: the heads of {} are not adjacent", *this);
  std::vector<int64_t> sizes(shape_.begin(), shape_.end());
  std::vector<int64_t> steps(strides_.begin(), strides_.end());
  const int64_t width = sizes.back();
  sizes.pop_back();
  steps.pop_back();
  sizes.back() *= width;
  steps.back() = 1;
  Tensor result = *this;
  result.shape_ = Shape(sizes);
  result.strides_ = Shape(steps);
  return result;
}

Tensor Tensor::reshape(const Shape& shape) const {
  check(shape.size() == size(), "tensor: cannot reshape {} to {}", *this, shape);
  Tensor result = contiguous();
  result.shape_ = shape;
  result.strides_ = row_major_strides(shape);
  return result;
}

Tensor Tensor::clone() const {
  if (!defined()) return {};
  Tensor result = empty(shape_, type_);
  result.copy_from(*this);
  return result;
}

Tensor Tensor::to(DType type) const {
  if (type == type_) return *this;
  check(defined(), "tensor: undefined tensor converted to {}", name(type));
  Tensor result = empty(shape_, type);
  const int64_t width = rank() == 0 ? 1 : dim(-1);
  with_type(type_, [&](auto from) {
    with_type(type, [&](auto to) {
      const auto* in = reinterpret_cast<const decltype(from)*>(raw());
      auto* out = reinterpret_cast<decltype(to)*>(result.raw());
      for_each_row(shape_, strides_, [&](int64_t offset) {
        for (int64_t i = 0; i < width; ++i) *out++ = convert<decltype(to)>(in[offset + i]);
      });
    });
  });
  return result;
}

void Tensor::copy_from(const Tensor& source) {
  check(defined() && source.defined() && shape_ == source.shape_ && type_ == source.type_,
        "tensor: cannot copy {} to {}", source, *this);
  require_writable();
  if (size() == 0) return;
  const size_t element = byte_size(type_);
  const size_t bytes = static_cast<size_t>(size()) * element;
  if (is_contiguous() && source.is_contiguous()) {
    if (storage_ == source.storage_) {  // they may overlap
      std::memmove(raw(), source.raw(), bytes);
    } else {
      copy_bytes(raw(), source.raw(), bytes);
    }
    return;
  }
  const auto end = [&](const Tensor& x) {
    return x.raw() + static_cast<size_t>(extent(x.shape_, x.strides_)) * element;
  };
  if (storage_ == source.storage_ && raw() < end(source) && source.raw() < end(*this)) {
    return copy_from(source.clone());  // a row might be written before it is read
  }
  const int64_t rows = row_count(shape_);
  const size_t width = bytes / static_cast<size_t>(rows);
  const auto step = static_cast<int64_t>(std::max<size_t>(kTaskBytes / width, 1));
  const double nanoseconds = static_cast<double>(bytes) / kBytesPerNanosecond;
  parallel_for(divide_up(rows, step), nanoseconds, [&](int64_t task) {
    const int64_t begin = task * step;
    RowCursor to(shape_, strides_, begin);
    RowCursor from(source.shape_, source.strides_, begin);
    for (int64_t row = begin; row < std::min(begin + step, rows); ++row, to.next(), from.next()) {
      std::memcpy(raw() + static_cast<size_t>(to.offset()) * element,
                  source.raw() + static_cast<size_t>(from.offset()) * element, width);
    }
  });
}

void Tensor::fill(double value) {
  check(defined(), "tensor: undefined tensor filled");
  require_writable();
  const int64_t width = rank() == 0 ? 1 : dim(-1);
  with_type(type_, [&](auto zero) {
    auto* out = reinterpret_cast<decltype(zero)*>(raw());
    const auto converted = convert<decltype(zero)>(value);
    if (size() == 0) return;
    for_each_row(shape_, strides_, [&](int64_t offset) {
      for (int64_t i = 0; i < width; ++i) out[offset + i] = converted;
    });
  });
}

std::string Tensor::text() const {
  return defined() ? fmt::format("{} {}", name(type_), shape_.text()) : "undefined";
}

}  // namespace heed

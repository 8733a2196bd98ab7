#include "heed/io/npy.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/fail.h"
#include "heed/io/atomic_file.h"
#include "heed/io/npy_header_internal.h"
#include "heed/io/tensor_bytes_internal.h"

namespace heed {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kNpyAlignment = 64;  // of the data, as NumPy pads it

// Little-endian bytes as a number.
size_t number_from(std::span<const std::byte> bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = (value << 8) | std::to_integer<size_t>(bytes[i]);
  return value;
}

// From Fortran order, in which the first axis runs fastest, to row-major.
void transpose(const std::byte* from, std::byte* to, const Shape& shape, size_t element) {
  std::vector<int64_t> steps;  // of the source, in elements
  int64_t step = 1;
  for (const int64_t size : shape) {
    steps.push_back(step);
    step *= size;
  }
  std::vector<int64_t> index(steps.size(), 0);
  const int64_t count = shape.size();
  int64_t source = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * element, from + static_cast<size_t>(source) * element,
                element);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      source += steps[a];
      if (++index[a] < shape[axis]) break;
      source -= index[a] * steps[a];
      index[a] = 0;
    }
  }
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const bool is_npy = bytes.size() >= kMagic.size() + 2 &&
                      std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
  check(is_npy, "{}: not a .npy file: it does not begin with \\x93NUMPY", name);
  const auto version = std::to_integer<int>(bytes[kMagic.size()]);
  check(version >= 1 && version <= 3, "{}: .npy version {} is not known; known are 1 to 3", name,
        version);
  bytes = bytes.subspan(kMagic.size() + 2);

  const size_t length_bytes = version == 1 ? 2 : 4;
  check(bytes.size() >= length_bytes, "{}: not a valid .npy file: it ends in its header", name);
  const size_t header_bytes = number_from(bytes.first(length_bytes));
  bytes = bytes.subspan(length_bytes);
  check(bytes.size() >= header_bytes, "{}: not a valid .npy file: it ends in its header", name);
  const NpyHeader header =
      parse_npy_header({reinterpret_cast<const char*>(bytes.data()), header_bytes}, name);
  bytes = bytes.subspan(header_bytes);

  const size_t element = byte_size(header.type);
  const size_t expected = static_cast<size_t>(header.shape.size()) * element;
  check(bytes.size() == expected, "{}: {} {} needs {} bytes of data, the file has {}{}", name,
        heed::name(header.type), header.shape, expected, bytes.size(),
        bytes.size() < expected ? ": is it cut off?" : "");

  const auto storage = Storage::allocate(expected);
  std::byte* out = storage->data();
  if (header.fortran_order && header.shape.rank() > 1) {
    transpose(bytes.data(), out, header.shape, element);
  } else if (expected > 0) {
    std::memcpy(out, bytes.data(), expected);
  }
  if (header.type == DType::boolean) {  // a C++ bool may hold nothing but 0 and 1
    std::transform(out, out + expected, out,
                   [](std::byte b) { return std::byte{b != std::byte{0}}; });
  }
  return Tensor::view_of(storage, 0, header.shape, header.type);
}

Tensor load_npy(const std::string& path) {
  const auto file = Storage::map_file(path);
  return parse_npy({std::as_const(*file).data(), file->bytes()}, path);
}

void save_npy(const std::string& path, const Tensor& tensor) {
  check(tensor.defined(), "{}: there is no array to write", path);
  std::string header = npy_header_text({tensor.dtype(), false, tensor.shape()});
  const size_t before = kMagic.size() + 2 + 2;
  const size_t padded =
      (before + header.size() + 1 + kNpyAlignment - 1) / kNpyAlignment * kNpyAlignment;
  header.resize(padded - before - 1, ' ');
  header += '\n';

  std::string begin(kMagic);
  begin += '\x01';
  begin += '\0';
  begin += static_cast<char>(header.size() & 0xff);
  begin += static_cast<char>(header.size() >> 8);

  const Tensor rows = tensor.contiguous();
  AtomicFile file(path);
  file.write(begin);
  file.write(header);
  file.write(bytes_of(rows));
  file.commit();
}

}  // namespace heed

#include "heed/io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "heed/base/fail.h"
#include "heed/io/atomic_file.h"
#include "heed/io/safetensors_header_internal.h"
#include "heed/io/tensor_bytes_internal.h"

namespace heed {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kAlignment = 64;  // of the data, and of each tensor if that is possible
constexpr size_t kLengthBytes = 8;

// A C++ bool may hold nothing but 0 and 1; any other byte is taken as true.
Tensor copy_of_flags(const std::byte* from, const Shape& shape) {
  Tensor result = Tensor::empty(shape, DType::boolean);
  bool* out = result.data<bool>();
  for (int64_t i = 0; i < result.size(); ++i) out[i] = from[i] != std::byte{0};
  return result;
}

Tensor copy_of_bytes(const std::byte* from, const Shape& shape, DType type) {
  const size_t bytes = static_cast<size_t>(shape.size()) * byte_size(type);
  const auto storage = Storage::allocate(bytes);
  if (bytes > 0) std::memcpy(storage->data(), from, bytes);
  return Tensor::view_of(storage, 0, shape, type);
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  return parse(Storage::map_file(path), path);
}

SafetensorsFile SafetensorsFile::parse(std::shared_ptr<Storage> bytes, const std::string& name) {
  const std::byte* data = std::as_const(*bytes).data();
  const size_t size = bytes->bytes();
  check(size >= kLengthBytes, "{}: not a .safetensors file: it has only {} bytes", name, size);
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, data, kLengthBytes);
  check(header_bytes <= kMaxSafetensorsHeader,
        "{}: not a .safetensors file: a header of {} bytes; {} are the most", name, header_bytes,
        kMaxSafetensorsHeader);
  check(header_bytes <= size - kLengthBytes,
        "{}: a header of {} bytes in a file of {}: is it cut off?", name, header_bytes, size);
  const size_t begin = kLengthBytes + header_bytes;
  SafetensorsHeader header = parse_safetensors_header(
      {reinterpret_cast<const char*>(data) + kLengthBytes, header_bytes}, size - begin, name);

  SafetensorsFile file;
  file.name_ = name;
  file.bytes_ = std::move(bytes);
  file.metadata_ = std::move(header.metadata);
  for (SafetensorsEntry& entry : header.entries) {
    file.entries_[std::move(entry.name)] = {std::move(entry.type), entry.shape,
                                            begin + entry.begin};
  }
  return file;
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

Tensor SafetensorsFile::tensor(const std::string& name) const {
  const auto found = entries_.find(name);
  check(found != entries_.end(), "{}: there is no tensor \"{}\"", name_, name);
  const Entry& entry = found->second;
  const std::optional<DType> type = safetensors_type(entry.type);
  check(type.has_value(), "{}: tensor \"{}\": the type {} is not supported", name_, name,
        entry.type);
  const std::byte* data = std::as_const(*bytes_).data() + entry.offset;
  if (*type == DType::boolean) return copy_of_flags(data, entry.shape);
  if (entry.offset % byte_size(*type) != 0) return copy_of_bytes(data, entry.shape, *type);
  return Tensor::view_of(bytes_, entry.offset, entry.shape, *type);
}

std::vector<NamedTensor> SafetensorsFile::tensors() const {
  std::vector<NamedTensor> all;
  for (const auto& [name, entry] : entries_) all.push_back({name, tensor(name)});
  return all;
}

void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const SafetensorsMetadata& metadata) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& one : tensors) {
    check(one.tensor.defined(), "{}: there is no tensor to write as \"{}\"", path, one.name);
    order.push_back(&one);
  }
  const auto bytes = [](const Tensor& x) {
    return static_cast<size_t>(x.size()) * byte_size(x.dtype());
  };
  const auto rank = [&](const NamedTensor& one) {  // what comes first ranks lower
    return std::tuple(bytes(one.tensor) % kAlignment != 0, ~byte_size(one.tensor.dtype()),
                      std::string_view(one.name));
  };
  std::sort(order.begin(), order.end(),
            [&](const NamedTensor* a, const NamedTensor* b) { return rank(*a) < rank(*b); });

  SafetensorsHeader header{.entries = {}, .metadata = metadata};
  size_t end = 0;
  for (const NamedTensor* one : order) {
    const size_t begin = end;
    end += bytes(one->tensor);
    header.entries.push_back(
        {one->name, safetensors_name(one->tensor.dtype()), one->tensor.shape(), begin, end});
  }
  std::string text = safetensors_header_text(header);
  const size_t padded = (kLengthBytes + text.size() + kAlignment - 1) / kAlignment * kAlignment;
  text.resize(padded - kLengthBytes, ' ');
  check(text.size() <= kMaxSafetensorsHeader,
        "{}: names and metadata take {} bytes; {} are the most", path, text.size(),
        kMaxSafetensorsHeader);
  const uint64_t length = text.size();

  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(text);
  for (const NamedTensor* one : order) {
    const Tensor rows = one->tensor.contiguous();
    file.write(bytes_of(rows));
  }
  file.commit();
}

}  // namespace heed

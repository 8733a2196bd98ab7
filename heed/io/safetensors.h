// Hugging Face's .safetensors files: named tensors and strings.
//
//   8 bytes   length of the header, little-endian
//   header    JSON: {"__metadata__": {"step": "7"},
//                    "w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..}  spaces
//   data      the elements, row-major, little-endian; offsets count from here
//
//   const SafetensorsFile file = SafetensorsFile::open("model.safetensors");
//   Tensor w = file.tensor("w");
//
// A file is mapped, not read: a tensor is a view on it, read-only, and clone() makes it writable.
// Everything is checked against the size of the file before it is used or memory is taken, so that
// a damaged or hostile file gives an Error and nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/tensor/named_tensor.h"
#include "heed/tensor/storage.h"
#include "heed/tensor/tensor.h"

namespace heed {

using SafetensorsMetadata = std::map<std::string, std::string>;

class HEED_API SafetensorsFile {
 public:
  static SafetensorsFile open(const std::string& path);

  // The same from memory; `name` stands for the file in messages.
  static SafetensorsFile parse(std::shared_ptr<Storage> bytes, const std::string& name);

  std::vector<std::string> names() const;  // sorted by their bytes
  bool contains(const std::string& name) const { return entries_.contains(name); }
  const SafetensorsMetadata& metadata() const { return metadata_; }

  // A view that keeps the file mapped; a copy if the tensor is bool, or not aligned in the file. An
  // error if there is no such tensor, or if heed does not have its type (such as U16).
  Tensor tensor(const std::string& name) const;
  std::vector<NamedTensor> tensors() const;  // all, sorted by name

 private:
  struct Entry {
    std::string type;  // as the file says it
    Shape shape;
    size_t offset;  // bytes from the beginning of the file
  };

  std::string name_;
  std::shared_ptr<Storage> bytes_;
  std::map<std::string, Entry> entries_;
  SafetensorsMetadata metadata_;
};

// Written to a temporary name and renamed. The bytes depend on the tensors and strings, not on
// their order: first the tensors whose size is a multiple of 64 bytes, which all lie on such
// multiples, then the others; in both parts larger elements come first, then names in order. Names
// are UTF-8, each but once, not "__metadata__".
HEED_API void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                                const SafetensorsMetadata& metadata = {});

}  // namespace heed

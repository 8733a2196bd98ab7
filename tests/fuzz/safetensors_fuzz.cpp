// Any bytes either give tensors that can be read to their end, or a heed::Error. The first byte
// says where the header ends, in eighths of what follows, or that all the rest is the file as it
// is.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "heed/base/error.h"
#include "heed/io/safetensors.h"

namespace {

// A length that fits is hard to find by chance.
std::shared_ptr<heed::Storage> with_length(const uint8_t* data, size_t size, size_t eighths) {
  const auto storage = heed::Storage::allocate(8 + size);
  const uint64_t length = size * eighths / 8;
  std::memcpy(storage->data(), &length, 8);
  if (size > 0) std::memcpy(storage->data() + 8, data, size);
  return storage;
}

std::shared_ptr<heed::Storage> as_it_is(const uint8_t* data, size_t size) {
  const auto storage = heed::Storage::allocate(size);
  if (size > 0) std::memcpy(storage->data(), data, size);
  return storage;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t choice = data[0] % 10;
  const auto bytes =
      choice == 9 ? as_it_is(data + 1, size - 1) : with_length(data + 1, size - 1, choice);
  try {
    const heed::SafetensorsFile file = heed::SafetensorsFile::parse(bytes, "fuzz.safetensors");
    volatile double sum = 0;
    for (const std::string& name : file.names()) {
      try {
        const heed::Tensor numbers = file.tensor(name).to(heed::DType::f64);
        for (int64_t i = 0; i < numbers.size(); ++i) sum = sum + numbers.data<double>()[i];
      } catch (const heed::Error&) {  // a type that heed does not have
        continue;
      }
    }
  } catch (const heed::Error&) {
    return 0;
  }
  return 0;
}

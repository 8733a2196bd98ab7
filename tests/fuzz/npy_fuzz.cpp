// Any bytes either give an array that can be read to its end, or a heed::Error.

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/base/error.h"
#include "heed/io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const heed::Tensor array = heed::parse_npy(std::as_bytes(std::span(data, size)), "fuzz.npy");
    const heed::Tensor numbers = array.to(heed::DType::f64);
    volatile double sum = 0;
    for (int64_t i = 0; i < numbers.size(); ++i) sum = sum + numbers.data<double>()[i];
  } catch (const heed::Error&) {
    return 0;
  }
  return 0;
}

// Any text is a table of numbers, or a heed::Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heed/base/error.h"
#include "heed/io/array.h"
#include "heed/io/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    heed::parse_csv(text, "fuzz.csv", heed::DType::f64);
  } catch (const heed::Error&) {
  }
  try {
    heed::parse_array(text);
  } catch (const heed::Error&) {
  }
  return 0;
}

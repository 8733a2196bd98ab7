// Any bytes are a model of llama2.c that can be converted, or a heed::Error. The first byte
// chooses: the rest is the file of a model as it is, a header of small numbers with as many weights
// as it promises (or nearly), or the tokenizer of a good model.

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/convert/llama2c.h"

namespace {

using Header = std::array<int32_t, 7>;  // C, F, L, heads, key/value heads, V, T

// The layout of the header file, in numbers.
size_t weights(const Header& h) {
  const auto at = [&](size_t i) { return static_cast<size_t>(h[i] < 0 ? -h[i] : h[i]); };
  const size_t width = at(0), hidden = at(1), layers = at(2), vocabulary = at(5);
  const size_t head = at(3) == 0 ? 0 : width / at(3);
  const size_t keys = at(4) * head;
  const size_t layer = 2 * width + 2 * width * width + 2 * keys * width + 3 * hidden * width;
  const size_t tables = (h[5] < 0 ? 2 : 1) * vocabulary * width;
  return tables + layers * layer + width + at(6) * head;
}

std::string file_of(const Header& header, size_t numbers) {
  std::string file(sizeof header + 4 * numbers, '\0');
  std::memcpy(file.data(), header.data(), sizeof header);
  return file;
}

std::string small_model(std::string_view input) {
  Header header{4, 6, 1, 2, 1, 5, 8};
  size_t more = 0;
  for (size_t i = 0; i < header.size() && i < input.size(); ++i) {
    header[i] = static_cast<int8_t>(input[i]) % 33;
  }
  if (input.size() > header.size()) more = static_cast<unsigned char>(input[7]) % 3;
  return file_of(header, weights(header) + more);
}

std::string good_tokenizer() {
  std::string file("\1\0\0\0", 4);
  for (const char piece : std::string_view("abcde")) {
    file.append(4, '\0');  // the score
    file.append("\1\0\0\0", 4);
    file.push_back(piece);
  }
  return file;
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string kFolder = "/tmp/heed-llama2c-fuzz-" + std::to_string(::getpid());
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string model = kFolder + ".bin", tokenizer = kFolder + ".tok";
  const uint8_t choice = data[0] % 3;
  write_file(model, choice == 0 ? input : std::string_view(small_model(choice == 1 ? input : "")));
  write_file(tokenizer, choice == 2 ? input : std::string_view(good_tokenizer()));
  try {
    (void)heed::convert_llama2c(model, tokenizer);
  } catch (const heed::Error&) {
    // as it should be
  }
  ::unlink(model.c_str());
  ::unlink(tokenizer.c_str());
  return 0;
}

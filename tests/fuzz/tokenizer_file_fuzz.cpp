// Any bytes are a tokenizer that can be used, or a heed::Error. The first byte chooses the format:
// tokenizer.json or spm.model as they are, changes to a good SentencePiece model, or merges for a
// fixed vocabulary.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/text/train_tokenizer.h"

namespace {

constexpr std::string_view kText = "the cat sat on the mat\nand läuft 我 the cat\n";

std::string good_model() {
  return heed::train_tokenizer({&kText, 1},
                               {.kind = heed::TokenizerKind::unigram, .vocab_size = 320})
      ->file_contents();
}

// Three bytes of the input are a place and what is written there.
std::string changed(std::string_view input) {
  static const std::string kGood = good_model();
  std::string model = kGood;
  for (; input.size() >= 3; input.remove_prefix(3)) {
    const size_t place =
        static_cast<unsigned char>(input[0]) * 256u + static_cast<unsigned char>(input[1]);
    model[place % model.size()] = input[2];
  }
  return model;
}

std::shared_ptr<const heed::Tokenizer> made(uint8_t format, std::string_view input) {
  if (format % 4 == 0) return heed::parse_tokenizer(changed(input), "fuzz");
  if (format % 4 == 1) {
    return heed::parse_bpe(R"({"t": 0, "h": 1, "th": 2, "e": 3, "the": 4, "Ġ": 5})", input, "fuzz");
  }
  return heed::parse_tokenizer(input, "fuzz");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  try {
    const auto tokenizer = made(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
    (void)tokenizer->decode(tokenizer->encode(kText));
    (void)heed::parse_tokenizer(tokenizer->file_contents(), "again");
  } catch (const heed::Error&) {
    return 0;
  }
  return 0;
}

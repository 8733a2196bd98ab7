// Any bytes come back from byte and bpe as they were; the other kinds take them without harm.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "heed/text/train_tokenizer.h"

namespace {

constexpr std::string_view kText =
    "the cat sat on the mat, the dog didn't: \"Wau!\" läuft über 1234 我想在\n\n the cat  sat\n";

std::shared_ptr<const heed::Tokenizer> trained(heed::TokenizerKind kind) {
  return heed::train_tokenizer({&kText, 1}, {.kind = kind, .vocab_size = 330});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto kBytes = trained(heed::TokenizerKind::byte);
  static const auto kBpe = trained(heed::TokenizerKind::bpe);
  static const std::shared_ptr<const heed::Tokenizer> kOthers[] = {
      trained(heed::TokenizerKind::character), trained(heed::TokenizerKind::word),
      trained(heed::TokenizerKind::unigram), trained(heed::TokenizerKind::sentencepiece_bpe)};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& tokenizer : {kBytes, kBpe}) {
    for (const auto names : {heed::SpecialNames::are_tokens, heed::SpecialNames::are_text}) {
      if (tokenizer->decode(tokenizer->encode(text, names)) != text) std::abort();
    }
  }
  for (const auto& tokenizer : kOthers) {
    const std::string once = tokenizer->decode(tokenizer->encode(text));
    heed::StreamDecoder stream(tokenizer);
    std::string streamed;
    for (const int32_t id : tokenizer->encode(text)) streamed += stream.push(id);
    if (streamed + stream.finish() != once) std::abort();
  }
  return 0;
}

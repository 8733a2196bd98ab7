// Texts to try tokenizers on.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/text/train_tokenizer.h"

namespace heed {

inline const std::string kSampleText =
    "The cat sat on the mat. The dog didn't sit; the dog stood (there) and barked: \"Wau!\"\n"
    "Ein kleiner Hund läuft über die Straße.\n\n  The cats' mats were on the other mats, 1234 "
    "times 56.\nkitten sitting, sitting kitten\tsitting 我想在 kitten\n";

inline std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

inline std::shared_ptr<const Tokenizer> trained(TokenizerKind kind, int64_t size,
                                                std::string_view text = kSampleText) {
  return train_tokenizer({&text, 1}, {.kind = kind, .vocab_size = size});
}

// Any bytes, with enough order in them that merges apply.
inline std::string random_bytes(uint32_t seed) {
  std::mt19937 random(seed);
  std::string text;
  const size_t parts = random() % 12;
  for (size_t i = 0; i < parts; ++i) {
    if (random() % 2 == 0) {
      const size_t begin = random() % kSampleText.size();
      text += kSampleText.substr(begin, random() % 20);
    } else {
      for (size_t n = random() % 6; n > 0; --n) text += static_cast<char>(random() % 256);
    }
    if (random() % 8 == 0) text += "<|eos|>";
  }
  return text;
}

inline std::string error_in(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline std::vector<std::string> tokens_of(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::string> tokens;
  for (const int32_t id : tokenizer.encode(text)) tokens.push_back(tokenizer.token(id));
  return tokens;
}

}  // namespace heed

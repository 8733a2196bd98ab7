// A vocabulary learned from text.
//
// The same texts and options give the same tokenizer, on every machine and for any number of
// threads; each kind says in docs/formats.md how ties are broken.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "heed/base/export.h"
#include "heed/text/tokenizer.h"

namespace heed {

struct TrainTokenizerOptions {
  TokenizerKind kind = TokenizerKind::bpe;
  // Tokens at most, special ones included. 0: all that occur for characters and words, 8000 for
  // bpe, unigram and sentencepiece_bpe. Bytes are always 260.
  int64_t vocab_size = 0;
};

// Each text is a whole, such as a file, mapped or read. Texts may hold any bytes; those that are
// not UTF-8 teach nothing except to byte and bpe.
HEED_API std::shared_ptr<const Tokenizer> train_tokenizer(
    std::span<const std::string_view> texts, const TrainTokenizerOptions& options = {});

}  // namespace heed

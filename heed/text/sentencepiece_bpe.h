// A SentencePiece tokenizer from its pieces: for vocabularies that other programs keep without the
// rest of SentencePiece's file.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "heed/base/export.h"
#include "heed/text/tokenizer.h"

namespace heed {

struct ScoredPiece {
  std::string text;  // spaces as U+2581; bytes as "<0x0A>"
  float score = 0;   // of two neighbours that could be merged, those with the higher score are
};

// Byte-pair encoding with a space before the text, as Llama's. Pieces 0, 1 and 2 are the unknown
// piece, the beginning and the end; if there are the 256 bytes, they spell what is not in the
// pieces.
HEED_API std::shared_ptr<const Tokenizer> sentencepiece_bpe_tokenizer(
    std::span<const ScoredPiece> pieces, const std::string& name);

}  // namespace heed

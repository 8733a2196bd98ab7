#include "heed/text/train_tokenizer.h"

#include <limits>

#include "heed/base/fail.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/byte_tokenizer_internal.h"
#include "heed/text/char_tokenizer_internal.h"
#include "heed/text/sentencepiece_tokenizer_internal.h"
#include "heed/text/word_tokenizer_internal.h"

namespace heed {
namespace {

constexpr int64_t kDefaultSize = 8000;

}  // namespace

std::shared_ptr<const Tokenizer> train_tokenizer(std::span<const std::string_view> texts,
                                                 const TrainTokenizerOptions& options) {
  const int64_t size = options.vocab_size;
  check(size >= 0 && size <= std::numeric_limits<int32_t>::max(),
        "tokenizer: a vocabulary of {} tokens is not possible", size);
  const int64_t subwords = size == 0 ? kDefaultSize : size;
  switch (options.kind) {
    case TokenizerKind::byte: return std::make_shared<ByteTokenizer>();
    case TokenizerKind::character: return train_characters(texts, size);
    case TokenizerKind::word: return train_words(texts, size);
    case TokenizerKind::bpe:
      return std::make_shared<BpeTokenizer>(train_bpe(texts, subwords), "bpe");
    case TokenizerKind::unigram:
    case TokenizerKind::sentencepiece_bpe:
      return train_sentencepiece(texts, options.kind, subwords);
    case TokenizerKind::wordpiece: break;
  }
  fail("tokenizer: heed reads WordPiece vocabularies, but does not train them; take bpe or spm");
}

}  // namespace heed

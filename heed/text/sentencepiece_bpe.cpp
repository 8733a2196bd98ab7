#include "heed/text/sentencepiece_bpe.h"

#include <bit>

#include "heed/base/fail.h"
#include "heed/text/sentencepiece_tokenizer_internal.h"

namespace heed {
namespace {

// The numbers of sentencepiece_model.proto.
enum FieldNumber : uint8_t {
  kPieces = 1,
  kTrainer = 2,
  kNormalizer = 3,
  kPieceText = 1,
  kPieceScore = 2,
  kPieceType = 3,
  kModelType = 3,
  kByteFallback = 35,
  kNormalizerName = 1,
  kAddDummyPrefix = 3,
  kRemoveExtraWhitespaces = 4,
};
constexpr uint64_t kBpe = 2;

// Writes a message of a protocol buffer.
class MessageWriter {
 public:
  void number(unsigned field, uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void bytes(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    text_ += value;
  }
  void real(unsigned field, float value) {
    varint(field << 3 | 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    for (unsigned shift = 0; shift < 32; shift += 8)
      text_ += static_cast<char>(bits >> shift & 0xff);
  }
  const std::string& text() const { return text_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) text_ += static_cast<char>((value & 0x7f) | 0x80);
    text_ += static_cast<char>(value);
  }

  std::string text_;
};

SentencePieceModel::Type type_of(size_t id, const std::string& text) {
  if (id == 0) return SentencePieceModel::Type::unknown;
  if (id <= 2) return SentencePieceModel::Type::control;
  return is_byte_piece(text) ? SentencePieceModel::Type::byte : SentencePieceModel::Type::normal;
}

}  // namespace

std::shared_ptr<const Tokenizer> sentencepiece_bpe_tokenizer(std::span<const ScoredPiece> pieces,
                                                             const std::string& name) {
  check(pieces.size() > 3, "{}: a vocabulary of {} pieces is too small", name, pieces.size());
  MessageWriter model;
  size_t bytes = 0;
  for (size_t id = 0; id < pieces.size(); ++id) {
    const SentencePieceModel::Type type = type_of(id, pieces[id].text);
    if (type == SentencePieceModel::Type::byte) ++bytes;
    MessageWriter piece;
    piece.bytes(kPieceText, pieces[id].text);
    piece.real(kPieceScore, pieces[id].score);
    piece.number(kPieceType, static_cast<uint64_t>(type));
    model.bytes(kPieces, piece.text());
  }
  MessageWriter trainer;
  trainer.number(kModelType, kBpe);
  trainer.number(kByteFallback, bytes == 256 ? 1 : 0);
  model.bytes(kTrainer, trainer.text());
  MessageWriter normalizer;
  normalizer.bytes(kNormalizerName, "identity");
  normalizer.number(kAddDummyPrefix, 1);
  normalizer.number(kRemoveExtraWhitespaces, 0);
  model.bytes(kNormalizer, normalizer.text());
  return load_sentencepiece(model.text(), name);
}

}  // namespace heed

// Reads and checks a SentencePiece model before SentencePiece does.
//
// SentencePiece parses the protocol buffer safely, but takes the tables inside on trust: the
// compiled normalization rules are a trie whose links it follows without looking at the bounds, and
// some contradictions end the process. Here every field that matters is checked; the layout is that
// of sentencepiece_model.proto.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "heed/base/fail.h"
#include "heed/text/sentencepiece_tokenizer_internal.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

// One field of a protocol buffer message.
struct Field {
  uint32_t number = 0;
  enum class Wire : uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 } wire{};
  uint64_t value = 0;      // of a number
  std::string_view bytes;  // of a string or a message
};

// The fields of a message, one after the other.
class Message {
 public:
  Message(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  bool next(Field& field) {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    field.number = static_cast<uint32_t>(tag >> 3);
    check(tag >> 3 > 0 && tag >> 3 < (1u << 29), "{}: not a SentencePiece model", name_);
    field.wire = static_cast<Field::Wire>(tag & 7);
    field.value = 0;
    field.bytes = {};
    switch (field.wire) {
      case Field::Wire::varint: field.value = varint(); return true;
      case Field::Wire::fixed64: field.value = fixed(8); return true;
      case Field::Wire::fixed32: field.value = fixed(4); return true;
      case Field::Wire::bytes: field.bytes = take(varint()); return true;
    }
    fail("{}: not a SentencePiece model, or one that is damaged", name_);
  }

 private:
  std::string_view take(uint64_t count) {
    check(count <= rest_.size(), "{}: not a SentencePiece model, or one that is cut short", name_);
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  uint64_t fixed(size_t count) {
    uint64_t value = 0;
    std::memcpy(&value, take(count).data(), count);
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail("{}: not a SentencePiece model: a number is too long", name_);
  }

  std::string_view rest_;
  const std::string& name_;
};

void read_piece(std::string_view bytes, SentencePieceModel& model, const std::string& name) {
  std::string_view text;
  float score = 0;
  uint64_t type = 1;
  Field field;
  for (Message message(bytes, name); message.next(field);) {
    if (field.number == 1) text = field.bytes;
    if (field.number == 2) {
      const auto bits = static_cast<uint32_t>(field.value);
      std::memcpy(&score, &bits, sizeof score);
    }
    if (field.number == 3) type = field.value;
  }
  const size_t id = model.pieces.size();
  check(!text.empty() && valid_utf8_bytes(text) == text.size() &&
            text.find('\0') == std::string_view::npos,
        "{}: piece {} is not text", name, id);
  check(std::isfinite(score), "{}: the score of piece {} is not a number", name, id);
  check(type >= 1 && type <= 6, "{}: piece {} has an unknown type", name, id);
  model.pieces.emplace_back(text);
  model.types.push_back(static_cast<SentencePieceModel::Type>(type));
  check(model.types.back() != SentencePieceModel::Type::byte || is_byte_piece(text),
        "{}: piece {} is not a byte, such as <0x0A>", name, id);
}

// The trie of a precompiled character map is an array of 32-bit units (darts-clone). A walk goes
// from a unit to `unit ^ offset ^ byte`; a unit with the leaf bit has a value at `unit ^ offset`,
// which is a place in the list of replacements, strings that each end in a zero byte.
class CharacterMap {
 public:
  CharacterMap(std::string_view bytes, const std::string& name) : name_(name) {
    if (bytes.empty()) return;
    uint32_t trie_bytes = 0;
    check(bytes.size() > sizeof trie_bytes, "{}: the normalization rules are damaged", name);
    std::memcpy(&trie_bytes, bytes.data(), sizeof trie_bytes);
    bytes.remove_prefix(sizeof trie_bytes);
    check(trie_bytes < bytes.size() && trie_bytes % 4 == 0 && trie_bytes > 0,
          "{}: the normalization rules are damaged", name);
    units_.resize(trie_bytes / 4);
    std::memcpy(units_.data(), bytes.data(), trie_bytes);
    replacements_ = bytes.substr(trie_bytes);
    check(replacements_.back() == '\0', "{}: the normalization rules are damaged", name);
  }

  // Visits every unit that some text leads to.
  void check_links() const {
    if (units_.empty()) return;
    std::vector<bool> seen(units_.size(), false);
    std::vector<size_t> waiting{0};
    seen[0] = true;
    while (!waiting.empty()) {
      const size_t at = waiting.back();
      waiting.pop_back();
      const size_t base = at ^ offset(units_[at]);
      // Any byte may be tried from here.
      check((base | 255) < units_.size(), "{}: the normalization rules lead out of their table",
            name_);
      if ((units_[at] & 0x100) != 0) {
        check((units_[base] & 0x7fffffffu) < replacements_.size(),
              "{}: the normalization rules lead out of their table", name_);
      }
      for (size_t byte = 0; byte < 256; ++byte) {
        const size_t to = base ^ byte;
        if (seen[to] || label(units_[to]) != byte) continue;
        seen[to] = true;
        waiting.push_back(to);
      }
    }
  }

 private:
  static size_t offset(uint32_t unit) { return (unit >> 10) << ((unit & 0x200) >> 6); }
  static size_t label(uint32_t unit) { return unit & (0x80000000u | 0xff); }

  const std::string& name_;
  std::vector<uint32_t> units_;
  std::string_view replacements_;
};

void read_trainer(std::string_view bytes, SentencePieceModel& model, const std::string& name) {
  uint64_t type = 1;
  bool is_suffix = false;
  Field field;
  for (Message message(bytes, name); message.next(field);) {
    if (field.number == 3) type = field.value;
    if (field.number == 24) is_suffix = field.value != 0;
    if (field.number == 44 && field.wire == Field::Wire::bytes) {
      model.unknown_text = std::string(field.bytes);
    }
  }
  check(type == 1 || type == 2, "{}: heed reads unigram and BPE models of SentencePiece only",
        name);
  check(!is_suffix, "{}: blanks at the end of pieces are not supported", name);
  model.kind = type == 1 ? TokenizerKind::unigram : TokenizerKind::sentencepiece_bpe;
}

void read_piece_normalizer(std::string_view bytes, bool& prefix, bool& strips,
                           const std::string& name) {
  Field field;
  for (Message message(bytes, name); message.next(field);) {
    if (field.number == 2) CharacterMap(field.bytes, name).check_links();
    if (field.number == 3) prefix = field.value != 0;
    if (field.number == 4) strips = field.value != 0;
    check(field.number != 5 || field.value != 0, "{}: \"escape_whitespaces\" must be on", name);
  }
}

void check_pieces(const SentencePieceModel& model, const std::string& name) {
  const auto count = [&](SentencePieceModel::Type type) {
    return std::count(model.types.begin(), model.types.end(), type);
  };
  check(!model.pieces.empty(), "{}: not a SentencePiece model: it has no pieces", name);
  check(count(SentencePieceModel::Type::unknown) == 1,
        "{}: a model has one unknown piece, this has {}", name,
        count(SentencePieceModel::Type::unknown));
  check(count(SentencePieceModel::Type::normal) + count(SentencePieceModel::Type::user_defined) > 0,
        "{}: the model has no pieces for text", name);
  const auto bytes = count(SentencePieceModel::Type::byte);
  check(bytes == 0 || bytes == 256, "{}: {} pieces for bytes; expected 256 or none", name, bytes);
}

}  // namespace

bool is_byte_piece(std::string_view piece) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); };
  return piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>') &&
         is_digit(piece[3]) && is_digit(piece[4]);
}

SentencePieceModel read_sentencepiece_model(std::string_view contents, const std::string& name) {
  check(contents.size() <= static_cast<size_t>(std::numeric_limits<int32_t>::max()),
        "{}: too large for a SentencePiece model", name);
  SentencePieceModel model;
  bool prefix = true;
  bool strips = true;
  Field field;
  for (Message message(contents, name); message.next(field);) {
    if (field.number >= 1 && field.number <= 5) {
      check(field.wire == Field::Wire::bytes, "{}: not a SentencePiece model", name);
    }
    if (field.number == 1) read_piece(field.bytes, model, name);
    if (field.number == 2) read_trainer(field.bytes, model, name);
    if (field.number == 3) read_piece_normalizer(field.bytes, prefix, strips, name);
    if (field.number == 5) {
      bool ignored = false;
      read_piece_normalizer(field.bytes, ignored, ignored, name);
    }
  }
  check_pieces(model, name);
  model.strips_first_space = prefix || strips;
  return model;
}

}  // namespace heed

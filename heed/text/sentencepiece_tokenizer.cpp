#include "heed/text/sentencepiece_tokenizer_internal.h"

#include <sentencepiece_processor.h>

#include <utility>

#include "heed/base/fail.h"

namespace heed {
namespace {

constexpr std::string_view kBlank = "\u2581";

SpecialIds piece_specials(const Vocabulary& vocabulary, const SentencePieceModel& model) {
  SpecialIds ids = find_specials(vocabulary);
  for (auto* id : {&ids.bos, &ids.eos, &ids.separator, &ids.cls}) {
    // The same name may be an ordinary piece.
    if (*id && model.types[**id] == SentencePieceModel::Type::normal) id->reset();
  }
  for (size_t id = 0; id < model.types.size(); ++id) {
    if (model.types[id] == SentencePieceModel::Type::unknown)
      ids.unknown = static_cast<int32_t>(id);
  }
  return ids;
}

// "<0x0A>" as a byte; the model was checked for this form.
char byte_of(const std::string& piece) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
  return static_cast<char>(digit(piece[3]) * 16 + digit(piece[4]));
}

std::string with_spaces(std::string_view piece) {
  std::string text;
  for (size_t at; (at = piece.find(kBlank)) != std::string_view::npos;) {
    text += piece.substr(0, at);
    text += ' ';
    piece.remove_prefix(at + kBlank.size());
  }
  return text += piece;
}

}  // namespace

SentencePieceTokenizer::SentencePieceTokenizer(std::string contents, SentencePieceModel model,
                                               const std::string& name)
    : VocabularyTokenizer(Vocabulary(std::move(model.pieces), name), {}, AddedTokens()),
      contents_(std::move(contents)),
      model_(std::move(model)) {
  set_specials(piece_specials(vocabulary(), model_));
  for (int32_t id = 0; id < size(); ++id) {
    switch (model_.types[id]) {
      case SentencePieceModel::Type::control: text_.emplace_back(); break;
      case SentencePieceModel::Type::unknown: text_.push_back(model_.unknown_text); break;
      case SentencePieceModel::Type::byte: text_.emplace_back(1, byte_of(token(id))); break;
      default: text_.push_back(with_spaces(token(id))); break;
    }
  }
  silence_sentencepiece();
  processor_ = std::make_unique<sentencepiece::SentencePieceProcessor>();
  std::string problem;
  try {
    const auto status = processor_->LoadFromSerializedProto(contents_);
    if (!status.ok()) problem = status.message();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  check(problem.empty(), "{}: SentencePiece refuses this model: {}", name, problem);
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

void SentencePieceTokenizer::encode_text(std::string_view text, std::vector<int32_t>& ids) const {
  static_assert(sizeof(int) == sizeof(int32_t));
  std::vector<int> found;
  const auto status = processor_->Encode(text, &found);
  check(status.ok(), "tokenizer: SentencePiece cannot encode this text: {}", status.message());
  ids.insert(ids.end(), found.begin(), found.end());
}

void SentencePieceTokenizer::decode_next(int32_t id, DecodeState& state, std::string& text) const {
  (void)token(id);  // checks the id
  std::string_view piece = text_[id];
  const auto type = model_.types[id];
  if (type == SentencePieceModel::Type::control) return;
  const bool may_strip =
      type != SentencePieceModel::Type::unknown && type != SentencePieceModel::Type::byte;
  if (!state.begun && model_.strips_first_space && may_strip && piece.starts_with(' ')) {
    piece.remove_prefix(1);
  }
  state.begun = true;
  text += piece;
}

std::shared_ptr<const Tokenizer> load_sentencepiece(std::string contents, const std::string& name) {
  SentencePieceModel model = read_sentencepiece_model(contents, name);
  return std::make_shared<SentencePieceTokenizer>(std::move(contents), std::move(model), name);
}

}  // namespace heed

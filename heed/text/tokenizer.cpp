#include "heed/text/tokenizer.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "heed/base/fail.h"
#include "heed/io/atomic_file.h"
#include "heed/text/tokenizer_parts.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr const char* kSavedNames[] = {"spm.model", "tokenizer.json"};

}  // namespace

std::string_view name(TokenizerKind kind) {
  switch (kind) {
    case TokenizerKind::byte: return "byte";
    case TokenizerKind::character: return "char";
    case TokenizerKind::word: return "word";
    case TokenizerKind::bpe: return "bpe";
    case TokenizerKind::unigram: return "spm";
    case TokenizerKind::sentencepiece_bpe: return "spm-bpe";
    case TokenizerKind::wordpiece: return "wordpiece";
  }
  fail("tokenizer: unknown kind");
}

std::string Tokenizer::decode(std::span<const int32_t> ids) const {
  std::string text;
  DecodeState state;
  for (const int32_t id : ids) decode_next(id, state, text);
  return text;
}

std::string Tokenizer::save(const std::string& folder) const {
  const std::filesystem::path path = std::filesystem::path(folder) / file_name();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  check(!error, "{}: cannot make this folder: {}", folder, error.message());
  write_file(path.string(), file_contents());
  // The folder has one tokenizer: an older one of another kind would be found instead, or in vain.
  for (const char* other : kSavedNames) {
    if (file_name() != other) std::filesystem::remove(std::filesystem::path(folder) / other, error);
  }
  const std::filesystem::path config = std::filesystem::path(folder) / kTokenizerConfig;
  if (const std::string contents = config_contents(); !contents.empty()) {
    write_file(config.string(), contents);
  } else {
    std::filesystem::remove(config, error);
  }
  return path.string();
}

std::string saved_tokenizer(const std::string& folder) {
  for (const char* name : kSavedNames) {
    std::string path = folder + "/" + name;
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

StreamDecoder::StreamDecoder(std::shared_ptr<const Tokenizer> tokenizer)
    : tokenizer_(std::move(tokenizer)) {
  check(tokenizer_ != nullptr, "StreamDecoder: there is no tokenizer");
}

std::string StreamDecoder::push(int32_t id) {
  tokenizer_->decode_next(id, state_, waiting_);
  const size_t ready = waiting_.size() - incomplete_utf8_bytes(waiting_);
  std::string text = waiting_.substr(0, ready);
  waiting_.erase(0, ready);
  return text;
}

std::string StreamDecoder::finish() {
  state_ = {};
  return std::exchange(waiting_, {});
}

}  // namespace heed

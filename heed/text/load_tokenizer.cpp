#include <filesystem>
#include <system_error>
#include <utility>

#include "heed/base/fail.h"
#include "heed/tensor/storage.h"
#include "heed/text/bos_eos.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/byte_tokenizer_internal.h"
#include "heed/text/char_tokenizer_internal.h"
#include "heed/text/json.h"
#include "heed/text/sentencepiece_tokenizer_internal.h"
#include "heed/text/token_file_internal.h"
#include "heed/text/tokenizer.h"
#include "heed/text/tokenizer_parts.h"
#include "heed/text/word_tokenizer_internal.h"
#include "heed/text/wordpiece_tokenizer_internal.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

// Vocabularies in two files: the name of the first ends so, the second's name instead of it.
constexpr std::pair<std::string_view, std::string_view> kTwoFiles[] = {
    {"vocab.json", "merges.txt"}, {"encoder.json", "vocab.bpe"}};

constexpr char kWordPiece[] = "vocab.txt";

bool is_file(const fs::path& path) {
  std::error_code ignored;  // what cannot be looked at is not there
  return fs::is_regular_file(path, ignored);
}

struct File {
  explicit File(const std::string& path) : storage(Storage::map_file(path)) {}
  std::string_view contents() const {
    return {reinterpret_cast<const char*>(std::as_const(*storage).data()), storage->bytes()};
  }
  std::shared_ptr<Storage> storage;
};

// The path of the merges that belong to a vocabulary; empty if it is not the first of two files.
std::string merges_path(const std::string& path) {
  for (const auto& [first, second] : kTwoFiles) {
    if (!path.ends_with(first)) continue;
    std::string other = path.substr(0, path.size() - first.size()) + std::string(second);
    if (is_file(other)) return other;
  }
  return {};
}

std::string file_in(const std::string& folder) {
  for (const char* file : {"tokenizer.json", "spm.model", "tokenizer.model"}) {
    const fs::path path = fs::path(folder) / file;
    if (is_file(path)) return path.string();
  }
  for (const auto& [first, second] : kTwoFiles) {
    std::string path = (fs::path(folder) / first).string();
    if (is_file(path) && !merges_path(path).empty()) return path;
  }
  const fs::path pieces = fs::path(folder) / kWordPiece;
  if (is_file(pieces)) return pieces.string();
  fail(
      "{}: no tokenizer here; expected tokenizer.json, spm.model, vocab.json with merges.txt, or "
      "vocab.txt",
      folder);
}

std::shared_ptr<const Tokenizer> from_json(const nlohmann::json& file, const std::string& name) {
  if (file.is_object() && file.contains("model")) {
    const nlohmann::json& model = file["model"];
    if (model.is_object() && model.contains("type") && model["type"] == "WordPiece") {
      return std::make_shared<WordPieceTokenizer>(read_wordpiece(file, name), name);
    }
    return std::make_shared<BpeTokenizer>(read_bpe(file, name), name);
  }
  check(file.is_object() && file.contains("format"),
        "{}: this JSON is not a tokenizer; expected \"model\" (Hugging Face) or \"format\" (heed)",
        name);
  const TokenizerKind kind = token_file_kind(file, name);
  if (kind == TokenizerKind::byte) return std::make_shared<ByteTokenizer>();
  TokenFile tokens = read_token_file(file, name);
  if (kind == TokenizerKind::character) {
    return std::make_shared<CharTokenizer>(std::move(tokens), name);
  }
  return std::make_shared<WordTokenizer>(std::move(tokens), name);
}

// The tokenizer_config.json beside a file; null if there is none.
struct ConfigBeside {
  explicit ConfigBeside(const std::string& file)
      : path((fs::path(file).parent_path() / kTokenizerConfig).string()) {
    if (is_file(path)) json = parse_json(File(path).contents(), path);
  }
  std::string path;
  nlohmann::json json;
};

std::shared_ptr<const Tokenizer> load_file(const std::string& file, const ConfigBeside& config) {
  const File first(file);
  if (file.ends_with(kWordPiece)) {
    const WordPieceOptions options = config.json.is_null()
                                         ? WordPieceOptions()
                                         : read_wordpiece_options(config.json, config.path);
    return parse_wordpiece(first.contents(), options, file);
  }
  const std::string merges = merges_path(file);
  if (merges.empty()) return parse_tokenizer(first.contents(), file);
  const File second(merges);
  return parse_bpe(first.contents(), second.contents(), file);
}

}  // namespace

std::shared_ptr<const Tokenizer> parse_tokenizer(std::string_view contents,
                                                 const std::string& name) {
  check(!contents.empty(), "{}: the file is empty", name);
  const size_t begin = contents.find_first_not_of(" \t\r\n");
  const bool is_json = begin != std::string_view::npos &&
                       (contents[begin] == '{' || contents.starts_with("\xef\xbb\xbf{"));
  if (!is_json) return load_sentencepiece(std::string(contents), name);
  return from_json(parse_json(contents, name), name);
}

std::shared_ptr<const Tokenizer> parse_bpe(std::string_view vocabulary, std::string_view merges,
                                           const std::string& name) {
  return std::make_shared<BpeTokenizer>(read_bpe(parse_json(vocabulary, name), merges, name), name);
}

std::shared_ptr<const Tokenizer> parse_wordpiece(std::string_view vocabulary,
                                                 const WordPieceOptions& options,
                                                 const std::string& name) {
  return std::make_shared<WordPieceTokenizer>(read_wordpiece(vocabulary, options, name), name);
}

std::shared_ptr<const Tokenizer> load_tokenizer(const std::string& path) {
  std::error_code error;
  const std::string file = fs::is_directory(path, error) ? file_in(path) : path;
  const ConfigBeside config(file);
  auto tokenizer = load_file(file, config);
  if (config.json.is_null()) return tokenizer;
  const BosEos ends = read_bos_eos(config.json, config.path, *tokenizer);
  return with_bos_eos(std::move(tokenizer), ends);
}

}  // namespace heed

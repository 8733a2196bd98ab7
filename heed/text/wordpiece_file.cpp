// tokenizer.json of type WordPiece, and BERT's vocab.txt with tokenizer_config.json.

#include <algorithm>
#include <utility>

#include "heed/base/fail.h"
#include "heed/text/json.h"
#include "heed/text/vocabulary_file_internal.h"
#include "heed/text/wordpiece_tokenizer_internal.h"

namespace heed {
namespace {

using nlohmann::json;

constexpr int64_t kMaxCharacters = 1 << 20;

// The member "type" must be this one.
void require_type(const json& file, const char* key, const char* type, const std::string& name) {
  const json& node = member(file, key, name);
  const json found = node.is_null() ? node : member(node, "type", name);
  check(found == json(type), "{}: a WordPiece model with the {} {} is not supported, only with {}",
        name, key, found.dump(), type);
}

WordPieceOptions read_word_piece_normalizer(const json& node, const std::string& name) {
  WordPieceOptions options;
  options.clean = bool_of(member(node, "clean_text", name), true, name);
  options.chinese = bool_of(member(node, "handle_chinese_chars", name), true, name);
  options.lower_case = bool_of(member(node, "lowercase", name), true, name);
  options.strip_accents = bool_of(member(node, "strip_accents", name), options.lower_case, name);
  return options;
}

}  // namespace

WordPieceModel read_wordpiece(const json& file, const std::string& name) {
  require_type(file, "normalizer", "BertNormalizer", name);
  require_type(file, "pre_tokenizer", "BertPreTokenizer", name);
  WordPieceModel model;
  model.options = read_word_piece_normalizer(member(file, "normalizer", name), name);
  model.added = read_added(member(file, "added_tokens", name), name);
  const json& inner = member(file, "model", name);
  model.tokens = read_tokens(member(inner, "vocab", name), model.added, name);
  if (const json& unknown = member(inner, "unk_token", name); !unknown.is_null()) {
    model.unknown = string_of(unknown, name + ": \"unk_token\"");
  }
  if (const json& prefix = member(inner, "continuing_subword_prefix", name); !prefix.is_null()) {
    model.prefix = string_of(prefix, name + ": \"continuing_subword_prefix\"");
  }
  if (const json& longest = member(inner, "max_input_chars_per_word", name); !longest.is_null()) {
    model.longest_word = integer_of(longest, name + ": \"max_input_chars_per_word\"");
    check(model.longest_word > 0 && model.longest_word <= kMaxCharacters,
          "{}: words of at most {} characters are not possible", name, model.longest_word);
  }
  return model;
}

WordPieceModel read_wordpiece(std::string_view vocabulary, const WordPieceOptions& options,
                              const std::string& name) {
  WordPieceModel model;
  model.options = options;
  while (!vocabulary.empty()) {
    const size_t end = std::min(vocabulary.find('\n'), vocabulary.size());
    std::string_view line = vocabulary.substr(0, end);
    vocabulary.remove_prefix(std::min(end + 1, vocabulary.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    check(!line.empty(), "{}: line {} is empty; a line is a token", name, model.tokens.size() + 1);
    model.tokens.emplace_back(line);
  }
  // The file does not say which tokens are special; their names do.
  for (size_t id = 0; id < model.tokens.size(); ++id) {
    const std::string& token = model.tokens[id];
    for (const char* special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
      if (token == special) model.added.push_back({token, static_cast<int32_t>(id)});
    }
  }
  return model;
}

WordPieceOptions read_wordpiece_options(const json& config, const std::string& name) {
  WordPieceOptions options;
  options.lower_case = bool_of(member(config, "do_lower_case", name), true, name);
  options.strip_accents = bool_of(member(config, "strip_accents", name), options.lower_case, name);
  options.chinese = bool_of(member(config, "tokenize_chinese_chars", name), true, name);
  return options;
}

std::string write_wordpiece(const WordPieceModel& model, const Vocabulary& vocabulary) {
  const WordPieceOptions& options = model.options;
  std::string text = "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n";
  text += "  \"added_tokens\": [" + write_added(model.added) + "\n  ],\n";
  text += fmt::format(
      "  \"normalizer\": {{\"type\": \"BertNormalizer\", \"clean_text\": {}, "
      "\"handle_chinese_chars\": {}, \"strip_accents\": {}, \"lowercase\": {}}},\n",
      options.clean, options.chinese, options.strip_accents, options.lower_case);
  text += "  \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"},\n  \"post_processor\": null,\n";
  text += fmt::format(
      "  \"decoder\": {{\"type\": \"WordPiece\", \"prefix\": {}, \"cleanup\": false}},\n",
      json_text(model.prefix));
  text += fmt::format(
      "  \"model\": {{\n    \"type\": \"WordPiece\",\n    \"unk_token\": {},\n"
      "    \"continuing_subword_prefix\": {},\n    \"max_input_chars_per_word\": {},\n"
      "    \"vocab\": {{",
      json_text(model.unknown), json_text(model.prefix), model.longest_word);
  return text + write_tokens(vocabulary.tokens()) + "\n    }\n  }\n}\n";
}

}  // namespace heed

// heed's own tokenizer.json, of the kinds that have no other format: byte, char and word.
//
//   {"format": 1, "type": "char", "specials": {"unk": 0, "bos": 1, ...},
//    "tokens": ["<|unk|>", ...]}
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "heed/text/tokenizer.h"
#include "heed/text/vocabulary_internal.h"

namespace heed {

struct TokenFile {
  Vocabulary vocabulary;
  SpecialIds specials;
};

// The members "tokens" and "specials" of a parsed file.
TokenFile read_token_file(const nlohmann::json& file, const std::string& name);

std::string write_token_file(TokenizerKind kind, const Vocabulary& vocabulary,
                             const SpecialIds& specials);

// The kind of a file of this format; an error if its format is newer or it is something else.
TokenizerKind token_file_kind(const nlohmann::json& file, const std::string& name);

}  // namespace heed

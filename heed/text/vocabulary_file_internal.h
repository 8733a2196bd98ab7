// The parts that every tokenizer.json of Hugging Face's tokenizers has: a vocabulary {"token": id,
// ..} and added tokens.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heed/text/added_tokens_internal.h"

namespace heed {

// The ids of a vocabulary, which is an object; `name` stands for the file in messages.
struct TokenIds {
  const nlohmann::json* object;
  const std::string& name;

  std::optional<int64_t> find(const std::string& token) const;
};

// The member "added_tokens".
std::vector<AddedToken> read_added(const nlohmann::json& list, const std::string& name);

// The tokens in the order of their ids, which must be 0, 1, 2, ..; those that are added included.
std::vector<std::string> read_tokens(const nlohmann::json& vocabulary,
                                     const std::vector<AddedToken>& added, const std::string& name);

// An error unless the member is absent, null, false, 0 or "".
void require_absent(const nlohmann::json& object, const char* key, const std::string& name);

// The member "added_tokens" for a file.
std::string write_added(std::vector<AddedToken> added);

// The vocabulary for a file, without its braces.
std::string write_tokens(const std::vector<std::string>& tokens);

}  // namespace heed

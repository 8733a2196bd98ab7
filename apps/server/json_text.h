// JSON out: texts that may hold bytes which are not UTF-8, numbers as short as float32 allows, and
// tensors as nested lists.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/server/http.h"
#include "heed/tensor/tensor.h"
#include "heed/text/tokenizer.h"

namespace heed::server {

using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& page);
HttpAnswer json_answer(const Json& page);

// The shortest decimal number that reads back as this float; null if it is not finite.
Json number_json(float value);
Json number_json(double value);

// Nested lists as the shape says; of the last axis at most `columns` numbers, if that is not 0.
Json tensor_json(const Tensor& tensor, int64_t columns = 0);

Json bytes_json(const std::string& text);  // [195, 159]

// {"id", "token", "text"}: text is what the token adds inside a text; "bytes" too, if they are only
// a part of a character.
Json token_json(const Tokenizer& tokenizer, int32_t id);
Json tokens_json(const Tokenizer& tokenizer, std::span<const int32_t> ids);

}  // namespace heed::server

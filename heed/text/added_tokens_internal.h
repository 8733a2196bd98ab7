// Tokens that are found in the text before it is split: "<|eos|>".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct AddedToken {
  std::string text;
  int32_t id = 0;
  bool strip_left = false;   // takes the white space before it along
  bool strip_right = false;  // and behind it
};

class AddedTokens {
 public:
  AddedTokens() = default;
  explicit AddedTokens(std::vector<AddedToken> tokens);

  const std::vector<AddedToken>& tokens() const { return tokens_; }

  struct Match {
    size_t begin, end;
    int32_t id;
  };

  // The first place at or behind `from` where a token stands; of several there, the longest.
  std::optional<Match> next(std::string_view text, size_t from) const;

 private:
  const AddedToken* longest_at(std::string_view text) const;

  std::vector<AddedToken> tokens_;  // in the order of their texts
  std::array<bool, 256> begins_{};  // bytes that a token begins with
};

}  // namespace heed

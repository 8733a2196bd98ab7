// Tokens by id and ids by token.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

class Vocabulary {
 public:
  // The place in the list is the id. Two tokens that are the same are an error; `name` stands for
  // the list in its message.
  Vocabulary(std::vector<std::string> tokens, const std::string& name);
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  const std::vector<std::string>& tokens() const { return tokens_; }
  const std::string& token(int32_t id) const;
  std::optional<int32_t> find(std::string_view token) const;

 private:
  std::vector<std::string> tokens_;
  std::unordered_map<std::string_view, int32_t> ids_;  // views of tokens_
};

}  // namespace heed

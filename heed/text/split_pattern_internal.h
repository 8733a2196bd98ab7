// Cuts text into pieces with a regular expression (PCRE2, just-in-time compiled, Unicode).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct pcre2_real_code_8;

namespace heed {

// GPT-2's: contractions, words, numbers and runs of other signs, each with one space before it;
// white space, whose last character is left to what follows.
extern const char* const kGpt2Pattern;

class SplitPattern {
 public:
  enum class Gaps : uint8_t { keep, drop };  // what stands between the matches

  // `name` stands for the pattern in messages. An error if it is not a valid expression.
  SplitPattern(const std::string& pattern, Gaps gaps, const std::string& name);

  // Calls piece(part) for every match and every gap, in order. Bytes that are not UTF-8 match
  // nothing: a run of them is a piece of its own, whatever the gaps.
  void split(std::string_view text, const std::function<void(std::string_view)>& piece) const;

 private:
  void split_utf8(std::string_view text, const std::function<void(std::string_view)>& piece) const;

  struct Free {
    void operator()(pcre2_real_code_8* code) const;
  };
  std::unique_ptr<pcre2_real_code_8, Free> code_;
  Gaps gaps_;
  std::string name_;
};

}  // namespace heed

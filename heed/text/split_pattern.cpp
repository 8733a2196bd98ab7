#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "heed/base/fail.h"
#include "heed/text/split_pattern_internal.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

// How much work one match may be, so that no expression hangs on any text.
constexpr uint32_t kMatchLimit = 10'000'000;

std::string message_of(int error) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(error, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

struct Free {
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

struct Matcher {
  explicit Matcher(const pcre2_code* code)
      : context(pcre2_match_context_create(nullptr)),
        data(pcre2_match_data_create_from_pattern(code, nullptr)) {
    if (!context || !data) throw std::bad_alloc();
    pcre2_set_match_limit(context.get(), kMatchLimit);
  }
  std::unique_ptr<pcre2_match_context, Free> context;
  std::unique_ptr<pcre2_match_data, Free> data;
};

}  // namespace

// White space is spelled out: PCRE2's own \s holds U+180E, which Unicode took out in version 6.3.
const char* const kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\t-\r\x{85}\p{Z}\p{L}\p{N}]+)"
    R"(|[\t-\r\x{85}\p{Z}]+(?![^\t-\r\x{85}\p{Z}])|[\t-\r\x{85}\p{Z}]+)";

void SplitPattern::Free::operator()(pcre2_real_code_8* code) const { pcre2_code_free(code); }

SplitPattern::SplitPattern(const std::string& pattern, Gaps gaps, const std::string& name)
    : gaps_(gaps), name_(name) {
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                            PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &offset,
                            nullptr));
  check(code_ != nullptr, "{}: the split pattern is wrong at byte {}: {}", name, offset,
        message_of(error));
  // Where there is no compiler for this machine, matching is slower and gives the same.
  (void)pcre2_jit_compile(code_.get(), PCRE2_JIT_COMPLETE);
}

void SplitPattern::split(std::string_view text,
                         const std::function<void(std::string_view)>& piece) const {
  while (!text.empty()) {
    const size_t valid = valid_utf8_bytes(text);
    if (valid > 0) split_utf8(text.substr(0, valid), piece);
    text.remove_prefix(valid);
    size_t invalid = 0;
    while (invalid < text.size() && !first_code_point(text.substr(invalid)).valid) ++invalid;
    if (invalid > 0) piece(text.substr(0, invalid));
    text.remove_prefix(invalid);
  }
}

void SplitPattern::split_utf8(std::string_view text,
                              const std::function<void(std::string_view)>& piece) const {
  const Matcher matcher(code_.get());
  const auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(matcher.data.get());
  const auto match = [&](size_t from, uint32_t options) {
    return pcre2_match(code_.get(), subject, text.size(), from, options | PCRE2_NO_UTF_CHECK,
                       matcher.data.get(), matcher.context.get());
  };
  size_t done = 0;  // pieces were given up to here
  size_t from = 0;  // where the next match is looked for
  while (from < text.size()) {
    int result = match(from, 0);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = match(from, PCRE2_NO_JIT);
    if (result == PCRE2_ERROR_NOMATCH) break;
    check(result >= 0, "{}: splitting the text failed: {}", name_, message_of(result));
    const size_t begin = ends[0];
    const size_t end = ends[1];
    check(begin <= end && begin >= done, "{}: the split pattern uses \\K, which is not supported",
          name_);
    if (end == begin) {  // empty matches cut nothing
      if (begin >= text.size()) break;
      from = begin + first_code_point(text.substr(begin)).bytes;
      continue;
    }
    if (begin > done && gaps_ == Gaps::keep) piece(text.substr(done, begin - done));
    piece(text.substr(begin, end - begin));
    done = from = end;
  }
  if (done < text.size() && gaps_ == Gaps::keep) piece(text.substr(done));
}

}  // namespace heed

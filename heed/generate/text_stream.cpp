#include "heed/generate/text_stream.h"

#include <algorithm>
#include <utility>

#include "heed/base/fail.h"

namespace heed {
namespace {

std::vector<int32_t> marks_of(const std::shared_ptr<const Tokenizer>& tokenizer) {
  check(tokenizer != nullptr, "TextStream: there is no tokenizer");
  const SpecialIds& specials = tokenizer->specials();
  std::vector<int32_t> marks;
  for (const auto& id : {specials.bos, specials.eos, specials.separator, specials.cls}) {
    if (id) marks.push_back(*id);
  }
  return marks;
}

// The longest end of the text that begins the stop string.
size_t begun(std::string_view text, std::string_view stop) {
  for (size_t count = std::min(text.size(), stop.size() - 1); count > 0; --count) {
    if (text.ends_with(stop.substr(0, count))) return count;
  }
  return 0;
}

}  // namespace

TextStream::TextStream(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stops)
    : marks_(marks_of(tokenizer)), decoder_(std::move(tokenizer)), stops_(std::move(stops)) {
  for (const std::string& stop : stops_) check(!stop.empty(), "generate: a stop string is empty");
}

void TextStream::skip(std::span<const int32_t> ids) {
  for (const int32_t id : ids) decoder_.push(id);
}

std::string TextStream::push(int32_t id) {
  const bool is_mark = std::find(marks_.begin(), marks_.end(), id) != marks_.end();
  return is_mark ? std::string() : release(decoder_.push(id));
}

std::string TextStream::finish() {
  return release(decoder_.finish()) + std::exchange(waiting_, {});
}

std::string TextStream::release(const std::string& more) {
  if (is_stopped_) return {};
  waiting_ += more;
  size_t first = std::string::npos, held = 0;
  for (const std::string& stop : stops_) {
    first = std::min(first, waiting_.find(stop));
    held = std::max(held, begun(waiting_, stop));
  }
  is_stopped_ = first != std::string::npos;
  const size_t ready = is_stopped_ ? first : waiting_.size() - held;
  std::string text = waiting_.substr(0, ready);
  waiting_.erase(0, is_stopped_ ? waiting_.size() : ready);
  return text;
}

}  // namespace heed

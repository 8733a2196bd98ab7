#include "heed/data/line_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "heed/base/blanks.h"
#include "heed/base/fail.h"
#include "heed/data/compressed.h"
#include "heed/data/findings_internal.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

constexpr size_t kChunk = size_t{1} << 18;

bool begins_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

int open_text(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  check(file >= 0, "{}: cannot read: {}", path, std::strerror(errno));
  struct stat info {};
  if (::fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(file);
    fail("{}: cannot read: is a directory", path);
  }
  return file;
}

}  // namespace

LineReader::LineReader(const TextSource& source, const LineOptions& options) : options_(options) {
  report_.file = source.name;
  check(options.longest >= 4, "{}: the longest line must be 4 bytes or more, got {}", source.name,
        options.longest);
  if (source.memory) {
    memory_ = *source.memory;
  } else {
    file_ = open_text(source.name);
  }
}

LineReader::~LineReader() {
  if (file_ >= 0) ::close(file_);
}

// Appends a chunk to the buffer; false at the end.
bool LineReader::read_more() {
  if (at_end_) return false;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t old = buffer_.size();
  if (file_ < 0) {
    const std::string_view chunk = memory_.substr(0, kChunk);
    memory_.remove_prefix(chunk.size());
    buffer_ += chunk;
  } else {
    buffer_.resize(old + kChunk);
    ssize_t count = -1;
    do {
      count = ::read(file_, buffer_.data() + old, kChunk);
    } while (count < 0 && errno == EINTR);
    const int error = errno;
    buffer_.resize(old + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    check(count >= 0, "{}: cannot read: {}", report_.file, std::strerror(error));
  }
  at_end_ = buffer_.size() == old;
  report_.bytes += static_cast<int64_t>(buffer_.size() - old);
  return !at_end_;
}

// Looks at the first bytes.
void LineReader::begin() {
  while (buffer_.size() < kTellingBytes && read_more()) {
  }
  report_.compressed = unpacked_by(buffer_);
  if (!report_.compressed.empty()) {
    check(options_.bad_bytes == OnMistake::count, "{}: {}", report_.file,
          compressed_text(report_.compressed));
    return;
  }
  if (options_.encoding == Encoding::utf8 && buffer_.starts_with(kMark)) {
    report_.byte_order_mark = true;
    begin_ = kMark.size();
  }
}

std::string_view LineReader::take(size_t bytes) {
  const std::string_view taken = std::string_view(buffer_).substr(begin_, bytes);
  begin_ += bytes;
  return taken;
}

std::optional<std::string_view> LineReader::next() {
  if (report_.bytes == 0) begin();
  if (!report_.compressed.empty()) return std::nullopt;
  const auto longest = static_cast<size_t>(options_.longest);
  if (continues_ && options_.long_lines == LongLines::cut) skip_rest();
  size_t searched = 0;
  size_t end = std::string::npos;
  while (true) {
    end = buffer_.find('\n', begin_ + searched);
    // One byte more than the longest may be the CR of CRLF.
    if (end != std::string::npos || available() > longest + 1) break;
    searched = available();
    if (!read_more()) break;
  }
  if (!continues_) {
    if (available() == 0) return std::nullopt;
    ++report_.lines;
    given_ = 0;
  }
  const bool ended = end != std::string::npos;
  size_t length = ended ? end - begin_ : available();
  const bool crlf = ended && length > 0 && buffer_[end - 1] == '\r';
  if (crlf) --length;
  if (length > longest) return take_piece();

  const std::string_view line = checked(take(length));
  if (ended) begin_ = end + 1;
  if (!ended) report_.missing_newline = true;
  if (crlf) ++report_.crlf;
  if (!continues_ && is_blank(line, kLineBlanks)) report_.empty.add(report_.lines);
  continues_ = false;
  return line;
}

std::string_view LineReader::take_piece() {
  if (!continues_) report_.too_long.add(report_.lines);
  const std::string_view piece =
      std::string_view(buffer_).substr(begin_, static_cast<size_t>(options_.longest));
  const bool utf8 = options_.encoding == Encoding::utf8;
  const size_t whole = piece.size() - (utf8 ? incomplete_utf8_bytes(piece) : 0);
  const std::string_view line = checked(take(whole));
  given_ += static_cast<int64_t>(whole);
  continues_ = true;
  return line;
}

void LineReader::skip_rest() {
  continues_ = false;
  while (true) {
    const size_t end = buffer_.find('\n', begin_);
    if (end != std::string::npos) {
      begin_ = end + 1;
      return;
    }
    begin_ = buffer_.size();
    if (!read_more()) {
      report_.missing_newline = true;
      return;
    }
  }
}

// The line in UTF-8.
std::string_view LineReader::checked(std::string_view raw) {
  if (options_.encoding == Encoding::latin1) {
    if (std::none_of(raw.begin(), raw.end(), [](char c) { return (c & 0x80) != 0; })) return raw;
    converted_.clear();
    for (const char c : raw) append_utf8(converted_, static_cast<unsigned char>(c));
    return converted_;
  }
  size_t valid = valid_utf8_bytes(raw);
  if (valid == raw.size()) return raw;
  if (options_.bad_bytes == OnMistake::fail) fail_at(raw, valid);
  if (given_ == 0 || report_.bad_bytes.lines.empty() ||
      report_.bad_bytes.lines.back() != report_.lines) {
    report_.bad_bytes.add(report_.lines);
  }
  converted_.clear();
  while (true) {
    converted_ += raw.substr(0, valid);
    if (valid == raw.size()) return converted_;
    append_utf8(converted_, kReplacement);
    raw.remove_prefix(valid + 1);
    valid = valid_utf8_bytes(raw);
  }
}

void LineReader::fail_at(std::string_view raw, size_t byte) const {
  if (report_.lines == 1 && given_ == 0 && begins_utf16(raw)) {
    fail("{}: this is UTF-16, expected UTF-8; convert it: iconv -f UTF-16 -t UTF-8 FILE",
         report_.file);
  }
  fail(
      "{}: line {}, byte {}: 0x{:02X} is not UTF-8; if the file is in Latin-1, add `encoding` "
      "latin1",
      report_.file, report_.lines, given_ + static_cast<int64_t>(byte) + 1,
      static_cast<unsigned char>(raw[byte]));
}

}  // namespace heed

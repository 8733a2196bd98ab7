#include "heed/data/token_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "heed/base/fail.h"

namespace heed {
namespace {

// What is held back before a piece is written, and what is read at once.
constexpr size_t kPiece = size_t{1} << 20;

std::string temporary_directory() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

// A file without a name.
int open_temporary(const std::string& directory) {
  std::string path = directory + "/heed-tokens-XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  check(file >= 0, "{}: cannot make a temporary file for token ids: {}", directory,
        std::strerror(errno));
  ::unlink(path.c_str());
  return file;
}

void write_all(int file, std::span<const std::byte> bytes, const std::string& directory) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    check(written >= 0,
          "{}: cannot write token ids: {}; make room there, or set TMPDIR to a directory on a disk "
          "with more",
          directory, std::strerror(errno));
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void read_all(int file, std::span<std::byte> bytes, int64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file, bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    check(count > 0, "token store: cannot read the temporary file: {}",
          count < 0 ? std::strerror(errno) : "it is too short");
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += count;
  }
}

}  // namespace

struct TokenStore::Contents {
  size_t width = 2;                // bytes of an id
  std::vector<int64_t> begins{0};  // count + 1
  std::vector<std::byte> bytes;    // in memory: all ids; in a file: those not written yet
  int file = -1;

  Contents() = default;
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;
  ~Contents() {
    if (file >= 0) ::close(file);
  }
};

TokenStore::TokenStore() : contents_(std::make_shared<Contents>()) {}
TokenStore::TokenStore(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

int64_t TokenStore::count() const { return static_cast<int64_t>(contents_->begins.size()) - 1; }
int64_t TokenStore::total() const { return contents_->begins.back(); }
bool TokenStore::in_memory() const { return contents_->file < 0; }

int64_t TokenStore::begin(int64_t i) const {
  check(i >= 0 && i < count(), "token store: there is no sequence {}; there are {}", i, count());
  return contents_->begins[i];
}

int64_t TokenStore::length(int64_t i) const {
  const int64_t first = begin(i);
  return contents_->begins[static_cast<size_t>(i) + 1] - first;
}

std::vector<int64_t> TokenStore::lengths() const {
  std::vector<int64_t> all(static_cast<size_t>(count()));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i] = contents_->begins[i + 1] - contents_->begins[i];
  }
  return all;
}

void TokenStore::copy(int64_t i, std::span<int32_t> ids) const {
  const int64_t first = begin(i);
  copy_range(first, first + length(i), ids);
}

std::vector<int32_t> TokenStore::sequence(int64_t i) const {
  const int64_t first = begin(i);
  return range(first, first + length(i));
}

std::vector<int32_t> TokenStore::range(int64_t begin, int64_t end) const {
  std::vector<int32_t> ids(static_cast<size_t>(std::max<int64_t>(end - begin, 0)));
  copy_range(begin, end, ids);
  return ids;
}

void TokenStore::copy_range(int64_t begin, int64_t end, std::span<int32_t> ids) const {
  check(begin >= 0 && begin <= end && end <= total(),
        "token store: [{}, {}) is not a range of the {} tokens", begin, end, total());
  check(static_cast<int64_t>(ids.size()) == end - begin,
        "token store: {} tokens do not go into room for {}", end - begin, ids.size());
  const size_t width = contents_->width;
  std::vector<std::byte> read;
  for (size_t at = 0; at < ids.size();) {
    const size_t count = std::min(ids.size() - at, kPiece / width);
    const size_t offset = (static_cast<size_t>(begin) + at) * width;
    const std::byte* bytes = contents_->bytes.data() + offset;
    if (!in_memory()) {
      read.resize(count * width);
      read_all(contents_->file, read, static_cast<int64_t>(offset));
      bytes = read.data();
    }
    for (size_t i = 0; i < count; ++i) {
      uint32_t id = 0;
      if (width == 2) {
        uint16_t narrow = 0;
        std::memcpy(&narrow, bytes + i * width, sizeof narrow);
        id = narrow;
      } else {
        std::memcpy(&id, bytes + i * width, sizeof id);
      }
      ids[at + i] = static_cast<int32_t>(id);
    }
    at += count;
  }
}

TokenStoreBuilder::TokenStoreBuilder(int64_t vocab_size, const TokenStoreOptions& options)
    : vocab_size_(vocab_size), options_(options) {
  check(vocab_size > 0, "token store: the vocabulary must not be empty, got {}", vocab_size);
  if (options_.directory.empty()) options_.directory = temporary_directory();
  restart();
}

TokenStoreBuilder::~TokenStoreBuilder() = default;

void TokenStoreBuilder::append(std::span<const int32_t> ids) {
  for (const int32_t id : ids) {
    check(id >= 0 && id < vocab_size_, "token store: id {} is not in a vocabulary of {}", id,
          vocab_size_);
  }
  auto& bytes = contents_->bytes;
  const size_t width = contents_->width;
  const size_t old = bytes.size();
  bytes.resize(old + ids.size() * width);
  std::byte* to = bytes.data() + old;
  for (const int32_t id : ids) {
    const auto wide = static_cast<uint32_t>(id);
    const auto narrow = static_cast<uint16_t>(id);
    if (width == 2) {
      std::memcpy(to, &narrow, sizeof narrow);
    } else {
      std::memcpy(to, &wide, sizeof wide);
    }
    to += width;
  }
  contents_->begins.push_back(contents_->begins.back() + static_cast<int64_t>(ids.size()));
  const bool in_file = contents_->file >= 0;
  if (in_file ? bytes.size() >= kPiece : static_cast<int64_t>(bytes.size()) > options_.memory) {
    flush();
  }
}

// Moves what is in memory to the file.
void TokenStoreBuilder::flush() {
  if (contents_->file < 0) contents_->file = open_temporary(options_.directory);
  write_all(contents_->file, contents_->bytes, options_.directory);
  contents_->bytes.clear();
  if (contents_->bytes.capacity() > 4 * kPiece) contents_->bytes.shrink_to_fit();
}

void TokenStoreBuilder::restart() {
  contents_ = std::make_shared<TokenStore::Contents>();
  contents_->width = vocab_size_ <= 65536 ? 2 : 4;
}

TokenStore TokenStoreBuilder::finish() {
  if (contents_->file >= 0) flush();
  TokenStore store(contents_);
  restart();
  return store;
}

}  // namespace heed

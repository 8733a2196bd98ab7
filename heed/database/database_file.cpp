// The file of a database: a page with two commits, then one part per append.
//
//   0      "HEEDDB01", key width, value width, flags (1: names)           8 bytes each
//   512    commit A: sequence, end of the file, entries, parts, check     8 bytes each
//   1024   commit B: the same
//   4096   parts, each at a multiple of 64
//
//   part   "HEEDPART", entries, cells, bytes of names, end, check         8 bytes each, then 80 unused
//   128    keys [m, D] float32, values [m, Dv] float32, origin [Dv] float64, and with names their
//          begins [m + 1] uint64 and bytes, with cells centers [c, D] float32, radius [c] and
//          spread [c] float64, begins [c + 1] int64; each at a multiple of 64
//
// The commit with the larger sequence whose check fits counts. All numbers are little-endian.

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "heed/base/fail.h"
#include "heed/base/random.h"
#include "heed/database/database_internal.h"
#include "heed/io/atomic_file.h"

namespace heed {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPartHead = 128;
constexpr std::array<size_t, 2> kCommits{512, 1024};
constexpr std::string_view kMagic = "HEEDDB01";
constexpr std::string_view kPartMagic = "HEEDPART";
constexpr uint64_t kMaxWidth = 1 << 20;

uint64_t aligned(uint64_t offset) { return (offset + 63) / 64 * 64; }

template <size_t n>
uint64_t check_of(const std::array<uint64_t, n>& numbers) {
  uint64_t h = 0x6865656464623031u;
  for (const uint64_t x : numbers) h = mix_bits(h ^ x);
  return h;
}

struct Head {
  uint64_t key_width = 0, value_width = 0, flags = 0;
};

struct Commit {
  uint64_t sequence = 0, end = kPage, entries = 0, parts = 0;

  std::array<uint64_t, 4> numbers() const { return {sequence, end, entries, parts}; }
};

std::string commit_bytes(const Commit& commit) {
  std::array<uint64_t, 5> all{commit.sequence, commit.end, commit.entries, commit.parts,
                              check_of(commit.numbers())};
  return {reinterpret_cast<const char*>(all.data()), sizeof all};
}

uint64_t number_at(std::string_view bytes, uint64_t offset) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

Head read_head(std::string_view page, const std::string& path) {
  check(page.substr(0, 8) == kMagic,
        "{}: this is not a database of heed (heed db create makes one)", path);
  check(page.size() >= kPage, "{}: the file is cut off: {} bytes, its head has {}", path,
        page.size(), kPage);
  Head head{number_at(page, 8), number_at(page, 16), number_at(page, 24)};
  check(head.key_width > 0 && head.key_width <= kMaxWidth && head.value_width > 0 &&
            head.value_width <= kMaxWidth && head.flags <= 1,
        "{}: the head is damaged: widths {} and {}, flags {}", path, head.key_width,
        head.value_width, head.flags);
  return head;
}

Commit read_commit(std::string_view page, const std::string& path) {
  Commit newest;
  bool any = false;
  for (const size_t offset : kCommits) {
    const Commit commit{number_at(page, offset), number_at(page, offset + 8),
                        number_at(page, offset + 16), number_at(page, offset + 24)};
    if (commit.sequence == 0 || number_at(page, offset + 32) != check_of(commit.numbers()))
      continue;
    if (!any || commit.sequence > newest.sequence) newest = commit;
    any = true;
  }
  check(any, "{}: no commit of this database is whole", path);
  return newest;
}

// Where the pieces of a part lie, from its beginning; every size checked for overflow by the limits
// on widths and counts.
struct Layout {
  uint64_t keys, values, origin, name_begins, names, centers, radius, spread, cell_begins, end;
};

Layout layout_of(const Head& head, uint64_t m, uint64_t cells, uint64_t name_bytes) {
  Layout at{};
  uint64_t offset = kPartHead;
  const auto take = [&](uint64_t bytes) {
    const uint64_t begin = offset;
    offset = aligned(offset + bytes);
    return begin;
  };
  const bool has_names = (head.flags & 1) != 0;
  at.keys = take(m * head.key_width * 4);
  at.values = take(m * head.value_width * 4);
  at.origin = take(head.value_width * 8);
  at.name_begins = take(has_names ? (m + 1) * 8 : 0);
  at.names = take(name_bytes);
  at.centers = take(cells * head.key_width * 4);
  at.radius = take(cells * 8);
  at.spread = take(cells * 8);
  at.cell_begins = take(cells > 0 ? (cells + 1) * 8 : 0);
  at.end = offset;
  return at;
}

class File {
 public:
  explicit File(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (file_ < 0) fail("{}: cannot open: {}", path, std::strerror(errno));
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      ::close(file_);
      fail("{}: another process is adding to it; try again when it is done", path);
    }
  }
  ~File() { ::close(file_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::string read(size_t bytes) const {
    std::string result(bytes, '\0');
    const ssize_t got = ::pread(file_, result.data(), bytes, 0);
    result.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return result;
  }

  uint64_t size() const {
    struct stat status {};
    return ::fstat(file_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
  }

  void write(uint64_t offset, const void* bytes, uint64_t count) const {
    const auto* from = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t put = ::pwrite(file_, from, count, static_cast<off_t>(offset));
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) fail("{}: cannot write: {}", path_, std::strerror(errno));
      from += put;
      offset += static_cast<uint64_t>(put);
      count -= static_cast<uint64_t>(put);
    }
  }

  // As far as it can: what is left too long does no harm.
  void shorten(uint64_t bytes) const {
    if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0) return;
  }

  void sync() const {
    if (::fsync(file_) != 0) fail("{}: cannot write: {}", path_, std::strerror(errno));
  }

 private:
  std::string path_;
  int file_;
};

template <typename T>
std::vector<T> numbers_at(std::string_view bytes, uint64_t offset, uint64_t count) {
  std::vector<T> result(count);
  if (count > 0) std::memcpy(result.data(), bytes.data() + offset, count * sizeof(T));
  return result;
}

template <typename T>
void check_ascending(const std::vector<T>& begins, uint64_t last, const std::string& path,
                     const char* what) {
  bool is_good =
      !begins.empty() && begins.front() == 0 && static_cast<uint64_t>(begins.back()) == last;
  for (size_t i = 1; is_good && i < begins.size(); ++i) is_good = begins[i - 1] <= begins[i];
  check(is_good, "{}: the table of {} is damaged", path, what);
}

}  // namespace

void Database::create(const std::string& path, const DatabaseShape& shape) {
  check(shape.key_width > 0 && shape.value_width > 0 &&
            shape.key_width <= static_cast<int64_t>(kMaxWidth) &&
            shape.value_width <= static_cast<int64_t>(kMaxWidth),
        "database: widths {} and {} of keys and values; 1 to {} are possible", shape.key_width,
        shape.value_width, kMaxWidth);
  std::string page(kPage, '\0');
  std::memcpy(page.data(), kMagic.data(), kMagic.size());
  const std::array<uint64_t, 3> head{static_cast<uint64_t>(shape.key_width),
                                     static_cast<uint64_t>(shape.value_width),
                                     shape.has_names ? uint64_t{1} : 0};
  std::memcpy(page.data() + 8, head.data(), sizeof head);
  const std::string commit = commit_bytes({.sequence = 1});
  std::memcpy(page.data() + kCommits[1], commit.data(), commit.size());
  write_file(path, page);
}

void Database::append(const std::string& path, const Tensor& keys, const Tensor& values,
                      const std::vector<std::string>& names, const AppendOptions& options) {
  const File file(path);
  const std::string page = file.read(kPage);
  const Head head = read_head(page, path);
  const Commit before = read_commit(page, path);
  check(file.size() >= before.end, "{}: the file is cut off: {} bytes, {} were committed", path,
        file.size(), before.end);
  const auto D = static_cast<int64_t>(head.key_width);
  const auto Dv = static_cast<int64_t>(head.value_width);
  check(keys.defined() && keys.rank() == 2 && keys.dim(1) == D && values.defined() &&
            values.rank() == 2 && values.dim(1) == Dv && keys.dim(0) == values.dim(0),
        "{}: keys [m, {}] and values [m, {}] are needed, got {} and {}", path, D, Dv, keys, values);
  const int64_t m = keys.dim(0);
  if (m == 0) return;
  check(((head.flags & 1) != 0) == !names.empty() &&
            (names.empty() || static_cast<int64_t>(names.size()) == m),
        "{}: its entries have {}; got {} names for {} entries", path,
        (head.flags & 1) != 0 ? "names" : "no names", names.size(), m);
  const Tensor k = keys.to(DType::f32).contiguous();
  const Tensor v = values.to(DType::f32).contiguous();
  for (const Tensor* tensor : {&k, &v}) {
    for (int64_t i = 0; i < tensor->size(); ++i) {
      check(std::isfinite(tensor->data<float>()[i]), "{}: row {} has a number that is not finite",
            path, i / tensor->dim(1) + 1);
    }
  }
  const OrderedPart part = order_part(k, v, names, options);
  std::vector<uint64_t> name_begins;
  std::string name_bytes;
  if (!names.empty()) {
    name_begins.push_back(0);
    for (const std::string& name : part.names) {
      name_bytes += name;
      name_begins.push_back(name_bytes.size());
    }
  }
  const auto cells = static_cast<uint64_t>(part.cells.count());
  const Layout at = layout_of(head, static_cast<uint64_t>(m), cells, name_bytes.size());
  const uint64_t begin = aligned(before.end);
  const std::array<uint64_t, 4> numbers{static_cast<uint64_t>(m), cells, name_bytes.size(), at.end};
  std::string part_head(kPartHead, '\0');
  std::memcpy(part_head.data(), kPartMagic.data(), kPartMagic.size());
  std::memcpy(part_head.data() + 8, numbers.data(), sizeof numbers);
  const uint64_t check_number = check_of(numbers);
  std::memcpy(part_head.data() + 40, &check_number, sizeof check_number);
  const auto put = [&](uint64_t offset, const auto* data, uint64_t count) {
    if (count > 0) file.write(begin + offset, data, count * sizeof *data);
  };
  const auto put_part = [&] {
    put(0, part_head.data(), part_head.size());
    put(at.keys, std::as_const(part.keys).data<float>(), static_cast<uint64_t>(m * D));
    put(at.values, std::as_const(part.values).data<float>(), static_cast<uint64_t>(m * Dv));
    put(at.origin, std::as_const(part.origin).data<double>(), head.value_width);
    put(at.name_begins, name_begins.data(), name_begins.size());
    put(at.names, name_bytes.data(), name_bytes.size());
    if (cells > 0) {
      put(at.centers, std::as_const(part.cells.centers).data<float>(), cells * head.key_width);
      put(at.radius, part.cells.radius.data(), cells);
      put(at.spread, part.cells.spread.data(), cells);
      put(at.cell_begins, part.cells.begins.data(), cells + 1);
    }
    // The last byte, so that the file is as long as the commit will say.
    const char zero = 0;
    if (file.size() < begin + at.end) file.write(begin + at.end - 1, &zero, 1);
    file.sync();
  };
  try {
    put_part();
  } catch (...) {
    file.shorten(before.end);  // the room is needed elsewhere if the disk is full
    throw;
  }
  const Commit after{before.sequence + 1, begin + at.end, before.entries + static_cast<uint64_t>(m),
                     before.parts + 1};
  const std::string commit = commit_bytes(after);
  file.write(kCommits[after.sequence % 2 == 0 ? 0 : 1], commit.data(), commit.size());
  file.sync();
}

bool Database::is_database(const std::string& path) {
  std::error_code not_there;
  if (!std::filesystem::is_regular_file(path, not_there)) return false;
  std::string begin(kMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == kMagic;
}

Database Database::open(const std::string& path) {
  const std::shared_ptr<Storage> storage = Storage::map_file(path);
  const std::string_view bytes(reinterpret_cast<const char*>(std::as_const(*storage).data()),
                               storage->bytes());
  const Head head = read_head(bytes, path);
  const Commit commit = read_commit(bytes, path);
  check(commit.end <= bytes.size(), "{}: the file is cut off: {} bytes, {} were committed", path,
        bytes.size(), commit.end);
  Database result;
  result.shape_ = {static_cast<int64_t>(head.key_width), static_cast<int64_t>(head.value_width),
                   (head.flags & 1) != 0};
  uint64_t begin = kPage;
  for (uint64_t p = 0; p < commit.parts; ++p) {
    begin = aligned(begin);
    check(begin + kPartHead <= commit.end, "{}: part {} lies beyond the end", path, p);
    const std::string_view here = bytes.substr(begin);
    const std::array<uint64_t, 4> numbers{number_at(here, 8), number_at(here, 16),
                                          number_at(here, 24), number_at(here, 32)};
    const auto [m, cells, name_bytes, end] = numbers;
    check(here.substr(0, 8) == kPartMagic && number_at(here, 40) == check_of(numbers) && m > 0 &&
              m <= bytes.size() && cells <= m && name_bytes <= bytes.size(),
          "{}: the head of part {} is damaged", path, p);
    const Layout at = layout_of(head, m, cells, name_bytes);
    check(at.end == end && end <= commit.end - begin, "{}: part {} is cut off", path, p);
    auto part = std::make_shared<Part>();
    part->first = result.size_;
    const auto rows = static_cast<int64_t>(m);
    const int64_t D = result.shape_.key_width;
    const int64_t Dv = result.shape_.value_width;
    part->keys = Tensor::view_of(storage, begin + at.keys, {rows, D}, DType::f32);
    part->values = Tensor::view_of(storage, begin + at.values, {rows, Dv}, DType::f32);
    part->origin = Tensor::view_of(storage, begin + at.origin, {Dv}, DType::f64);
    if (result.shape_.has_names) {
      part->name_begins = numbers_at<uint64_t>(here, at.name_begins, m + 1);
      check_ascending(part->name_begins, name_bytes, path, "names");
      part->names = here.substr(at.names, name_bytes);
      part->storage = storage;
    }
    if (cells > 0) {
      part->cells.centers = Tensor::view_of(storage, begin + at.centers,
                                            {static_cast<int64_t>(cells), D}, DType::f32);
      part->cells.radius = numbers_at<double>(here, at.radius, cells);
      part->cells.spread = numbers_at<double>(here, at.spread, cells);
      part->cells.begins = numbers_at<int64_t>(here, at.cell_begins, cells + 1);
      check_ascending(part->cells.begins, m, path, "cells");
    }
    result.size_ += rows;
    result.parts_.push_back(part);
    begin += end;
  }
  check(static_cast<uint64_t>(result.size_) == commit.entries,
        "{}: {} entries were committed, {} are there", path, commit.entries, result.size_);
  return result;
}

}  // namespace heed

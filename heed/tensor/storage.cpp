#include "heed/tensor/storage.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <vector>

#include "heed/base/fail.h"
#include "heed/base/processor.h"

namespace heed {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;
// While caches grow, every step uses more than any before; its buffers must outlive it
// nevertheless.
constexpr size_t kSlack = size_t{32} << 20;

// Buffers are rounded up to one of eight sizes per power of two, so that a freed one fits the next
// request of about its size; at most an eighth is wasted.
size_t size_class(size_t bytes) {
  if (bytes <= 1024) return (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
  const size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

// Large buffers ask for huge pages, where the system gives them on request: with small ones,
// reading memory in order is a third slower. What the system answers does not matter.
void* allocate_memory(size_t size) {
  if (size < kHugePage) return std::aligned_alloc(kAlignment, size);
  void* memory = nullptr;
  if (::posix_memalign(&memory, kHugePage, size) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  ::madvise(memory, size / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
  return memory;
}

struct Buffer {
  void* memory;
  size_t size;  // a size class
};

// A request takes the smallest kept buffer that holds it and is at most a quarter too large: ragged
// batches ask for a little more or less at every step.
class Pool {
 public:
  Buffer take(size_t bytes) {
    const size_t size = size_class(bytes);
    std::lock_guard lock(mutex_);
    Buffer buffer{nullptr, size};
    const auto found = kept_.lower_bound(size);
    if (found != kept_.end() && found->first <= size + size / 4) {
      buffer = {found->second.back(), found->first};
      found->second.pop_back();
      if (found->second.empty()) kept_.erase(found);
      use_.kept -= buffer.size;
    } else {
      buffer.memory = allocate_memory(size);
      if (buffer.memory == nullptr && use_.kept > 0) {
        shrink_locked(0);
        buffer.memory = allocate_memory(size);
      }
      check(buffer.memory != nullptr, "memory: cannot allocate {} bytes ({} in use)", bytes,
            use_.used);
    }
    use_.used += buffer.size;
    use_.peak = std::max(use_.peak, use_.used);
    highest_ = std::max(highest_, use_.used);
    shrink_to_highest_locked();
    return buffer;
  }

  void give_back(const Buffer& buffer) {
    std::lock_guard lock(mutex_);
    use_.used -= buffer.size;
#ifdef HEED_PASS_THROUGH_POOL
    std::free(buffer.memory);
#else
    kept_[buffer.size].push_back(buffer.memory);
    use_.kept += buffer.size;
    shrink_to_highest_locked();
#endif
  }

  PoolUse use() {
    std::lock_guard lock(mutex_);
    return use_;
  }

  void reset_peak() {
    std::lock_guard lock(mutex_);
    use_.peak = use_.used;
  }

  void release_unused() {
    std::lock_guard lock(mutex_);
    shrink_locked(0);
  }

 private:
  // What is kept fits under the highest use there ever was, or nearly: a training step finds its
  // buffers again, though between steps little is in use.
  void shrink_to_highest_locked() {
    const size_t max = std::max(highest_ + kSlack, kPoolKeeps);
    shrink_locked(max - use_.used);
  }

  // Frees the largest kept buffers until no more than `limit` bytes are left.
  void shrink_locked(size_t limit) {
    while (use_.kept > limit) {
      const auto largest = std::prev(kept_.end());
      std::vector<void*>& buffers = largest->second;
      while (!buffers.empty() && use_.kept > limit) {
        std::free(buffers.back());
        buffers.pop_back();
        use_.kept -= largest->first;
      }
      if (buffers.empty()) kept_.erase(largest);
    }
  }

  std::mutex mutex_;
  std::map<size_t, std::vector<void*>> kept_;  // by size; no list is empty
  PoolUse use_{};
  size_t highest_ = 0;  // of use_.used, ever
};

// Never destroyed: tensors in static variables may outlive everything else.
Pool& pool() {
  static Pool* instance = new Pool;
  return *instance;
}

}  // namespace

std::shared_ptr<Storage> Storage::allocate(size_t bytes) {
  require_processor();  // no fast loop runs before there is memory for what it computes
  const Buffer buffer = pool().take(bytes);
  return std::shared_ptr<Storage>(
      new Storage(static_cast<std::byte*>(buffer.memory), bytes, buffer.size));
}

std::shared_ptr<Storage> Storage::map_file(const std::string& path) {
  // Not to wait for the writer of a pipe, which is refused below.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  check(file >= 0, "{}: cannot open: {}", path, std::strerror(errno));
  struct stat info {};
  const bool known = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  const auto bytes = static_cast<size_t>(known ? info.st_size : 0);
  void* memory = nullptr;
  if (known && bytes > 0) memory = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  ::close(file);
  check(known, "{}: not a regular file", path);
  check(memory != MAP_FAILED, "{}: cannot map: {}", path, std::strerror(error));
  return std::shared_ptr<Storage>(new Storage(static_cast<std::byte*>(memory), bytes, 0));
}

Storage::~Storage() {
  if (!read_only()) {
    pool().give_back({data_, pooled_});
  } else if (data_ != nullptr) {
    ::munmap(data_, bytes_);
  }
}

PoolUse pool_use() { return pool().use(); }
void pool_reset_peak() { pool().reset_peak(); }
void pool_release_unused() { pool().release_unused(); }

}  // namespace heed

// Memory behind tensors: 64-byte aligned and pooled, or a read-only mapping of a file.
//
// Fresh pages cost more than the arithmetic on them, so freed buffers are kept and reused. What is
// in use and what is kept exceed together the most that was ever in use by 32 MB at most, unless
// kPoolKeeps is more; beyond that the largest buffers go back first. With HEED_PASS_THROUGH_POOL
// (the sanitizer presets) every buffer goes to malloc and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "heed/base/export.h"

namespace heed {

class HEED_API Storage {
 public:
  // Uninitialized memory.
  static std::shared_ptr<Storage> allocate(size_t bytes);
  // A whole file, read-only. Tensors may point anywhere into it.
  static std::shared_ptr<Storage> map_file(const std::string& path);

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool read_only() const { return pooled_ == 0; }

 private:
  Storage(std::byte* data, size_t bytes, size_t pooled)
      : data_(data), bytes_(bytes), pooled_(pooled) {}

  std::byte* data_;
  size_t bytes_;
  size_t pooled_;  // the size of the pool's buffer; 0: a mapping
};

inline constexpr size_t kPoolKeeps = size_t{256} << 20;

// What the pool holds, in bytes: buffers in use, the highest that ever was, and buffers kept for
// reuse. reset_peak() sets the peak to what is in use now; release_unused() gives the kept ones
// back.
struct PoolUse {
  size_t used, peak, kept;
};
HEED_API PoolUse pool_use();
HEED_API void pool_reset_peak();
HEED_API void pool_release_unused();

}  // namespace heed

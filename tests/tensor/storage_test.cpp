#include "heed/tensor/storage.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "heed/base/error.h"
#include "heed/tensor/tensor.h"

namespace heed {
namespace {

TEST(Storage, IsAligned) {
  for (size_t bytes : {0u, 1u, 63u, 64u, 65u, 1000u, 1025u, 100001u}) {
    const auto storage = Storage::allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(storage->data()) % 64, 0u);
    EXPECT_EQ(storage->bytes(), bytes);
    std::memset(storage->data(), 1, bytes);
  }
}

TEST(Storage, PeakAndUse) {
  pool_reset_peak();
  const PoolUse before = pool_use();
  {
    const auto a = Storage::allocate(1 << 20);
    EXPECT_GE(pool_use().used, before.used + (1 << 20));
    { const auto b = Storage::allocate(3 << 20); }
  }
  EXPECT_EQ(pool_use().used, before.used);
  EXPECT_GE(pool_use().peak, before.used + (4 << 20));
  EXPECT_LE(pool_use().peak, before.used + (5 << 20));
  pool_reset_peak();
  EXPECT_EQ(pool_use().peak, before.used);
}

#ifndef HEED_PASS_THROUGH_POOL
TEST(Storage, FreedMemoryIsUsedAgain) {
  pool_release_unused();
  EXPECT_EQ(pool_use().kept, 0u);
  const std::byte* first = nullptr;
  {
    const auto a = Storage::allocate(1000000);
    first = a->data();
  }
  const size_t kept = pool_use().kept;
  EXPECT_GE(kept, 1000000u);
  const auto b = Storage::allocate(850000);  // a little smaller
  EXPECT_EQ(b->data(), first);
  EXPECT_EQ(pool_use().kept, 0u);
}

TEST(Storage, ThePoolHoldsLittleMoreThanWasEverInUse) {
  constexpr size_t kMega = size_t{1} << 20;  // nothing is touched, so no memory is spent
  pool_release_unused();
  std::vector<std::shared_ptr<Storage>> small;
  for (int i = 0; i < 100; ++i) small.push_back(Storage::allocate(16 * kMega));
  auto large = Storage::allocate(1024 * kMega);
  const size_t highest = pool_use().used;
  large.reset();
  small.clear();
  EXPECT_EQ(pool_use().kept, 2624 * kMega);  // all of it: this much was in use

  const size_t before = pool_use().used;
  auto other = Storage::allocate(1280 * kMega);  // of another size: the largest goes, then more
  EXPECT_EQ(pool_use().used, before + 1280 * kMega);
  EXPECT_LE(pool_use().used + pool_use().kept, highest + 32 * kMega);
  EXPECT_EQ(pool_use().kept, (1344 + 32) * kMega);
  other.reset();
  pool_release_unused();
  EXPECT_EQ(pool_use().kept, 0u);
}

TEST(Storage, TooMuchIsAnError) {  // under the address sanitizer it would be the end
  EXPECT_THROW(Storage::allocate(size_t{1} << 60), Error);
  EXPECT_THROW(Tensor::zeros({int64_t{1} << 50}), Error);
}
#endif

TEST(Storage, ManyThreads) {
  const size_t before = pool_use().used;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 500; ++i) {
        const auto storage = Storage::allocate(static_cast<size_t>(1000 + 37 * i));
        std::memset(storage->data(), t, storage->bytes());
        ASSERT_EQ(storage->data()[storage->bytes() - 1], static_cast<std::byte>(t));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool_use().used, before);
}

TEST(Storage, MapsFiles) {
  const std::string path = ::testing::TempDir() + "heed_storage_test.bin";
  const float values[] = {1, 2, 3, 4};
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(values), 16);
  const auto storage = Storage::map_file(path);
  EXPECT_EQ(storage->bytes(), 16u);
  EXPECT_TRUE(storage->read_only());
  Tensor view = Tensor::view_of(storage, 4, {3}, DType::f32);
  EXPECT_EQ(std::as_const(view).data<float>()[2], 4);
  EXPECT_THROW(view.data<float>(), Error);
  EXPECT_THROW(view.fill(0), Error);
  EXPECT_EQ(view.clone().data<float>()[0], 2);
  EXPECT_THROW(Tensor::view_of(storage, 8, {3}, DType::f32), Error);  // beyond the end
  EXPECT_THROW(Tensor::view_of(storage, 2, {1}, DType::f32), Error);  // not aligned
  std::remove(path.c_str());
}

TEST(Storage, MapErrors) {
  EXPECT_THROW(Storage::map_file("/no/such/file"), Error);
  EXPECT_THROW(Storage::map_file(::testing::TempDir()), Error);
  const std::string path = ::testing::TempDir() + "heed_storage_empty.bin";
  std::ofstream(path).flush();
  EXPECT_EQ(Storage::map_file(path)->bytes(), 0u);
  std::remove(path.c_str());
  const std::string fifo = ::testing::TempDir() + "heed_storage_fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THROW(Storage::map_file(fifo), Error);  // at once, without a writer
  std::remove(fifo.c_str());
}

}  // namespace
}  // namespace heed

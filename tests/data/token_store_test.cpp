#include "heed/data/token_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::token_store_test {
namespace {

std::vector<std::vector<int32_t>> some_sequences(size_t count, int64_t vocab_size) {
  std::vector<std::vector<int32_t>> sequences(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < mix_bits(i) % 20; ++j) {
      sequences[i].push_back(
          static_cast<int32_t>(mix_bits(1000 * i + j) % static_cast<uint64_t>(vocab_size)));
    }
  }
  return sequences;
}

TEST(TokenStore, GivesBackWhatWasAppended) {
  for (const int64_t vocab_size : {1, 260, 65536, 65537, 2000000000}) {
    for (const int64_t memory : {0, 1000, 1 << 20}) {
      const auto sequences = some_sequences(3000, vocab_size);
      TokenStoreBuilder builder(vocab_size, {.memory = memory});
      std::vector<int32_t> all;
      for (const auto& sequence : sequences) {
        builder.append(sequence);
        all.insert(all.end(), sequence.begin(), sequence.end());
      }
      const TokenStore store = builder.finish();
      EXPECT_EQ(store.in_memory(), memory == 1 << 20);
      EXPECT_EQ(store.count(), 3000);
      EXPECT_EQ(store.total(), static_cast<int64_t>(all.size()));
      EXPECT_EQ(store.range(0, store.total()), all);
      const std::vector<int64_t> lengths = store.lengths();
      for (int64_t i = 0; i < store.count(); ++i) {
        const auto& expected = sequences[i];
        ASSERT_EQ(store.sequence(i), expected);
        ASSERT_EQ(store.length(i), static_cast<int64_t>(expected.size()));
        ASSERT_EQ(lengths[i], store.length(i));
      }
      for (const int64_t begin : {0, 1, 777, 20000}) {
        const auto first = all.begin() + begin;
        EXPECT_EQ(store.range(begin, begin + 500), (std::vector<int32_t>(first, first + 500)));
      }
    }
  }
}

TEST(TokenStore, PiecesLargerThanTheBuffer) {
  std::vector<int32_t> ids(3 << 20);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i % 50000);
  TokenStoreBuilder builder(50000, {.memory = 100});
  builder.append(ids);
  builder.append(std::span(ids).first(5));
  const TokenStore store = builder.finish();
  EXPECT_EQ(store.sequence(0), ids);
  EXPECT_EQ(store.range(store.total() - 5, store.total()), (std::vector<int32_t>{0, 1, 2, 3, 4}));
}

TEST(TokenStore, EmptyOnes) {
  const TokenStore nothing;
  EXPECT_EQ(nothing.count(), 0);
  EXPECT_EQ(nothing.total(), 0);
  EXPECT_TRUE(nothing.range(0, 0).empty());
  TokenStoreBuilder builder(10);
  EXPECT_EQ(builder.finish().count(), 0);
  builder.append({});
  const TokenStore store = builder.finish();
  EXPECT_EQ(store.count(), 1);
  EXPECT_EQ(store.length(0), 0);
}

TEST(TokenStore, ThreadsMayRead) {
  TokenStoreBuilder builder(1000, {.memory = 0});
  for (int32_t i = 0; i < 1000; ++i) builder.append(std::vector<int32_t>{i, i, i});
  const TokenStore store = builder.finish();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([store] {
      for (int32_t i = 0; i < 1000; ++i) {
        ASSERT_EQ(store.sequence(i), (std::vector<int32_t>{i, i, i}));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(TokenStore, LeavesNoFileBehind) {
  const auto directory = std::filesystem::temp_directory_path() / "heed-token-store-test";
  std::filesystem::create_directory(directory);
  TokenStoreBuilder builder(10, {.directory = directory.string(), .memory = 0});
  builder.append(std::vector<int32_t>{1, 2, 3});
  const TokenStore store = builder.finish();
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  EXPECT_EQ(store.range(0, 3), (std::vector<int32_t>{1, 2, 3}));
  std::filesystem::remove(directory);
}

TEST(TokenStore, SaysWhatIsWrong) {
  EXPECT_THROW(TokenStoreBuilder(0), Error);
  TokenStoreBuilder builder(10, {.directory = "/does/not/exist", .memory = 0});
  EXPECT_THROW(builder.append(std::vector<int32_t>{10}), Error);
  EXPECT_THROW(builder.append(std::vector<int32_t>{-1}), Error);
  EXPECT_THROW(builder.append(std::vector<int32_t>{1}), Error);
  TokenStoreBuilder good(10);
  good.append(std::vector<int32_t>{1, 2});
  const TokenStore store = good.finish();
  EXPECT_THROW(store.sequence(1), Error);
  EXPECT_THROW(store.length(-1), Error);
  EXPECT_THROW(store.range(1, 3), Error);
  EXPECT_THROW(store.range(2, 1), Error);
  std::vector<int32_t> room(1);
  EXPECT_THROW(store.copy(0, room), Error);
}

// A limit on the size of files stands in for a disk that is full.
TEST(TokenStore, AFullDiskIsAnError) {
  struct rlimit old {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  struct rlimit small = old;
  small.rlim_cur = 4096;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    TokenStoreBuilder builder(10, {.memory = 0});
    builder.append(std::vector<int32_t>(100000));
  } catch (const Error& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("cannot write token ids: "), std::string::npos) << message;
  EXPECT_NE(message.find("TMPDIR"), std::string::npos) << message;
}

}  // namespace
}  // namespace heed::token_store_test

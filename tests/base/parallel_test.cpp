#include "heed/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr double kLong = 1e9;  // worth all threads

TEST(Parallel, EveryTaskRunsOnce) {
  for (int count : {1, 2, 3, 8, 16}) {
    const ThreadScope scope(count);
    std::vector<std::atomic<int>> runs(1000);
    parallel_for(1000, kLong, [&](int64_t i) { runs[i]++; });
    for (const auto& run : runs) ASSERT_EQ(run.load(), 1);
  }
}

TEST(Parallel, NothingToDo) {
  parallel_for(0, kLong, [](int64_t) { FAIL(); });
  parallel_for(-3, kLong, [](int64_t) { FAIL(); });
}

TEST(Parallel, SmallWorkStaysOnTheCallersThread) {
  const ThreadScope scope(8);
  std::vector<int64_t> order;
  parallel_for(50, kParallelWork / 2, [&](int64_t i) {
    EXPECT_EQ(thread_index(), 0);
    order.push_back(i);
  });
  for (size_t i = 0; i < 50; ++i) ASSERT_EQ(order[i], static_cast<int64_t>(i));
}

TEST(Parallel, ThreadIndexIsBelowThreads) {
  const ThreadScope scope(3);
  std::atomic<bool> inside{true};
  parallel_for(300, kLong, [&](int64_t) {
    if (thread_index() < 0 || thread_index() >= 3) inside = false;
  });
  EXPECT_TRUE(inside);
  EXPECT_EQ(thread_index(), 0);
}

TEST(Parallel, NestedWorkRunsInItsTask) {
  const ThreadScope scope(4);
  std::atomic<int> total{0};
  parallel_for(6, kLong, [&](int64_t) {
    const auto self = std::this_thread::get_id();
    parallel_for(5, kLong, [&](int64_t) {
      if (std::this_thread::get_id() == self) total++;
    });
  });
  EXPECT_EQ(total.load(), 30);
}

// Memory for each of threads() is indexed by thread_index(), inside other parallel work too.
TEST(Parallel, ThreadIndexIsThatOfTheInnermostWork) {
  const ThreadScope scope(4);
  std::atomic<int> wrong{0};
  parallel_for(64, kLong, [&](int64_t) {
    const int outer = thread_index();
    {
      const ThreadScope one(1);
      parallel_for(3, kLong, [&](int64_t) {
        if (thread_index() >= threads()) wrong++;
      });
    }
    if (thread_index() != outer) wrong++;
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Parallel, ExceptionsReachTheCaller) {
  for (int count : {1, 4}) {
    const ThreadScope scope(count);
    try {
      parallel_for(100, kLong, [](int64_t i) {
        if (i == 37) throw Error("task 37");
      });
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "task 37");
    }
    int ran = 0;  // and the next one works
    parallel_for(1, kLong, [&](int64_t) { ++ran; });
    EXPECT_EQ(ran, 1);
  }
}

// A task alone in its call, or small work, may still put all threads to work inside.
TEST(Parallel, WorkInsideOfAnOnlyTaskIsShared) {
  const ThreadScope scope(2);
  std::atomic<bool> met{false};
  parallel_for(1, kLong, [&](int64_t) {
    std::atomic<int> here{0};
    parallel_for(2, kLong, [&](int64_t) {  // each waits for the other: two threads
      ++here;
      while (here < 2) std::this_thread::yield();
      met = true;
    });
  });
  EXPECT_TRUE(met);
}

TEST(Parallel, TasksSeeTheCallersNumberOfThreads) {
  const ThreadScope scope(3);
  std::atomic<int> wrong{0};
  parallel_for(300, kLong, [&](int64_t) {
    if (threads() != 3) ++wrong;
  });
  EXPECT_EQ(wrong.load(), 0);
}

// Each with threads of its own, many more than there are cores.
TEST(Parallel, SeveralCallersAtOnce) {
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&, c] {
      const ThreadScope scope(2 + c % 3);
      for (int round = 0; round < 200; ++round) {
        parallel_for(20, kLong, [&](int64_t i) { total += i; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 6 * 200 * 190);
}

TEST(Parallel, TheNumberOfThreadsMayChangeBetweenCalls) {
  int64_t total = 0;
  for (int round = 0; round < 60; ++round) {
    const ThreadScope scope(1 + round % 5);
    std::atomic<int64_t> sum{0};
    parallel_for(10, kLong, [&](int64_t i) { sum += i; });
    total += sum;
  }
  EXPECT_EQ(total, 60 * 45);
}

TEST(Parallel, TheMostThreads) {
  const ThreadScope scope(1024);
  std::atomic<int64_t> sum{0};
  parallel_for(5000, kLong, [&](int64_t i) { sum += i; });
  EXPECT_EQ(sum, 5000 * 4999 / 2);
}

// A caller's own threads, as those of an OpenMP region are: each has its number and its own memory.
TEST(Parallel, CallersThreadsDoNotShareTheirNumber) {
  const ThreadScope scope(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&, c] {
      const int otherwise = threads();
      set_threads(2 + c);
      for (int round = 0; round < 50; ++round) {
        std::vector<int64_t> sums(static_cast<size_t>(threads()));
        parallel_for(40, kLong, [&](int64_t i) {
          if (threads() != 2 + c || thread_index() >= 2 + c) ++wrong;
          sums[thread_index()] += i;
        });
        int64_t total = 0;
        for (const int64_t sum : sums) total += sum;
        if (total != 780) ++wrong;
      }
      set_threads(otherwise);
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(threads(), 3);
}

TEST(Parallel, ScopeRestores) {
  const int before = threads();
  {
    const ThreadScope scope(before + 2);
    EXPECT_EQ(threads(), before + 2);
  }
  EXPECT_EQ(threads(), before);
  EXPECT_THROW(set_threads(0), Error);
  EXPECT_THROW(set_threads(100000), Error);
  EXPECT_EQ(threads(), before);
}

}  // namespace
}  // namespace heed

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "heed/base/team_internal.h"

namespace heed {
namespace {

TEST(Team, NobodyWorksTwiceInARound) {
  for (int size : {1, 2, 3, 8}) {
    Team team(size);
    for (int round = 0; round < 500; ++round) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(size));
      team.run([&](int index) { ++calls[index]; });
      ASSERT_EQ(calls[0], 1);
      for (const auto& call : calls) ASSERT_LE(call, 1);
    }
  }
}

// What the members have written is there for the caller, who may throw the work away.
TEST(Team, RunReturnsWhenAllThatBeganHaveEnded) {
  Team team(4);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> begun{0};
    int ended[4] = {0, 0, 0, 0};
    team.run([&](int index) {
      ++begun;
      ended[index] = 1;
    });
    ASSERT_EQ(begun, ended[0] + ended[1] + ended[2] + ended[3]);
  }
}

TEST(Team, TheOthersComeWhenThereIsTime) {
  Team team(3);
  std::atomic<int> here{0};
  team.run([&](int) {
    ++here;
    while (here < 3) std::this_thread::yield();
  });
  EXPECT_EQ(here, 3);
}

TEST(Team, TheOthersComeAfterALongSleepToo) {
  Team team(2);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::atomic<int> here{0};
    team.run([&](int) {
      ++here;
      while (here < 2) std::this_thread::yield();
    });
    ASSERT_EQ(here, 2);
  }
}

// The caller's wait may be long enough for it to sleep.
TEST(Team, TheCallerWaitsForALongTask) {
  Team team(2);
  std::atomic<bool> begun{false};
  bool ended = false;
  team.run([&](int index) {
    if (index == 0) {
      while (!begun) std::this_thread::yield();
      return;
    }
    begun = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ended = true;
  });
  EXPECT_TRUE(ended);
}

// More rounds than are counted apart.
TEST(Team, RoundsMayBeMany) {
  Team team(2);
  std::atomic<int64_t> calls{0};
  constexpr int64_t kRounds = 150'000;
  for (int64_t round = 0; round < kRounds; ++round) team.run([&](int) { ++calls; });
  EXPECT_GE(calls, kRounds);
  EXPECT_LE(calls, 2 * kRounds);
}

// In the child there are no other threads: it works alone, and ends.
TEST(Team, AForkedProcessGoesOnAlone) {
  Team team(3);
  team.run([](int) {});
  const pid_t child = ::fork();
  if (child == 0) {
    int calls = 0;
    {
      Team* inherited = &team;
      inherited->run([&](int) { ++calls; });
      inherited->~Team();
    }
    ::_exit(calls == 1 ? 0 : 1);
  }
  ASSERT_GT(child, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace heed

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "heed/base/default_threads_internal.h"

namespace heed {
namespace {

TEST(DefaultThreads, AreTheCores) {
  EXPECT_EQ(default_threads(nullptr, nullptr, 6), 6);
  EXPECT_EQ(default_threads(nullptr, nullptr, 5000), 1024);
  EXPECT_EQ(default_threads(nullptr, nullptr, 0), 1);
}

TEST(DefaultThreads, HeedsOwnVariableWins) {
  EXPECT_EQ(default_threads("3", nullptr, 6), 3);
  EXPECT_EQ(default_threads("3", "5", 6), 3);
  EXPECT_EQ(default_threads(nullptr, "5", 6), 5);
}

TEST(DefaultThreads, OpenMpsVariableMayBeAList) {
  EXPECT_EQ(default_threads(nullptr, "4,2,1", 6), 4);
  EXPECT_EQ(default_threads(nullptr, " 4 , 2", 6), 4);
  EXPECT_EQ(default_threads("4,2", "5", 6), 5);
}

TEST(DefaultThreads, ManyAreCut) {
  EXPECT_EQ(default_threads("1024", nullptr, 6), 1024);
  EXPECT_EQ(default_threads("20000", nullptr, 6), 1024);
  EXPECT_EQ(default_threads(nullptr, "99999999999999999999", 6), 1024);
}

TEST(DefaultThreads, WhatIsNoNumberIsIgnored) {
  for (const char* bad : {"", " ", "0", "-2", "-99999999999999999999", "x", "3x", "2.5", "0x4"}) {
    EXPECT_EQ(default_threads(bad, nullptr, 6), 6) << bad;
    EXPECT_EQ(default_threads(bad, "5", 6), 5) << bad;
    EXPECT_EQ(default_threads(nullptr, bad, 6), 6) << bad;
  }
}

TEST(UsableCores, AreThoseThisThreadMayRunOn) {
  const int all = usable_cores();
  EXPECT_GE(all, 1);
  int one = 0;
  std::thread([&] {  // its own setting, which the other threads do not share
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(::sched_getcpu(), &cores);
    if (::sched_setaffinity(0, sizeof(cores), &cores) == 0) one = usable_cores();
  })
      .join();
  EXPECT_EQ(one, 1);
  EXPECT_EQ(usable_cores(), all);
}

}  // namespace
}  // namespace heed

#include "heed/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "heed/base/error.h"

namespace heed::atomic_file_test {
namespace {

struct AtomicFileTest : ::testing::Test {
  AtomicFileTest() {
    folder = std::filesystem::temp_directory_path() / ("heed_atomic_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  ~AtomicFileTest() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return folder / name; }
  int64_t files() const { return std::distance(std::filesystem::directory_iterator(folder), {}); }

  std::filesystem::path folder;
};

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void make_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Runs in a process of its own, whose exit code is the result; -1 if a signal ended it.
pid_t start(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}

int result_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// A disk that is full after some bytes: at the limit, write() fails as it does there.
void limit_files(rlim_t bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(AtomicFileTest, AFullDiskLeavesTheOldFile) {
  write_file(path("a"), "old");
  for (const rlim_t room : {0, 1, 4095, 4096, 99'999}) {
    const pid_t child = start([&] {
      limit_files(room);
      const std::string error = error_of([&] {
        AtomicFile file(path("a"));
        for (int i = 0; i < 100; ++i) file.write(std::string(1000, 'x'));
        file.commit();
      });
      const bool clear = error.find(path("a") + ": cannot write: ") == 0 &&
                         error.find("; the older file is unchanged") != std::string::npos;
      return clear ? 7 : 1;
    });
    EXPECT_EQ(result_of(child), 7) << room;
    EXPECT_EQ(contents(path("a")), "old") << room;
    EXPECT_EQ(files(), 1) << room;
  }
  const pid_t child = start([&] {
    limit_files(100'000);  // just enough
    return error_of([&] { write_file(path("a"), std::string(100'000, 'x')); }) == "no error" ? 7
                                                                                             : 1;
  });
  EXPECT_EQ(result_of(child), 7);
  EXPECT_EQ(contents(path("a")).size(), 100'000u);
}

TEST_F(AtomicFileTest, AFullDeviceIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_EQ(error_of([] { write_file("/dev/full", "text"); }),
            "/dev/full: cannot write: No space left on device");
}

TEST_F(AtomicFileTest, AMissingFolderIsAnError) {
  EXPECT_NE(error_of([&] { write_file(path("no/a"), "text"); }).find(path("no/a")),
            std::string::npos);
}

// Killed at any instant, a writer leaves the old contents or the new ones.
TEST_F(AtomicFileTest, SurvivesKills) {
  const std::string old_text(30'000, 'a'), new_text(50'000, 'b');
  write_file(path("a"), old_text);
  for (int round = 0; round < 40; ++round) {
    const pid_t child = start([&] {
      for (;;) {
        for (const std::string& text : {new_text, old_text}) {
          AtomicFile file(path("a"));
          const std::string_view bytes = text;
          for (size_t i = 0; i < bytes.size(); i += 5000) file.write(bytes.substr(i, 5000));
          file.commit();
        }
      }
      return 0;
    });
    ::usleep(static_cast<useconds_t>(500 + 397 * round % 3000));
    ::kill(child, SIGKILL);
    EXPECT_EQ(result_of(child), -1);
    const std::string left = contents(path("a"));
    EXPECT_TRUE(left == old_text || left == new_text) << left.size() << " bytes";
    EXPECT_LE(files(), 2);  // each writer removed what the one before had left
  }
  write_file(path("a"), old_text);
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, RemovesLeftoversOfItsTargetOnly) {
  make_file(path("a.tmp-1-0"), "half");
  make_file(path("a.tmp-99999999-3"), "half");
  make_file(path("ab.tmp-1-0"), "of another");
  make_file(path("a.tmp"), "the user's");
  write_file(path("a"), "whole");
  EXPECT_EQ(contents(path("a")), "whole");
  EXPECT_EQ(contents(path("ab.tmp-1-0")), "of another");
  EXPECT_EQ(contents(path("a.tmp")), "the user's");
  EXPECT_EQ(files(), 3);
}

TEST_F(AtomicFileTest, LeavesWhatOthersAreWriting) {
  AtomicFile first(path("a"));
  first.write("first");
  const pid_t child = start([&] {
    write_file(path("a"), "second");
    return 0;
  });
  EXPECT_EQ(result_of(child), 0);
  EXPECT_EQ(contents(path("a")), "second");
  first.commit();
  EXPECT_EQ(contents(path("a")), "first");
  EXPECT_EQ(files(), 1);
}

// In a container, the next run often has the number of the one that was killed.
TEST_F(AtomicFileTest, ALeftoverOfTheSameNameIsNoObstacle) {
  const std::string process = std::to_string(::getpid());
  for (int i = 0; i < 300; ++i) {  // folders, which cannot be removed as leftovers
    std::filesystem::create_directory(path("a.tmp-" + process + "-" + std::to_string(i)));
  }
  write_file(path("a"), "whole");
  EXPECT_EQ(contents(path("a")), "whole");
  EXPECT_EQ(files(), 301);
}

TEST_F(AtomicFileTest, ManyWritersOfOneFile) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(start([&, i] {
      const std::string text(20'000, static_cast<char>('a' + i));
      for (int k = 0; k < 25; ++k) {
        if (error_of([&] { write_file(path("a"), text); }) != "no error") return 1;
        const std::string now = contents(path("a"));
        if (now.size() != text.size() || now.find_first_not_of(now[0]) != std::string::npos) {
          return 2;
        }
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(result_of(child), 0);
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace heed::atomic_file_test

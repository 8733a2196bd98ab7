// The files of lines in the folder of a run.

#include "heed/train/run_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/train/small_run.h"

namespace heed::run_log_test {
namespace {

std::string line_of(int64_t step) {
  return R"({"step":)" + std::to_string(step) + R"(,"more":")" + std::string(40, 'x') + R"("})";
}

std::string whole_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<int64_t> steps_in(const std::string& path) {
  std::vector<int64_t> steps;
  std::istringstream in(whole_file(path));
  for (std::string line; std::getline(in, line);) steps.push_back(std::stoll(line.substr(8)));
  return steps;
}

TEST(RunLog, DropsLinesBeyondTheCheckpointAndWhatIsNoLine) {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/log.jsonl";
  {
    RunLog log(path, 0);
    for (int64_t step = 1; step <= 5; ++step) log.write(line_of(step));
  }
  std::ofstream(path, std::ios::app) << "{\"step\":";
  RunLog log(path, 3);
  log.write(line_of(4));
  EXPECT_EQ(steps_in(path), (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(RunLog, AFileThatIsTooLargeLosesEverySecondLine) {
  const TemporaryFolder folder;
  const std::string path = folder.path + "/probe.jsonl";
  const auto size = static_cast<int64_t>(line_of(1).size()) + 1;
  RunLog log(path, 0, 5 * size);
  for (int64_t step = 1; step <= 5; ++step) log.write(line_of(step));
  EXPECT_EQ(steps_in(path), (std::vector<int64_t>{1, 2, 3, 4, 5}));
  log.write(line_of(6));
  EXPECT_EQ(steps_in(path), (std::vector<int64_t>{2, 4, 6}));
  for (int64_t step = 7; step <= 9; ++step) log.write(line_of(step));
  EXPECT_EQ(steps_in(path), (std::vector<int64_t>{4, 7, 9}));
}

// Killed after any line and resumed at the one before it.
TEST(RunLog, AKilledRunEndsWithTheSameLines) {
  const TemporaryFolder folder;
  const int64_t max = 6 * (static_cast<int64_t>(line_of(10).size()) + 1);
  const std::string whole = folder.path + "/whole", parts = folder.path + "/parts";
  {
    RunLog log(whole, 0, max);
    for (int64_t step = 10; step < 40; ++step) log.write(line_of(step));
  }
  for (int64_t killed = 10; killed < 40; ++killed) {
    std::filesystem::remove(parts);
    {
      RunLog log(parts, 0, max);
      for (int64_t step = 10; step <= killed; ++step) log.write(line_of(step));
    }
    RunLog log(parts, killed - 1, max);
    for (int64_t step = killed; step < 40; ++step) log.write(line_of(step));
    EXPECT_EQ(whole_file(whole), whole_file(parts)) << "killed after " << killed;
  }
}

}  // namespace
}  // namespace heed::run_log_test

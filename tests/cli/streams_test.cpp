// stdin, stdout and stderr that are closed, full or read by nobody.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"
#include "tests/pipeline/small_runs.h"

namespace heed::streams_test {
namespace {

using Words = std::vector<std::string>;

std::string quoted(const Words& arguments) {
  std::string line = "'" HEED_PROGRAM "'";
  for (const std::string& argument : arguments) line += " '" + argument + "'";
  return line;
}

// The exit code of heed ARGUMENTS... with these redirections of the shell, -1 if a signal ended it.
int code_of(const Words& arguments, const std::string& redirections) {
  const std::string script = "exec " + quoted(arguments) + " " + redirections;
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// The same with a pipe as stderr that nobody reads any more.
int code_without_reader(const Words& arguments) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return -1;
  ::close(pipe[0]);
  const std::string script = "exec " + quoted(arguments) + " > /dev/null";
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    ::dup2(pipe[1], STDERR_FILENO);
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(pipe[1]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Case {
  Words arguments;
  std::string output;  // what the command makes
};

// Commands that tell what they did.
std::vector<Case> talkative() {
  const std::string model = write_small_run(temporary("streams-lm"), {});
  const std::string pairs = file_with("streams.jsonl", "{\"key\": \"apple\", \"value\": 8}\n");
  const auto made = [](const char* name) { return temporary(std::string("streams-") + name); };
  return {{{"vocab", text_file(), "-o", made("vocab"), "--type", "byte"}, made("vocab")},
          {{"corpus", "dates", "-n", "5", "-o", made("dates")}, made("dates") + ".source"},
          {{"average", model, "-o", made("mean")}, made("mean")},
          {{"db", "create", made("db"), pairs}, made("db")},
          {{"embed", "-m", model, "-p", "the sea", "-o", made("states.npy")}, made("states.npy")},
          {{"attention", "--q", "1", "--k", "1", "--v", "1", "-o", made("y.npy")}, made("y.npy")},
          {{"quantize", "-m", model, "-o", made("int8")}, made("int8")}};
}

TEST(CliStreams, MessagesThatCannotBeWrittenAreLost) {
  for (const Case& one : talkative()) {
    SCOPED_TRACE(one.arguments[0]);
    const auto expect_done = [&](int code) {
      EXPECT_EQ(code, 0);
      EXPECT_TRUE(std::filesystem::exists(one.output));
      std::filesystem::remove_all(one.output);
    };
    expect_done(code_of(one.arguments, "> /dev/null 2> /dev/full"));
    expect_done(code_of(one.arguments, "> /dev/null 2>&-"));
    expect_done(code_without_reader(one.arguments));
  }
}

TEST(CliStreams, TheExitCodeIsThatOfTheMistake) {
  for (const char* how : {"2> /dev/full", "2>&-", ">&- 2>&- <&-"}) {
    EXPECT_EQ(code_of({"foo"}, how), 2);
    EXPECT_EQ(code_of({"score", "-m", temporary("streams-none"), "-p", "a"}, how), 1);
  }
}

TEST(CliStreams, AServerStartsWithoutStderr) {
  const std::string runs = temporary("");
  const std::string server =
      "timeout -s KILL 0.5 " + quoted({"serve", "--runs", runs, "-p", "0", "--log"});
  EXPECT_EQ(WEXITSTATUS(std::system((server + " 2> /dev/full").c_str())), 137) << "it ran";
  EXPECT_EQ(WEXITSTATUS(std::system((server + " 2>&-").c_str())), 137) << "it ran";
}

TEST(CliStreams, ResultsThatCannotBeWrittenAreAnError) {
  for (const Words& arguments :
       std::vector<Words>{{},
                          {"--help"},
                          {"--version"},
                          {"train", "--help"},
                          {"corpus", "--help"},
                          {"attention", "--q", "1", "--k", "1", "--v", "1"},
                          {"demo", "kernels"}}) {
    EXPECT_EQ(code_of(arguments, "> /dev/full 2> /dev/null"), 1);
    EXPECT_EQ(code_of(arguments, ">&- 2> /dev/null"), 1);
  }
}

TEST(CliStreams, MessagesNeverLandInAFile) {
  const std::string folder = temporary("streams-run");
  const Words arguments = train_arguments("lm", folder, {"--steps", "4", "--eval-every", "2"});
  EXPECT_EQ(code_of(arguments, "> /dev/null 2>&1"), 0);
  const std::string log = file_text(folder + "/log.jsonl"),
                    probe = file_text(folder + "/probe.jsonl");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(code_of(arguments, ">&- 2>&- <&-"), 0);
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(file_text(folder + "/probe.jsonl"), probe);
  EXPECT_EQ(lines(file_text(folder + "/log.jsonl")), lines(log));
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(file_text(entry.path()).find("the best model"), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace heed::streams_test

// What data may not do to a terminal.

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"
#include "tests/pipeline/small_runs.h"

namespace heed::terminal_test {
namespace {

// Clears the screen, sets the title, and does the first again in other bytes.
const std::string kEscapes =
    "\x1b[2J\x1b]0;title\x07\xc2\x9b"
    "2J";
const std::string kShown = "?[2J?]0;title??2J";

// All that heed ARGUMENTS... shows on a terminal.
std::string on_terminal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HEED_PROGRAM);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::setenv("TERM", "xterm", 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  std::string shown;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(terminal, buffer, sizeof(buffer))) > 0;) {
    shown.append(buffer, static_cast<size_t>(count));
  }
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  return shown;
}

bool steers(const std::string& text) {
  return text.find_first_of("\x1b\x07") != std::string::npos ||
         text.find("\xc2\x9b") != std::string::npos;
}

// On a terminal the escapes are question marks; in a pipe they stay.
void expect_harmless(const std::vector<std::string>& arguments, const std::string& shown = kShown) {
  const std::string text = on_terminal(arguments);
  EXPECT_FALSE(steers(text)) << arguments[0] << ": " << ::testing::PrintToString(text);
  EXPECT_NE(text.find(shown), std::string::npos) << arguments[0] << ": " << text;
}

void expect_unchanged_in_a_pipe(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(kEscapes), std::string::npos) << arguments[0];
}

std::string model(const std::string& task, const std::vector<std::string>& labels = {}) {
  return write_small_run(temporary("terminal-" + task),
                         {.task = named<Task>(task), .labels = labels});
}

TEST(CliTerminal, TextsOfResults) {
  const std::string lm = model("lm"), prompt = "a " + kEscapes;
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"score", "-m", lm, "-p", prompt},
           {"generate", "-m", lm, "-p", prompt, "--echo", "-n", "1"},
           {"generate", "-m", lm, "-p", prompt, "--echo", "-n", "1", "--stream"},
           {"tag", "-m", model("tag", {"A", "B"}), "-p", prompt, "--tokenized"}}) {
    expect_harmless(arguments);
    expect_unchanged_in_a_pipe(arguments);
  }
}

TEST(CliTerminal, NamesOfLabels) {
  const std::string label = "good" + kEscapes;
  for (const char* task : {"classify", "tag"}) {
    const std::vector<std::string> arguments{task, "-m", model(task, {label, label + "2"}), "-p",
                                             "a"};
    expect_harmless(arguments, "good" + kShown);
    expect_unchanged_in_a_pipe(arguments);
  }
  const std::string data = file_with("terminal.tsv", label + "\ta text\n" + label + "\tanother\n");
  expect_harmless({"check", data, "--task", "classify"}, "good" + kShown);
}

TEST(CliTerminal, LineFeedsAndTabsStay) {
  const std::vector<std::string> arguments{"generate", "-m",     model("lm"), "-p",
                                           "a\n\tb",   "--echo", "-n",        "1"};
  EXPECT_NE(on_terminal(arguments).find("a\r\n\tb"), std::string::npos) << "as terminals end lines";
}

TEST(CliTerminal, JsonStaysJson) {
  const std::string text = on_terminal({"score", "-m", model("lm"), "-p", "a\x7f", "--json"});
  EXPECT_TRUE(nlohmann::json::accept(text.substr(0, text.find('\n')))) << text;
  EXPECT_EQ(text.find('\x7f'), std::string::npos);
}

// Into a file as well: it may be shown later.
TEST(CliTerminal, Messages) {
  const std::string table = file_with("terminal.csv", "a" + kEscapes + ",b\n1,2\n2,3\n");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"score", "-m", temporary(kEscapes), "-p", "a"},
           {"eval", "-m", model("lm"), "--data", temporary(kEscapes)},
           {"--" + kEscapes},
           {kEscapes},
           {"attention", "--score", kEscapes, "--q", "1", "--k", "1", "--v", "1"},
           {"regress", table, "--x", "c", "--y", "b"}}) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_NE(outcome.code, 0);
    EXPECT_FALSE(steers(outcome.err)) << ::testing::PrintToString(outcome.err);
    EXPECT_NE(outcome.err.find("?[2J?]0;titl"), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  const Outcome wrote = run_heed({"attention", "--q", "1", "--k", "1", "--v", "1", "-o",
                                  temporary("terminal" + kEscapes + ".npy")});
  EXPECT_EQ(wrote.code, 0);
  EXPECT_FALSE(steers(wrote.err)) << wrote.err;
}

}  // namespace
}  // namespace heed::terminal_test

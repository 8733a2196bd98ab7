// heed chat as a person has it: in a terminal.

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::chat_test {
namespace {

// Not in a bare chroot or container.
bool has_terminals() {
  int terminal = -1, program = -1;
  if (::openpty(&terminal, &program, nullptr, nullptr, nullptr) != 0) return false;
  ::close(terminal);
  ::close(program);
  return true;
}

// The program in a terminal; what it shows comes with "\r\n" and repeats what is typed.
class Terminal {
 public:
  explicit Terminal(std::vector<std::string> arguments) {
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      std::string program = HEED_PROGRAM;
      std::vector<char*> argv{program.data()};
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      ::execv(program.c_str(), argv.data());
      ::_exit(127);
    }
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (!ended_) end();
    ::close(terminal_);
  }

  // What is shown from now on until it ends with this text.
  std::string read_until(const std::string& end) {
    std::string shown;
    for (char c = 0; !shown.ends_with(end) && ::read(terminal_, &c, 1) == 1;) shown += c;
    return shown;
  }

  void type(const std::string& text) const {
    ASSERT_EQ(::write(terminal_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // Types a line and gives what is shown up to the next prompt.
  std::string say(const std::string& line) {
    type(line + "\n");
    read_until("\r\n");
    return read_until("> ");
  }

  int end() {
    read_until("there is no such text");
    int status = 0;
    ::waitpid(child_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  int terminal_ = -1;
  pid_t child_ = -1;
  bool ended_ = false;
};

// A model that has learned to say "c" again and again.
std::string talker() {
  static const std::string folder = [] {
    const std::string text = file_with("talk.txt", "a b c d\n"), base = temporary("chat-base");
    std::string talks;
    for (int i = 0; i < 20; ++i) {
      talks += R"({"instruction": "a b", "output": ")" + std::string(200, 'c') + "\"}\n";
    }
    EXPECT_EQ(run_heed({"train",       "lm",    "--train", text, text,      text, "--valid",  text,
                        "--tokenizer", "char",  "--dim",   "8",  "--heads", "1",  "--layers", "1",
                        "--context",   "20000", "--steps", "1",  "-o",      base, "-t",       "1",
                        "--quiet"})
                  .code,
              0);
    std::string tuned = temporary("chat-tuned");
    const Outcome outcome =
        run_heed({"finetune", "-m", base, "--train", file_with("talks.jsonl", talks), "--steps",
                  "30", "--lr", "0.02", "-o", tuned, "-t", "1", "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return tuned;
  }();
  return folder;
}

TEST(CliChat, CommandsInATerminal) {
  if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminal can be opened here";
  Terminal chat({"chat", "-m", talker(), "-n", "3", "-t", "1"});
  EXPECT_NE(chat.read_until("> ").find("/undo takes the last turn back"), std::string::npos);
  EXPECT_EQ(chat.say("/undo"), "there is no turn to take back\r\n> ");
  EXPECT_TRUE(chat.say("a b").ends_with("\r\n> "));
  EXPECT_EQ(chat.say("/undo"), "took back: a b\r\n> ");
  EXPECT_TRUE(chat.say("/nonsense").starts_with("there is no command /nonsense; /new begins anew"));
  chat.type("\x04");  // Ctrl-D
  EXPECT_EQ(chat.read_until("\r\n"), "\r\n");
  EXPECT_EQ(chat.end(), 0);
}

TEST(CliChat, AnAnswerCanBeStopped) {
  if (!has_terminals()) GTEST_SKIP() << "no pseudo-terminal can be opened here";
  constexpr size_t kTokens = 19'000;
  Terminal chat({"chat", "-m", talker(), "-n", std::to_string(kTokens), "-t", "1"});
  chat.read_until("> ");
  chat.type("a b\n");
  chat.read_until("\r\n");
  chat.read_until("ccc");
  chat.type("\x03");  // Ctrl-C
  EXPECT_LT(chat.read_until("> ").size(), kTokens - 100);
  // The conversation goes on; what was said is remembered.
  EXPECT_EQ(chat.say("/undo"), "took back: a b\r\n> ");
  chat.type("\x03");
  EXPECT_EQ(chat.end(), 130);
}

}  // namespace
}  // namespace heed::chat_test

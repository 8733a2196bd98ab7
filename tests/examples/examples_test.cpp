// The examples run, those that load a model on random weights, and stay short.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/pipeline/small_runs.h"

namespace heed {
namespace {

std::string folder(const std::string& name) {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("heed_examples_" + std::to_string(::getpid()));
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder made;
  return made.path / name;
}

struct Output {
  int code;
  std::string text;
};

Output run(const std::string& command) {
  std::FILE* pipe = ::popen((HEED_EXAMPLES "/" + command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> part;
  while (const size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), count);
  }
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

void expect_runs(const std::string& command, const std::string& expected) {
  const Output output = run(command);
  EXPECT_EQ(output.code, 0) << output.text;
  EXPECT_NE(output.text.find(expected), std::string::npos) << output.text;
}

TEST(Examples, Run) {
  const std::string to = write_small_run(folder("translator"), {.task = Task::translate});
  const std::string lm = write_small_run(folder("lm"), {});
  expect_runs("translate " + to + " 'the small red car'", "log p = ");
  expect_runs("look " + to + " 'the small red car'", "decoder.1.cross");
  expect_runs("similar " + to + " 'the red car' 'a red car' 'the house'", "   the house");
  expect_runs("generate " + lm + " 'once upon'", "60 tokens");
}

// Killed by Ctrl-C in the middle, it goes on when it is started again.
TEST(Examples, Train) {
  std::filesystem::create_directories(folder("lesson"));
  const std::string source = folder("lesson/source"), target = folder("lesson/target");
  std::ofstream from(source), to(target);
  for (int i = 0; i < 40; ++i) {
    from << "word " << i % 7 << "\n";
    to << i % 7 << " wort\n";
  }
  from.close();
  to.close();
  const std::string command =
      "train " + source + " " + target + " " + folder("lesson/run") + " 'word 3'";
  const Output cut = run(command + " & until [ -s " + folder("lesson/run/log.jsonl") +
                         " ]; do sleep 0.01; done; kill -INT $!; wait $!");
  EXPECT_EQ(cut.code, 130) << cut.text;
  EXPECT_NE(cut.text.find("start it again"), std::string::npos) << cut.text;
  expect_runs(command, "going on after step");
  EXPECT_EQ(run("train nothing nothing " + folder("lesson/none") + " a").code, 1);
}

// The loss of a layer that it makes itself falls to a hundredth.
TEST(Examples, OwnLoop) {
  const Output output = run("own_loop");
  EXPECT_EQ(output.code, 0) << output.text;
  const auto loss_at = [&](const std::string& step) {
    const size_t at = output.text.find(step + "  loss ");
    EXPECT_NE(at, std::string::npos) << output.text;
    return std::stod(output.text.substr(at + step.size() + 7));
  };
  EXPECT_LT(loss_at("step 500"), loss_at("step 0") / 100) << output.text;
}

TEST(Examples, SayWhatIsWrong) {
  for (const auto& entry : std::filesystem::directory_iterator(HEED_SOURCES "/examples")) {
    const std::string name = entry.path().stem();
    if (entry.path().extension() != ".cpp" || name == "own_loop") continue;  // takes no arguments
    EXPECT_EQ(run(name).code, 2);
    if (name == "train") continue;  // makes a model, where the others load one
    const Output output =
        run(name + " " + folder("nothing") + " a" + (name == "similar" ? " b" : ""));
    EXPECT_EQ(output.code, 1);
    EXPECT_NE(output.text.find("config.json"), std::string::npos) << output.text;
  }
}

TEST(Examples, AreShort) {
  for (const auto& entry : std::filesystem::directory_iterator(HEED_SOURCES "/examples")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    int64_t lines = 0;
    for (std::string line; std::getline(file, line);) ++lines;
    EXPECT_LT(lines, 120) << entry.path();
  }
}

}  // namespace
}  // namespace heed

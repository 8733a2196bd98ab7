#include "tests/cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/base/random.h"
#include "heed/io/npy.h"

namespace heed {
namespace {

struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() / ("heed_cli_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Where the output of the program goes.
std::string out_path() { return temporary("stdout.txt"); }
std::string err_path() { return temporary("stderr.txt"); }

pid_t start_heed(const std::vector<std::string>& arguments,
                 const std::string& input = "/dev/null") {
  const std::string out = out_path(), err = err_path();
  std::vector<char*> argv;
  std::string program = HEED_PROGRAM;
  argv.push_back(program.data());
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto redirect = [](const std::string& path, int to,
                             int how = O_WRONLY | O_CREAT | O_TRUNC) {
      const int file = ::open(path.c_str(), how, 0600);
      if (file < 0 || ::dup2(file, to) < 0) ::_exit(127);
    };
    redirect(input, STDIN_FILENO, O_RDONLY);
    redirect(out, STDOUT_FILENO);
    redirect(err, STDERR_FILENO);
    ::unsetenv("COLUMNS");
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  return child;
}

Outcome outcome_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(out_path()), contents(err_path())};
}

}  // namespace

std::string temporary(const std::string& name) {
  static const Folder folder;
  return folder.path / name;
}

Outcome run_heed(const std::vector<std::string>& arguments) {
  return outcome_of(start_heed(arguments));
}

Outcome run_heed_with(const std::string& input, const std::vector<std::string>& arguments) {
  const std::string path = temporary("stdin.txt");
  std::ofstream(path) << input;
  return outcome_of(start_heed(arguments, path));
}

Outcome run_heed_until(const std::string& file, int signal,
                       const std::vector<std::string>& arguments) {
  const pid_t child = start_heed(arguments);
  siginfo_t info{};
  while (!std::filesystem::exists(file) &&
         ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0) {
    ::usleep(200);
  }
  ::kill(child, signal);
  return outcome_of(child);
}

Outcome run_heed_with_port(const std::vector<std::string>& arguments,
                           const std::function<int(int port)>& use) {
  const pid_t child = start_heed(arguments);
  const std::string before = "127.0.0.1:";
  siginfo_t info{};
  std::string err;
  size_t at = std::string::npos;
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0) {
    err = contents(err_path());
    at = err.find(before);
    if (at != std::string::npos && err.find('\n', at) != std::string::npos) break;
    at = std::string::npos;
    ::usleep(1000);
  }
  EXPECT_NE(at, std::string::npos) << "no port on stderr:\n" << contents(err_path());
  if (at != std::string::npos) {
    const int signal = use(std::stoi(err.substr(at + before.size())));
    if (signal != 0) ::kill(child, signal);
  }
  return outcome_of(child);
}

nlohmann::json run_json(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

void expect_near(const nlohmann::json& got, const nlohmann::json& expected, double tolerance) {
  if (!expected.is_array()) {
    if (expected.is_null() || got.is_null()) {
      EXPECT_EQ(got, expected);
    } else {
      EXPECT_NEAR(got.get<double>(), expected.get<double>(), tolerance);
    }
    return;
  }
  ASSERT_TRUE(got.is_array()) << got;
  ASSERT_EQ(got.size(), expected.size()) << got;
  for (size_t i = 0; i < got.size(); ++i) expect_near(got[i], expected[i], tolerance);
}

std::string array_file(const std::string& name, const Shape& shape, DType type) {
  Tensor array = Tensor::empty(shape, DType::f64);
  const RandomKey key = random_key({.seed = std::hash<std::string>{}(name)});
  for (int64_t i = 0; i < array.size(); ++i) {
    array.data<double>()[i] = random_normal(key, static_cast<uint32_t>(i));
  }
  std::string path = temporary(name);
  save_npy(path, array.to(type));
  return path;
}

}  // namespace heed

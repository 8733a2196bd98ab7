// What holds for every command: help, usage errors, interruption.

#include "tests/cli/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include "heed/kernels/simd.h"

namespace heed::program_test {
namespace {

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& message) {
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
}

std::vector<std::string> tiny(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"attention", "--q", "1", "--k", "1", "--v", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(CliProgram, HelpAndVersion) {
  const Outcome alone = run_heed({});
  EXPECT_EQ(alone.code, 0);
  EXPECT_NE(alone.out.find("attention"), std::string::npos);
  EXPECT_EQ(run_heed({"--help"}).out, alone.out);
}

TEST(CliProgram, Version) {
  const Outcome version = run_heed({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("heed ", 0), 0u);
  for (const char* what : {"\ncompiler         ", "\ninstruction set  "}) {
    EXPECT_NE(version.out.find(what), std::string::npos) << version.out;
  }
  const nlohmann::json page = run_json({"--version"});
  const std::string first = "heed " + page["version"].get<std::string>() + "\n";
  EXPECT_EQ(version.out.substr(0, first.size()), first);
  const bool has_commit = version.out.find("\ncommit           ") != std::string::npos;
  EXPECT_EQ(page.contains("commit"), has_commit);
  EXPECT_NE(version.out.find(page["compiler"]), std::string::npos);
  EXPECT_NE(version.out.find(page["instruction_set"]), std::string::npos);
  EXPECT_EQ(run_heed({"--json", "--version"}).out, run_heed({"--version", "--json"}).out);
  expect_usage_error({"--json"}, "--json before a command goes with --version");
  expect_usage_error({"--json", "demo"}, "--json before a command goes with --version");
}

TEST(CliProgram, HelpFitsEightyColumns) {
  std::vector<std::vector<std::string>> commands = {{"--help"}};
  for (const char* command :
       {"attention", "regress",   "vocab",  "check",    "encode",     "decode",
        "bench",     "demo",      "train",  "eval",     "info",       "tour",
        "translate", "summarize", "corpus", "generate", "score",      "score-text",
        "classify",  "tag",       "embed",  "probe",    "complexity", "db"}) {
    commands.push_back({command, "--help"});
  }
  for (const char* command : {"create", "add", "query", "info"}) {
    commands.push_back({"db", command, "--help"});
  }
  for (const std::vector<std::string>& arguments : commands) {
    std::istringstream help(run_heed(arguments).out);
    for (std::string line; std::getline(help, line);) {
      EXPECT_LE(line.size(), 80u) << arguments[0] << ": " << line;
    }
  }
}

TEST(CliProgram, EveryHelpEndsWithAnExampleThatRuns) {
  for (const char* command : {"attention", "regress", "demo", "corpus", "complexity"}) {
    const Outcome help = run_heed({command, "--help"});
    EXPECT_EQ(help.code, 0);
    const size_t at = help.out.rfind("\n  heed ");
    ASSERT_NE(at, std::string::npos) << command;
    const std::string example = help.out.substr(at + 8);
    const std::string line = "cd '" + temporary("") + "' && '" HEED_PROGRAM "' " +
                             example.substr(0, example.find('\n')) + " > /dev/null";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
  }
}

TEST(CliProgram, SuggestsWhatWasMeant) {
  expect_usage_error({"atention"}, "unknown command 'atention'; did you mean 'attention'?");
  expect_usage_error({"--verison"}, "did you mean '--version'?");
  expect_usage_error(tiny({"--casual"}), "unknown option '--casual'; did you mean '--causal'?");
  expect_usage_error(tiny({"--zzzzzz"}), "unknown option '--zzzzzz' (see heed attention --help)");
  expect_usage_error(tiny({"--score", "gausian"}), "did you mean 'gaussian'?");
  expect_usage_error({"attention", "--qq", "1"}, "unknown option '--qq'");
}

TEST(CliProgram, WrongOptions) {
  expect_usage_error({"attention", "--q", "1", "--k", "1"}, "--v is required");
  expect_usage_error(tiny({"more"}), "unexpected argument 'more'");
  expect_usage_error(tiny({"--score"}), "--score needs a value (see");
  expect_usage_error(tiny({"--heads", "2", "--heads", "3"}),
                     "--heads is given 2 times, expected once (see heed attention --help)");
  expect_usage_error(tiny({"--heads", "0"}), "'0' is not a whole number from 1");
  expect_usage_error(tiny({"-t", "x"}), "'x' is not a whole number");
  expect_usage_error(tiny({"--softcap", "-1"}), "'-1' is not a positive number");
  expect_usage_error(tiny({"--window", "1"}), "--window takes two numbers");
  expect_usage_error(tiny({"--window", "-2,0"}), "-1 for no limit");
  expect_usage_error(tiny({"--offset", "1"}), "--offset needs --causal");
  expect_usage_error(tiny({"--kv-heads", "1"}), "--kv-heads needs --heads");
  expect_usage_error(tiny({"--width", "1"}), "--width goes with --score gaussian");
  expect_usage_error(tiny({"--score", "gaussian", "--width", "0"}), "0 is not positive");
  expect_usage_error(tiny({"--score", "dot", "--scale", "2"}), "--scale goes with");
  expect_usage_error(tiny({"--score", "additive", "--w-q", "1"}), "needs --w-k");
  expect_usage_error(tiny({"--score", "bilinear"}), "needs --m");
  expect_usage_error(tiny({"--score", "boxcar", "--lse", "l.npy"}), "--lse needs");
  expect_usage_error(tiny({"--allow-negative"}), "--allow-negative needs the normalizer sum");
  expect_usage_error(tiny({"--normalizer", "max"}), "'max' is not one of");
}

TEST(CliProgram, AMisspelledInstructionSetIsAnError) {
  const char* before = std::getenv("HEED_MAX_ISA");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("HEED_MAX_ISA", "axv2", 1);
  const std::vector<std::string> known = kernels::isa_limits();
  expect_usage_error(tiny({}),
                     "HEED_MAX_ISA in the environment: instruction set: expected " + known.front());
  ::setenv("HEED_MAX_ISA", known.back().c_str(), 1);
  EXPECT_EQ(run_heed(tiny({})).code, 0);
  if (before == nullptr) {
    ::unsetenv("HEED_MAX_ISA");
  } else {
    ::setenv("HEED_MAX_ISA", kept.c_str(), 1);
  }
}

TEST(CliProgram, FiguresAreSvg) {
  expect_usage_error({"complexity", "--plot", "cost.png"}, "'cost.png' does not end in .svg");
  expect_usage_error({"regress", "--x", "0,1", "--y", "0,1", "--query", "0", "--figure", "fit.pdf"},
                     "--figure: figures are SVG; 'fit.pdf' does not end in .svg");
}

TEST(CliProgram, AnInterruptedRunSaysSo) {
  const std::string q = array_file("q_interrupt.npy", {300, 8});
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::close(pipe[0]);
    ::execl(HEED_PROGRAM, HEED_PROGRAM, "attention", "--q", q.c_str(), "--k", q.c_str(), "--v",
            q.c_str(), "--json", nullptr);
    ::_exit(127);
  }
  ::close(pipe[1]);
  // Once it prints, it has begun; nobody reads the rest, so it cannot end by itself.
  char first = 0;
  ASSERT_EQ(::read(pipe[0], &first, 1), 1);
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(pipe[0]);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

TEST(CliProgram, AFullDiskIsAnError) {
  const std::string line =
      "'" HEED_PROGRAM "' attention --q 1 --k 1 --v 1 > /dev/full 2> /dev/null";
  const int status = std::system(line.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace heed::program_test

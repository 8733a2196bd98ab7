// The program on processors that it cannot use, which qemu-user plays.

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::old_processor_test {
namespace {

// heed ARGUMENTS... on this processor.
Outcome run_on(const std::string& processor, const std::string& arguments) {
  const std::string out = temporary("old_out"), err = temporary("old_err");
  const std::string line = "qemu-x86_64 -cpu " + processor + " '" HEED_PROGRAM "' " + arguments +
                           " > '" + out + "' 2> '" + err + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_text(out), file_text(err)};
}

TEST(CliOldProcessor, IsNamedInOneLine) {
#ifndef __x86_64__
  GTEST_SKIP() << "the processors are those of x86";
#endif
  if (std::system("qemu-x86_64 --version > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "there is no qemu-x86_64; Debian's package qemu-user has it";
  }
  for (const char* processor : {"qemu64", "kvm64", "core2duo", "Penryn"}) {
    for (const char* arguments : {"attention --q 1 --k 1 --v 1", "demo kernels"}) {
      const Outcome outcome = run_on(processor, arguments);
      EXPECT_EQ(outcome.code, 1) << processor;
      EXPECT_EQ(outcome.out, "");
      EXPECT_TRUE(outcome.err.starts_with("heed: this processor lacks ")) << outcome.err;
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
    const Outcome version = run_on(processor, "--version");
    EXPECT_EQ(version.code, 0);
    EXPECT_NE(version.out.find("instruction set  none that heed can use\n"), std::string::npos);
  }
  EXPECT_EQ(run_on("Nehalem", "attention --q 1 --k 1 --v 1").code, 0);
  EXPECT_NE(run_on("Nehalem", "--version").out.find("instruction set  SSE4\n"), std::string::npos);
}

}  // namespace
}  // namespace heed::old_processor_test

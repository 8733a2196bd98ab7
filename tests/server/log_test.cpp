// The log on stderr.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/server/client.h"

namespace heed::server {
namespace {

// stderr of this process is another file while it exists.
class OtherStderr {
 public:
  explicit OtherStderr(int file) : before_(::dup(STDERR_FILENO)) {
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~OtherStderr() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  OtherStderr(const OtherStderr&) = delete;
  OtherStderr& operator=(const OtherStderr&) = delete;

 private:
  int before_;
};

int pipe_without_reader() {
  int pipe[2] = {-1, -1};
  EXPECT_EQ(::pipe(pipe), 0);
  ::close(pipe[0]);
  return pipe[1];
}

TEST(Log, ALineForEachRequest) {
  const TestServer server({.models = {small_run({})}, .log = true});
  testing::internal::CaptureStderr();
  EXPECT_EQ(server.get("/health").status, 200);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(log.starts_with("/health 200 ")) << log;
  EXPECT_TRUE(log.ends_with(" ms\n")) << log;
}

TEST(Log, ThatCannotBeWrittenIsLost) {
  const TestServer server({.models = {small_run({})}, .log = true});
  for (const bool is_full : {true, false}) {
    const OtherStderr other(is_full ? ::open("/dev/full", O_WRONLY) : pipe_without_reader());
    EXPECT_EQ(server.get("/health").status, 200);
    EXPECT_EQ(server.post("/api/tokenize", {{"text", "the sea"}}).status, 200);
    EXPECT_EQ(server.get("/nowhere").status, 404);
    const nlohmann::json page{{"model", "lm-transformer"}, {"prompt", "the"}, {"max_tokens", 2}};
    EXPECT_EQ(server.post("/v1/completions", page).status, 200);
  }
}

}  // namespace
}  // namespace heed::server

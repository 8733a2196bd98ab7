// A const model is shared by threads: each gets the answers that it would get alone.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/parallel.h"
#include "heed/pipeline/pipeline.h"
#include "heed/run/task_names.h"
#include "tests/pipeline/small_runs.h"

namespace heed::shared_model_test {
namespace {

class SharedModel : public ::testing::Test {
 protected:
  ~SharedModel() override { std::filesystem::remove_all(folder_); }

  // What `ask` gives for each of several numbers, one after the other and from threads at once.
  template <typename Ask>
  void expect_the_same(const SmallRun& small, const Ask& ask) {
    const Pipeline model = load(write_small_run(folder_ / name_of(small), small));
    constexpr size_t kThreads = 4;
    std::vector<std::string> alone, together(kThreads);
    for (size_t i = 0; i < kThreads; ++i) alone.push_back(ask(model, i));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const ThreadScope scope(i % 2 == 0 ? 1 : 2);
        for (int again = 0; again < 3; ++again) together[i] = ask(model, i);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(together, alone);
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("heed_shared_model_" + std::to_string(::getpid()));
};

TEST_F(SharedModel, Generates) {
  expect_the_same({}, [](const Pipeline& model, size_t i) {
    return model.generate("the car", {.max_tokens = 12, .sampling = {.temperature = 1, .seed = i}})
        .text;
  });
}

TEST_F(SharedModel, Translates) {
  for (const std::string kind : {"transformer", "rnn-attention"}) {
    expect_the_same({.task = Task::translate, .model = named<ModelKind>(kind)},
                    [](const Pipeline& model, size_t i) {
                      const std::string text = "the small red car " + std::to_string(i);
                      return model.translate(text, {.max_tokens = 12, .beam = {.width = 3}}).text;
                    });
  }
}

}  // namespace
}  // namespace heed::shared_model_test

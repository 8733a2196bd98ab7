#include "heed/run/task_input.h"

#include <gtest/gtest.h>

#include "tests/pipeline/small_runs.h"
#include "tests/train/small_run.h"

namespace heed::task_input_test {
namespace {

// In one stack, source and target share the context; learned positions have no row beyond it.
TEST(TaskInput, ALongTargetIsCutToTheContext) {
  const TemporaryFolder temporary;
  for (const char* model : {"transformer", "decoder", "prefix"}) {
    SCOPED_TRACE(model);
    const LoadedRun run = load_run(
        write_small_run(temporary.path + "/" + model, {.task = Task::translate,
                                                       .model = named<ModelKind>(model),
                                                       .positions = PositionKind::learned}));
    const TaskInput input = task_input(run, "a small car", std::string(kSmallText));
    EXPECT_TRUE(input.is_cut);
    EXPECT_EQ(input.batch.target.dim(0), kSmallContext);
    EXPECT_NO_THROW(run.model->logits(input.batch, {}));
  }
}

}  // namespace
}  // namespace heed::task_input_test

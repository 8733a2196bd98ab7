#include "heed/run/task.h"

#include <gtest/gtest.h>

#include "heed/run/setting_names.h"

namespace heed::task_test {
namespace {

TEST(Task, HasAName) {
  EXPECT_EQ(name_of(Task::translate), "translate");
  EXPECT_EQ(name_of(Task::none), "");
  Task task = Task::lm;
  EXPECT_TRUE(read_name("tag", task));
  EXPECT_EQ(task, Task::tag);
  EXPECT_FALSE(read_name("tags", task));
  EXPECT_EQ(task, Task::tag);
}

TEST(NamedEnum, AValueThatIsNoneHasNoName) {
  EXPECT_EQ(name_of(static_cast<Task>(99)), "");
  EXPECT_EQ(name_of(static_cast<Preset>(99)), "");
}

TEST(NamedEnum, NoNameLeavesAnOptionalOpen) {
  std::optional<PositionKind> positions = PositionKind::rotary;
  EXPECT_TRUE(read_name("", positions));
  EXPECT_FALSE(positions.has_value());
  EXPECT_TRUE(read_name("learned", positions));
  EXPECT_EQ(name_of(positions), "learned");
}

}  // namespace
}  // namespace heed::task_test

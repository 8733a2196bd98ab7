#include "heed/run/task_names.h"

namespace heed {

std::string_view name_of(Task task) { return name_of<Task>(task); }

}  // namespace heed

// log.jsonl and probe.jsonl: one JSON object per line, each with a "step".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "heed/base/export.h"

namespace heed {

class HEED_API RunLog {
 public:
  // Goes on after the lines up to `last_step`; later ones are dropped, for a resumed run writes
  // them again. A file that grows beyond `max_bytes` (0: any size) loses every second line, and
  // keeps the last one: so a run that is killed and resumed ends with the same lines.
  RunLog(const std::string& path, int64_t last_step, int64_t max_bytes = 0);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  void write(std::string_view line);

 private:
  void open();
  void thin_out();

  std::string path_;
  int64_t max_bytes_, bytes_ = 0;
  int file_ = -1;
};

}  // namespace heed

// log.jsonl: one JSON object per line, each with a "step".
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "heed/base/export.h"

namespace heed {

class HEED_API RunLog {
 public:
  // Goes on after the lines up to `last_step`; later ones are dropped, for a resumed run writes
  // them again.
  RunLog(const std::string& folder, int64_t last_step);

  void write(std::string_view line);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace heed

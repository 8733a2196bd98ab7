// Any bytes are conversations, prompts or rankings, or a heed::Error; counting errors, an Error
// only if no record can be used or the file is no text.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "heed/base/error.h"
#include "heed/tuning/conversations.h"
#include "heed/tuning/rankings.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// A file in memory, by its path.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : file_(::memfd_create("fuzz", 0)) {
    require(file_ >= 0);
    require(::write(file_, data, size) == static_cast<ssize_t>(size));
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

template <typename Read>
void try_to(Read read) {
  try {
    const heed::RecordReport report = read();
    require(report.used > 0);
    require((report.skipped == 0) == report.first_mistake.empty());
  } catch (const heed::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  for (const auto on_mistake : {heed::OnMistake::fail, heed::OnMistake::count}) {
    try_to([&] {
      return heed::for_each_conversation(
          file.path(), on_mistake, [](auto messages) { heed::require_conversation(messages); });
    });
    try_to([&] {
      return heed::for_each_prompt(file.path(), on_mistake, [](auto messages) {
        require(!messages.empty() && messages.back().role == "user");
      });
    });
    try_to([&] {
      return heed::for_each_ranking(file.path(), on_mistake, [](const heed::Ranking& ranking) {
        require(ranking.answers.size() >= 2);
        require(!heed::to_json(ranking).empty());
      });
    });
  }
  return 0;
}

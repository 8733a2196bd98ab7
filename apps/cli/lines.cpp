#include "apps/cli/lines.h"

#include <fmt/format.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "heed/base/error.h"

namespace heed::cli {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

// The buffer of getline(), which makes it longer as it needs.
struct Buffer {
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(text); }
  char* text = nullptr;
  size_t size = 0;
};

void lines_of(const std::string& name, std::FILE* file,
              const std::function<void(const Line&)>& use) {
  Buffer buffer;
  for (int64_t number = 1;; ++number) {
    errno = 0;
    const ssize_t length = ::getline(&buffer.text, &buffer.size, file);
    if (length < 0) break;
    std::string_view text(buffer.text, static_cast<size_t>(length));
    if (text.ends_with('\n')) text.remove_suffix(1);
    use({text, name, number});
  }
  if (errno == ENOMEM) throw std::bad_alloc();
  if (std::ferror(file) != 0) {
    throw Error(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  }
}

}  // namespace

void for_each_line(const std::vector<std::string>& files,
                   const std::function<void(const Line&)>& use) {
  static const std::vector<std::string> kStdin{"-"};
  for (const std::string& name : files.empty() ? kStdin : files) {
    if (name == "-") {
      lines_of("stdin", stdin, use);
      continue;
    }
    const std::unique_ptr<std::FILE, Close> file(std::fopen(name.c_str(), "rbe"));
    if (!file) throw Error(fmt::format("{}: cannot open: {}", name, std::strerror(errno)));
    lines_of(name, file.get(), use);
  }
}

}  // namespace heed::cli

#include "heed/io/read_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "heed/base/fail.h"

namespace heed {

std::string read_file(const std::string& path) {
  std::error_code ignored;
  check(!std::filesystem::is_directory(path, ignored), "{}: cannot read: is a directory", path);
  std::ifstream in(path, std::ios::binary);
  check(in.good(), "{}: cannot read: {}", path, std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace heed

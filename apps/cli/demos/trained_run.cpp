#include "apps/cli/demos/trained_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/train/run_folder.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "heed";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    throw Error("demo: neither XDG_CACHE_HOME nor HOME is set, so there is no place for a model");
  }
  return fs::path(home) / ".cache" / "heed";
}

uint64_t hash(const std::string& text) {
  uint64_t h = 0;
  for (const char c : text) h = mix_bits(h ^ static_cast<unsigned char>(c));
  return h;
}

}  // namespace

std::string trained_run(const std::string& name, const std::string& recipe,
                        const std::function<void(const std::string& folder)>& train) {
  const fs::path folder = cache_folder() / fmt::format("{}-{:016x}", name, hash(recipe));
  if (is_run_folder(folder.string())) return folder.string();
  const fs::path part = folder.string() + fmt::format(".{}.part", ::getpid());
  std::error_code error;
  fs::create_directories(part, error);
  if (error)
    throw Error(fmt::format("{}: cannot make this folder: {}", part.string(), error.message()));
  try {
    train(part.string());
  } catch (...) {
    fs::remove_all(part, error);
    throw;
  }
  fs::rename(part, folder, error);
  if (error) {
    fs::remove_all(part, error);  // another program was quicker
    if (!is_run_folder(folder.string())) {
      throw Error(fmt::format("{}: the model cannot be kept here", folder.string()));
    }
  }
  return folder.string();
}

}  // namespace heed::cli

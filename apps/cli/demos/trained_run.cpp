#include "apps/cli/demos/trained_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "apps/cli/training/training.h"
#include "apps/message.h"
#include "heed/base/fail.h"
#include "heed/base/random.h"
#include "heed/io/npy.h"
#include "heed/run/run_folder.h"

namespace heed::cli {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "heed";
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    fail("demo: neither XDG_CACHE_HOME nor HOME is set, so there is no place for a model");
  }
  return fs::path(home) / ".cache" / "heed";
}

// As a shell reads it, in quotes where it needs them.
std::string shell_word(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/._-+", c) != nullptr;
  };
  if (std::all_of(text.begin(), text.end(), is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// Where something is kept, how large it is and how to be rid of it.
void tell_kept(const fs::path& kept) {
  uintmax_t bytes = 0;
  std::error_code error;
  if (fs::is_directory(kept)) {
    for (const auto& entry : fs::recursive_directory_iterator(kept, error)) {
      if (entry.is_regular_file(error)) bytes += entry.file_size(error);
    }
  } else {
    bytes = fs::file_size(kept, error);
  }
  say("Kept for the next time ({}); to remove it: {} {}\n",
      bytes < 100'000 ? fmt::format("{:.1f} KB", static_cast<double>(bytes) / 1e3)
                      : fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6),
      fs::is_directory(kept) ? "rm -r" : "rm", shell_word(kept.string()));
}

uint64_t hash(const std::string& text) {
  uint64_t h = 0;
  for (const char c : text) h = mix_bits(h ^ static_cast<unsigned char>(c));
  return h;
}

void train_in(const fs::path& folder, const TrainedRun& wanted) {
  const fs::path data = folder.string() + ".data";
  const auto remove_data = [&] {
    std::error_code ignored;
    fs::remove_all(data, ignored);
  };
  try {
    fs::create_directories(data);
    TrainSettings settings = wanted.settings;
    wanted.write(data.string(), settings);
    say("Training {}, once:\n", wanted.what);
    train_in_workshop(settings, folder.string());
  } catch (...) {
    remove_data();
    throw;
  }
  remove_data();
}

}  // namespace

TrainSettings small_translator(int64_t steps, uint64_t seed) {
  TrainSettings s;
  s.task = Task::translate;
  s.model = ModelKind::transformer;
  s.tokenizer = "word";
  s.batch = 64;
  s.steps = steps;
  s.warmup = std::min<int64_t>(50, steps);
  s.schedule = ScheduleKind::cosine;
  s.dropout = 0;
  s.label_smoothing = 0;
  s.eval_every = steps;
  s.patience = 0;
  s.metric = "loss";
  s.seed = static_cast<int64_t>(seed);
  return s;
}

std::string trained_run(const TrainedRun& wanted) {
  const std::string recipe = wanted.data + " " + to_json(wanted.settings);
  const fs::path folder = cache_folder() / fmt::format("{}-{:016x}", wanted.name, hash(recipe));
  if (is_run_folder(folder.string())) return folder.string();
  const fs::path part = folder.string() + fmt::format(".{}.part", ::getpid());
  std::error_code error;
  fs::create_directories(part, error);
  if (error) fail("{}: cannot make this folder: {}", part.string(), error.message());
  try {
    train_in(part, wanted);
  } catch (...) {
    fs::remove_all(part, error);
    throw;
  }
  fs::rename(part, folder, error);
  if (error) {
    fs::remove_all(part, error);  // another program was quicker
    if (!is_run_folder(folder.string())) {
      fail("{}: the model cannot be kept here", folder.string());
    }
  }
  tell_kept(folder);
  return folder.string();
}

Tensor kept_numbers(const std::string& name, const std::string& recipe,
                    const std::function<Tensor()>& make) {
  const fs::path file = cache_folder() / fmt::format("{}-{:016x}.npy", name, hash(recipe));
  if (fs::is_regular_file(file)) return load_npy(file.string());
  Tensor made = make();
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) {
    fail("{}: cannot make this folder: {}", file.parent_path().string(), error.message());
  }
  save_npy(file.string(), made);
  tell_kept(file);
  return made;
}

}  // namespace heed::cli

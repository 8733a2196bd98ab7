#include <sched.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "heed/base/default_threads_internal.h"

namespace heed {
namespace {

std::string_view trimmed_number(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<int> wanted_threads(std::string_view text) {
  text = trimmed_number(text);
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc::result_out_of_range && text.front() != '-') return kMaxThreads;
  if (error != std::errc() || end != text.data() + text.size() || count < 1) return std::nullopt;
  return std::min(count, kMaxThreads);
}

}  // namespace

int default_threads(const char* heed_threads, const char* omp_num_threads, int cores) {
  if (heed_threads != nullptr) {
    if (const auto count = wanted_threads(heed_threads)) return *count;
  }
  if (omp_num_threads != nullptr) {
    const std::string_view list(omp_num_threads);
    if (const auto count = wanted_threads(list.substr(0, list.find(',')))) return *count;
  }
  return std::clamp(cores, 1, kMaxThreads);
}

int usable_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof(cores), &cores) == 0) return CPU_COUNT(&cores);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than a cpu_set_t holds
}

}  // namespace heed

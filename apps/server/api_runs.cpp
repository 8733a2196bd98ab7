// GET /api/runs, /api/runs/{id} and /api/runs/{id}/probe: training, from the files of its runs.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "apps/server/api_error.h"
#include "apps/server/json_text.h"
#include "apps/server/route.h"
#include "heed/base/json_nesting.h"
#include "heed/run/run_folder.h"
#include "heed/run/task_names.h"

namespace heed::server {
namespace {

namespace fs = std::filesystem;

constexpr double kLiveSeconds = 30;     // a log that grew in these belongs to a run that goes on,
constexpr double kLiveLines = 4;        // or in the time that this many of its lines took
constexpr int64_t kMaxBytes = 4 << 20;  // of a log in one answer
constexpr int64_t kTail = 64 << 10;     // of a log, to find its last lines

struct Run {
  std::string id;
  fs::path folder;
};

// The folder itself, if it is a run, and the runs in it. Nothing else can be named.
std::vector<Run> list_runs(const std::string& folder) {
  std::vector<Run> runs;
  if (folder.empty()) return runs;
  fs::path top = fs::absolute(folder).lexically_normal();
  if (!top.has_filename()) top = top.parent_path();  // "runs/"
  if (is_run_folder(top.string())) runs.push_back({top.filename().string(), top});
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(top, error)) {
    if (entry.is_directory(error) && is_run_folder(entry.path().string())) {
      runs.push_back({entry.path().filename().string(), entry.path()});
    }
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.id < b.id; });
  return runs;
}

Run find_run(const Service& service, const std::string& id) {
  for (const Run& run : list_runs(service.options().runs)) {
    if (run.id == id) return run;
  }
  throw ApiError(404, "there is no such run; GET /api/runs lists them");
}

struct Lines {
  Json list = Json::array();
  int64_t next = 0;  // the byte after the last whole line
  bool reset = false;
};

// Whole lines of a file of JSON objects from a byte on; what is none is left out.
Lines read_lines(const fs::path& path, int64_t after) {
  Lines lines;
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) return lines;
  const auto size = static_cast<int64_t>(in.tellg());
  lines.reset = after > size;
  const int64_t begin = lines.reset ? 0 : after;
  std::string text(static_cast<size_t>(std::min(size - begin, kMaxBytes)), '\0');
  in.seekg(begin);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  size_t at = 0;
  for (size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string_view whole = std::string_view(text).substr(at, end - at);
    if (is_nested_too_deep(whole)) continue;
    Json line = Json::parse(whole, nullptr, false);
    if (line.is_object()) lines.list.push_back(std::move(line));
  }
  lines.next = begin + static_cast<int64_t>(at);
  return lines;
}

double unix_seconds(fs::file_time_type time) {
  return std::chrono::duration<double>(std::chrono::file_clock::to_sys(time).time_since_epoch())
      .count();
}

// How long a run may be silent: validation takes longer than a step, and steps may take minutes.
double patience(const Lines& lines) {
  double before = 0, last = 0;
  for (const Json& line : lines.list) {
    if (!line.contains("loss") || !line["seconds"].is_number()) continue;
    before = last;
    last = line["seconds"].get<double>();
  }
  return std::max(kLiveSeconds, kLiveLines * (last - before));
}

Json run_json(const Run& run, bool trains) {
  const fs::path log = run.folder / "log.jsonl";
  std::error_code error;
  const auto size = static_cast<int64_t>(fs::file_size(log, error));
  const double modified = error ? 0 : unix_seconds(fs::last_write_time(log, error));
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const Lines tail = modified == 0 ? Lines() : read_lines(log, std::max<int64_t>(size - kTail, 0));
  Json page{{"id", run.id}, {"task", ""}, {"step", 0}, {"seconds", 0}};
  int64_t steps = 0;
  try {
    const TrainSettings settings = read_run_config(run.folder.string()).settings;
    page["task"] = name_of(settings.task);
    steps = settings.steps;
  } catch (const std::exception&) {  // it is being written, or of another version
  }
  for (const Json& line : tail.list) {
    if (line.contains("step")) page["step"] = line["step"];
    if (line.contains("seconds")) page["seconds"] = line["seconds"];
    if (!line.value("best", false) || !line.contains("valid")) continue;
    const auto& valid = line["valid"];
    if (valid.is_object() && !valid.empty()) {
      page["best"] = {{"step", line["step"]},
                      {"metric", valid.begin().key()},
                      {"value", valid.begin().value()}};
    }
  }
  const bool is_done = steps > 0 && page["step"].is_number() && page["step"] >= steps;
  page["live"] = trains || (!is_done && now - modified < patience(tail));
  page["modified"] = modified;
  return page;
}

// Empty if it is being written, or none of ours.
Json read_config(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (is_nested_too_deep(text)) return Json::object();
  Json config = Json::parse(text, nullptr, false);
  if (config.is_discarded()) config = Json::object();
  return config;
}

int64_t after_of(const Call& call) {
  const auto found = call.http.query.find("after");
  if (found == call.http.query.end()) return 0;
  const std::string& text = found->second;
  const bool is_number = !text.empty() && text.size() < 16 &&
                         text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) throw ApiError(400, "after: expected a number of bytes", "after");
  return std::stoll(text);
}

}  // namespace

HttpAnswer get_runs(Service& service, const Call& /*call*/) {
  Json page{{"runs", Json::array()}};
  for (const Run& run : list_runs(service.options().runs)) {
    page["runs"].push_back(run_json(run, service.options().trains));
  }
  return json_answer(page);
}

HttpAnswer get_run(Service& service, const Call& call) {
  const Run run = find_run(service, call.id);
  const Lines lines = read_lines(run.folder / "log.jsonl", after_of(call));
  return json_answer({{"run", run_json(run, service.options().trains)},
                      {"config", read_config(run.folder / "config.json")},
                      {"lines", lines.list},
                      {"next", lines.next},
                      {"reset", lines.reset}});
}

HttpAnswer get_run_probe(Service& service, const Call& call) {
  const Run run = find_run(service, call.id);
  const Lines lines = read_lines(run.folder / "probe.jsonl", after_of(call));
  return json_answer({{"snapshots", lines.list}, {"next", lines.next}, {"reset", lines.reset}});
}

}  // namespace heed::server

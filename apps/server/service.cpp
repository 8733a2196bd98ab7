#include "apps/server/service.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "apps/server/api_error.h"
#include "heed/base/fail.h"

namespace heed::server {
namespace {

// The last name of the path as it was given: a link keeps its own.
std::string folder_name(const std::string& folder) {
  const std::filesystem::path path = std::filesystem::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

int64_t unix_time(const std::filesystem::path& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  if (error) return 0;
  const auto system = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(system).count();
}

std::vector<ServedModel> load_models(const std::vector<std::string>& folders) {
  std::vector<ServedModel> models;
  for (const std::string& folder : folders) {
    const std::string id = folder_name(folder);
    for (const ServedModel& other : models) {
      if (other.id == id) {
        fail("{}: there are two models with the name {}; rename a folder", folder, id);
      }
    }
    models.push_back({.id = id,
                      .pipeline = load(folder),
                      .created = unix_time(std::filesystem::path(folder) / "config.json"),
                      .index = models.size()});
  }
  return models;
}

std::vector<const Model*> pointers(const std::vector<ServedModel>& models) {
  std::vector<const Model*> result;
  result.reserve(models.size());
  for (const ServedModel& model : models) result.push_back(model.pipeline.run().model.get());
  return result;
}

// A job that is given up as long as it has not begun.
struct Job {
  std::mutex mutex;
  std::condition_variable ended;
  enum { waiting, running, done, given_up } state = waiting;
  std::exception_ptr error;
};

}  // namespace

Service::Service(const ServerOptions& options)
    : options_(options),
      models_(load_models(options.models)),
      worker_(pointers(models_), options.worker) {}

const ServedModel& Service::model(const std::string& id) const {
  if (models_.empty()) throw ApiError(404, "the server has no model; start it with -m DIR");
  if (id.empty()) return models_.front();
  std::string known;
  for (const ServedModel& model : models_) {
    if (model.id == id) return model;
    known += (known.empty() ? "" : ", ") + model.id;
  }
  throw ApiError(404, "there is no such model; the server has " + known, "model",
                 "model_not_found");
}

void refuse_full(const Service& service) {
  if (service.is_stopping()) throw ApiError(503, "the server is stopping");
  throw ApiError(429, "the server has too much to do; try again in a second", {}, "queue_full");
}

void Service::compute(const HttpRequest& request, const std::function<void()>& f) {
  const auto job = std::make_shared<Job>();
  const auto work = [job, &f] {  // f lives: the waiting thread does not leave while the job runs
    {
      const std::lock_guard lock(job->mutex);
      if (job->state == Job::given_up) return;
      job->state = Job::running;
    }
    try {
      f();
    } catch (...) {
      job->error = std::current_exception();
    }
    const std::lock_guard lock(job->mutex);
    job->state = Job::done;
    job->ended.notify_one();
  };
  const auto end = Clock::now() + std::chrono::duration<double>(options_.seconds);
  if (!worker_.run(work)) refuse_full(*this);
  std::unique_lock lock(job->mutex);
  while (job->state != Job::done) {
    if (job->ended.wait_for(lock, std::chrono::milliseconds(100)) == std::cv_status::no_timeout) {
      continue;
    }
    const bool is_late = Clock::now() >= end;
    if (job->state == Job::waiting && (is_late || is_canceled() || request.disconnected())) {
      job->state = Job::given_up;
      throw ApiError(is_canceled() ? 503 : 504, "the request was given up before its turn came");
    }
  }
  if (job->error) std::rethrow_exception(job->error);
}

}  // namespace heed::server

// GET /, /health and /metrics.

#include <nlohmann/json.hpp>

#include "apps/server/api_error.h"
#include "apps/server/route.h"

namespace heed::server {

HttpAnswer get_page(Service& service, const Call& /*call*/) {
  const std::string_view page = service.options().page;
  if (page.empty()) throw plain_error(404);
  return {.type = "text/html; charset=utf-8", .body = std::string(page)};
}

HttpAnswer get_health(Service& service, const Call& /*call*/) {
  const InferenceWorkerCounts counts = service.worker().counts();
  nlohmann::ordered_json page{{"status", service.is_stopping() ? "stopping" : "ok"},
                              {"version", HEED_VERSION},
                              {"models", nlohmann::ordered_json::array()},
                              {"queued", counts.queued},
                              {"running", counts.running}};
  for (const ServedModel& model : service.models()) page["models"].push_back(model.id);
  return {.body = page.dump() + "\n"};
}

HttpAnswer get_metrics(Service& service, const Call& /*call*/) {
  return {.type = "text/plain; version=0.0.4; charset=utf-8",
          .body = service.metrics().text(service.worker().counts())};
}

}  // namespace heed::server

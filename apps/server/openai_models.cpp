// GET /v1/models and /v1/models/{id}.

#include <nlohmann/json.hpp>

#include "apps/server/json_text.h"
#include "apps/server/route.h"

namespace heed::server {
namespace {

Json listed_model(const ServedModel& model) {
  return {{"id", model.id}, {"object", "model"}, {"created", model.created}, {"owned_by", "heed"}};
}

}  // namespace

HttpAnswer get_openai_models(Service& service, const Call& /*call*/) {
  Json page{{"object", "list"}, {"data", Json::array()}};
  for (const ServedModel& model : service.models()) page["data"].push_back(listed_model(model));
  return {.body = page.dump() + "\n"};
}

HttpAnswer get_openai_model(Service& service, const Call& call) {
  return {.body = listed_model(service.model(call.id)).dump() + "\n"};
}

}  // namespace heed::server

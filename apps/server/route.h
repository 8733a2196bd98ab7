// The table of endpoints. Each has a function, in a file named after it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "apps/server/http.h"
#include "apps/server/service.h"

namespace heed::server {

// A request to an endpoint.
struct Call {
  const HttpRequest& http;
  const nlohmann::json& body;  // an object; empty for GET
  std::string id = {};         // what stands for {id} in the path
};

using Endpoint = HttpAnswer (*)(Service& service, const Call& call);

struct Route {
  const char* method;
  const char* path;  // may have one {id}
  Endpoint endpoint;
  bool is_open = false;  // no key is wanted
};

std::span<const Route> routes();

// The page and the state of the server.
HttpAnswer get_page(Service& service, const Call& call);
HttpAnswer get_health(Service& service, const Call& call);
HttpAnswer get_metrics(Service& service, const Call& call);

// OpenAI's endpoints.
HttpAnswer get_openai_models(Service& service, const Call& call);
HttpAnswer get_openai_model(Service& service, const Call& call);
HttpAnswer post_completions(Service& service, const Call& call);
HttpAnswer post_chat_completions(Service& service, const Call& call);
HttpAnswer post_embeddings(Service& service, const Call& call);

// heed's own endpoints.
HttpAnswer get_models(Service& service, const Call& call);
HttpAnswer post_tokenize(Service& service, const Call& call);
HttpAnswer post_generate(Service& service, const Call& call);
HttpAnswer post_translate(Service& service, const Call& call);
HttpAnswer post_classify(Service& service, const Call& call);
HttpAnswer post_tag(Service& service, const Call& call);
HttpAnswer post_score(Service& service, const Call& call);
HttpAnswer post_attention(Service& service, const Call& call);
HttpAnswer post_hidden(Service& service, const Call& call);
HttpAnswer post_walk(Service& service, const Call& call);
HttpAnswer post_regress(Service& service, const Call& call);
HttpAnswer post_masked_softmax(Service& service, const Call& call);
HttpAnswer post_scaled_softmax(Service& service, const Call& call);
HttpAnswer post_score_variance(Service& service, const Call& call);
HttpAnswer post_positions(Service& service, const Call& call);
HttpAnswer post_query(Service& service, const Call& call);
HttpAnswer post_self_attention(Service& service, const Call& call);
HttpAnswer get_runs(Service& service, const Call& call);
HttpAnswer get_run(Service& service, const Call& call);
HttpAnswer get_run_probe(Service& service, const Call& call);

}  // namespace heed::server

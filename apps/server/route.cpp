#include "apps/server/route.h"

namespace heed::server {

std::span<const Route> routes() {
  static const Route kRoutes[] = {
      {"GET", "/", get_page, true},
      {"GET", "/health", get_health, true},
      {"GET", "/metrics", get_metrics},
      {"GET", "/v1/models", get_openai_models},
      {"GET", "/v1/models/{id}", get_openai_model},
      {"POST", "/v1/completions", post_completions},
      {"POST", "/v1/chat/completions", post_chat_completions},
      {"POST", "/v1/embeddings", post_embeddings},
      {"GET", "/api/models", get_models},
      {"POST", "/api/tokenize", post_tokenize},
      {"POST", "/api/generate", post_generate},
      {"POST", "/api/translate", post_translate},
      {"POST", "/api/classify", post_classify},
      {"POST", "/api/tag", post_tag},
      {"POST", "/api/score", post_score},
      {"POST", "/api/attention", post_attention},
      {"POST", "/api/hidden", post_hidden},
      {"POST", "/api/walk", post_walk},
      {"POST", "/api/regress", post_regress},
      {"POST", "/api/learn/masked-softmax", post_masked_softmax},
      {"POST", "/api/learn/scaled-softmax", post_scaled_softmax},
      {"POST", "/api/learn/score-variance", post_score_variance},
      {"POST", "/api/learn/positions", post_positions},
      {"POST", "/api/learn/query", post_query},
      {"POST", "/api/learn/self-attention", post_self_attention},
      {"GET", "/api/runs", get_runs},
      {"GET", "/api/runs/{id}", get_run},
      {"GET", "/api/runs/{id}/probe", get_run_probe},
  };
  return kRoutes;
}

}  // namespace heed::server

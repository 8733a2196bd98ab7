// POST /api/hidden: states of the layers.

#include <fmt/format.h>

#include "apps/server/api_error.h"
#include "apps/server/fields.h"
#include "apps/server/json_text.h"
#include "apps/server/route.h"
#include "heed/pipeline/read.h"

namespace heed::server {
namespace {

constexpr int64_t kMaxStates = 4 << 20;

}  // namespace

HttpAnswer post_hidden(Service& service, const Call& call) {
  Fields fields(call.body);
  const Pipeline& pipeline = service.model(fields.text("model", "")).pipeline;
  const std::string text = fields.text("text");
  EmbedOptions options;
  options.layers = fields.integers("layers", 256, {kEmbeddingLayer, 1 << 16});
  const std::string pool = fields.one_of("pool", "none", {"none", "mean", "cls"});
  fields.reject_unknown_fields();
  options.pool = pool == "none"   ? EmbedPool::none
                 : pool == "mean" ? EmbedPool::mean
                                  : EmbedPool::cls;
  const std::vector<int32_t> ids = read_source(pipeline, text).ids;
  if (ids.empty()) fields.refuse("text", "the text is empty");
  Tensor states;
  service.compute(call.http, [&] { states = pipeline.embed(text, options); });
  if (states.size() > kMaxStates) {
    throw ApiError(400, fmt::format("these are {} numbers, more than {} for one answer; ask for "
                                    "fewer layers, or pool",
                                    states.size(), kMaxStates));
  }
  Json shape = Json::array();
  for (int axis = 0; axis < states.rank(); ++axis) shape.push_back(states.dim(axis));
  return json_answer({{"tokens", tokens_json(pipeline.tokenizer(), ids)},
                      {"shape", shape},
                      {"values", tensor_json(states)}});
}

}  // namespace heed::server

// POST /v1/embeddings.

#include <fmt/format.h>

#include <cmath>

#include "apps/server/api_error.h"
#include "apps/server/base64.h"
#include "apps/server/openai_generation.h"
#include "apps/server/route.h"
#include "heed/pipeline/read.h"
#include "heed/run/special_tokens.h"
#include "heed/run/text_ids.h"

namespace heed::server {
namespace {

// The texts as the model reads them. OpenAI's clients know the code of one that is too long, and
// would not know of one that was cut.
std::vector<std::vector<int32_t>> whole_texts(const Pipeline& pipeline, Fields& fields) {
  const RunConfig& config = pipeline.run().config;
  const SpecialTokens special = special_tokens_of(config, pipeline.tokenizer());
  const int64_t max_length = longest_text(config, special);
  std::vector<std::vector<int32_t>> sequences;
  for (const std::string& text : fields.texts("input", 2048)) {
    const std::vector<int32_t> ids = text_ids(config, pipeline.tokenizer(), text);
    if (ids.empty()) fields.refuse("input", "a text is empty");
    if (max_length > 0 && static_cast<int64_t>(ids.size()) > max_length) {
      throw ApiError(400,
                     fmt::format("input: text {} has {} tokens, but the model reads {} at most; "
                                 "send it in parts",
                                 sequences.size() + 1, ids.size(), max_length),
                     "input", "context_length_exceeded");
    }
    sequences.push_back(special.around(ids));
  }
  return sequences;
}

// x / |x|: inner products of such vectors are cosines, which is what users of the API compare by.
Tensor with_length_one(const Tensor& vector) {
  Tensor result = vector.to(DType::f32).clone();
  float* x = result.data<float>();
  double squares = 0;
  for (int64_t c = 0; c < result.size(); ++c) squares += static_cast<double>(x[c]) * x[c];
  if (squares == 0) return result;
  const double length = std::sqrt(squares);
  for (int64_t c = 0; c < result.size(); ++c) x[c] = static_cast<float>(x[c] / length);
  return result;
}

}  // namespace

HttpAnswer post_embeddings(Service& service, const Call& call) {
  Fields fields(call.body);
  const ServedModel& model = service.model(fields.text("model", ""));
  if (!fields.has("input")) fields.refuse("input", "expected a string, but the field is missing");
  const bool as_bytes = fields.one_of("encoding_format", "float", {"float", "base64"}) == "base64";
  const int64_t width = fields.integer("dimensions", -1, {0, 1 << 30});
  const std::vector<std::vector<int32_t>> sequences = whole_texts(model.pipeline, fields);
  int64_t read = 0;
  for (const auto& one : sequences) read += static_cast<int64_t>(one.size());
  std::vector<Tensor> vectors;
  service.compute(call.http, [&] { vectors = embed_ids(model.pipeline, sequences, {}); });
  service.metrics().count_tokens(read, 0);
  Json page{{"object", "list"}, {"data", Json::array()}, {"model", model.id}};
  for (size_t i = 0; i < vectors.size(); ++i) {
    const Tensor vector = with_length_one(vectors[i]);
    if (width >= 0 && width != vector.size()) {
      fields.refuse("dimensions", fmt::format("the vectors of this model have {} numbers; leave it "
                                              "out, for heed does not shorten them",
                                              vector.size()));
    }
    page["data"].push_back({{"object", "embedding"},
                            {"index", i},
                            {"embedding", as_bytes ? Json(base64(vector)) : tensor_json(vector)}});
  }
  page["usage"] = {{"prompt_tokens", read}, {"total_tokens", read}};
  return json_answer(page);
}

}  // namespace heed::server

// POST /v1/embeddings.

#include "apps/server/base64.h"
#include "apps/server/openai_writing.h"
#include "apps/server/route.h"

namespace heed::server {

HttpAnswer post_embeddings(Service& service, const Call& call) {
  Fields fields(call.body);
  const ServedModel& model = service.model(fields.text("model", ""));
  if (!fields.has("input")) fields.refuse("input", "expected a string, but the field is missing");
  const std::vector<std::string> texts = fields.texts("input", 2048);
  const bool as_bytes = fields.one_of("encoding_format", "float", {"float", "base64"}) == "base64";
  int64_t read = 0;
  for (const std::string& text : texts) {
    const auto ids = model.pipeline.tokenizer().encode(text, SpecialNames::are_text);
    if (ids.empty()) fields.refuse("input", "a text is empty");
    read += static_cast<int64_t>(ids.size());
  }
  std::vector<Tensor> vectors;
  service.compute(call.http, [&] { vectors = model.pipeline.embed(texts); });
  service.metrics().count_tokens(read, 0);
  Json page{{"object", "list"}, {"data", Json::array()}, {"model", model.id}};
  for (size_t i = 0; i < vectors.size(); ++i) {
    const Tensor vector = vectors[i].to(DType::f32).contiguous();
    page["data"].push_back({{"object", "embedding"},
                            {"index", i},
                            {"embedding", as_bytes ? Json(base64(vector)) : tensor_json(vector)}});
  }
  page["usage"] = {{"prompt_tokens", read}, {"total_tokens", read}};
  return json_answer(page);
}

}  // namespace heed::server

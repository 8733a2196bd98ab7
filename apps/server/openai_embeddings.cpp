// POST /v1/embeddings.

#include <cstring>

#include "apps/server/openai_writing.h"
#include "apps/server/route.h"

namespace heed::server {
namespace {

std::string base64(const std::string& bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63u];
    }
  }
  return text;
}

// The numbers as little-endian float32, which is what this machine has.
std::string bytes_of(const Tensor& vector) {
  std::string bytes(static_cast<size_t>(vector.size()) * sizeof(float), '\0');
  std::memcpy(bytes.data(), vector.data<float>(), bytes.size());
  return bytes;
}

}  // namespace

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
    page["data"].push_back(
        {{"object", "embedding"},
         {"index", i},
         {"embedding", as_bytes ? Json(base64(bytes_of(vector))) : tensor_json(vector)}});
  }
  page["usage"] = {{"prompt_tokens", read}, {"total_tokens", read}};
  return json_answer(page);
}

}  // namespace heed::server

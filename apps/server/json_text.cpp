#include "apps/server/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "heed/text/token_text.h"
#include "heed/text/utf8.h"

namespace heed::server {
namespace {

template <typename T>
Json nested(const T* values, const Shape& shape, int axis, int64_t columns) {
  const bool is_last = axis + 1 >= shape.rank();
  const int64_t count = shape.rank() == 0 ? 1 : shape[axis];
  int64_t step = 1;
  for (int a = axis + 1; a < shape.rank(); ++a) step *= shape[a];
  const int64_t shown = is_last && columns > 0 ? std::min(columns, count) : count;
  Json list = Json::array();
  for (int64_t i = 0; i < shown; ++i) {
    list.push_back(is_last ? number_json(values[i])
                           : nested(values + i * step, shape, axis + 1, columns));
  }
  return list;
}

}  // namespace

std::string dump(const Json& page) {
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpAnswer json_answer(const Json& page) { return {.body = dump(page) + "\n"}; }

Json number_json(float value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == 0 || value == 1) return static_cast<int>(value);
  return std::strtod(fmt::format("{}", value).c_str(), nullptr);
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json tensor_json(const Tensor& tensor, int64_t columns) {
  if (tensor.dtype() == DType::f64) {
    const Tensor values = tensor.contiguous();
    return nested(values.data<double>(), values.shape(), 0, columns);
  }
  const Tensor values = tensor.to(DType::f32).contiguous();
  return nested(values.data<float>(), values.shape(), 0, columns);
}

Json bytes_json(const std::string& text) {
  Json bytes = Json::array();
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

Json token_json(const Tokenizer& tokenizer, int32_t id) {
  const bool is_known = id >= 0 && id < tokenizer.size();
  const std::string text = token_text(tokenizer, id);
  Json page{
      {"id", id}, {"token", is_known ? tokenizer.token(id) : std::to_string(id)}, {"text", text}};
  if (valid_utf8_bytes(text) < text.size()) page["bytes"] = bytes_json(text);
  return page;
}

Json tokens_json(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  Json list = Json::array();
  for (const int32_t id : ids) list.push_back(token_json(tokenizer, id));
  return list;
}

}  // namespace heed::server

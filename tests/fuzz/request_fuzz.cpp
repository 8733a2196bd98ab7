// Any body of a request either gives an object whose fields can be read in every way, or an
// ApiError with a message that can be sent.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/server/api_error.h"
#include "apps/server/fields.h"
#include "apps/server/parse_request.h"

namespace {

using heed::server::ApiError;
using heed::server::Fields;

// Calls f; an ApiError is an answer like any other.
template <typename F>
void attempt(const F& f) {
  try {
    f();
  } catch (const ApiError& error) {
    const auto page = nlohmann::json::parse(heed::server::error_body(error));
    if (!page["error"]["message"].is_string() || error.status() < 400) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  attempt([&] {
    const nlohmann::json request =
        heed::server::parse_request(std::string_view(reinterpret_cast<const char*>(data), size));
    for (const auto& [name, value] : request.items()) {
      const std::string& key = name;
      Fields fields(request);
      attempt([&] { fields.text(key); });
      attempt([&] { fields.integer(key, 1, {-5, 1000}); });
      attempt([&] { fields.number(key, 1, {-1e9, 1e9}); });
      attempt([&] { fields.flag(key, true); });
      attempt([&] { fields.one_of(key, "a", {"a", "b"}); });
      attempt([&] { fields.texts(key, 8); });
      attempt([&] { fields.wholes(key, 8, {-5, 1000}); });
      attempt([&] { fields.numbers(key, 8); });
      attempt([&] { fields.rows(key, 64); });
      attempt([&] {
        if (auto inner = fields.object(key)) inner->reject_unknown_fields();
      });
      attempt([&] { fields.reject_unknown_fields(); });
    }
  });
  return 0;
}

// Hears which fields the endpoints ask a request for: what tests/server/openapi_test.cpp compares
// with docs/openapi.json.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace heed::server {

struct AskedField {
  std::string name;  // with the objects that it is inside: "attention.head"
  // text, whole, number, flag, texts, wholes, numbers, rows, object; any: the endpoint looks at the
  // value itself.
  std::string kind;
  nlohmann::json otherwise = {};          // what counts if the field is missing; null: nothing
  std::vector<std::string> allowed = {};  // texts; empty: all
  std::optional<double> min = {}, max = {};
};

// Told of what the thread that makes it asks for, as long as it lives.
class FieldListener {
 public:
  using Hear = std::function<void(const AskedField&)>;

  explicit FieldListener(Hear hear);
  ~FieldListener();
  FieldListener(const FieldListener&) = delete;
  FieldListener& operator=(const FieldListener&) = delete;

 private:
  friend class Fields;
  static thread_local const Hear* current;

  Hear hear_;
};

}  // namespace heed::server

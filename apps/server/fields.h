// Reads the fields of a request. A field that is missing, has another type or is out of range is an
// ApiError that names it; null counts as missing.
//
//   Fields fields(request);
//   const std::string text = fields.text("text");
//   const int64_t top = fields.integer("top", 0, {0, 100});
//   fields.reject_unknown_fields();
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace heed::server {

struct AskedField;

class Fields {
 public:
  // `prefix` stands before the names in messages: "attention.".
  explicit Fields(const nlohmann::json& object, std::string prefix = {});

  struct IntegerRange {
    int64_t min, max;
  };
  struct RealRange {
    double min, max;
  };

  bool has(const std::string& name);
  std::string text(const std::string& name);
  std::string text(const std::string& name, const std::string& otherwise);
  std::string one_of(const std::string& name, const std::string& otherwise,
                     const std::vector<std::string>& allowed);
  int64_t integer(const std::string& name, int64_t otherwise, IntegerRange range);
  double number(const std::string& name, double otherwise, RealRange range);
  bool flag(const std::string& name, bool otherwise);

  // A text, or a list of up to `max` texts; empty if the field is missing.
  std::vector<std::string> texts(const std::string& name, size_t max);
  std::vector<int64_t> integers(const std::string& name, size_t max, IntegerRange range);
  std::vector<double> numbers(const std::string& name, size_t max);
  std::vector<std::vector<double>> rows(const std::string& name, size_t max_numbers);
  // An object inside; none if it is missing.
  std::optional<Fields> object(const std::string& name);
  // The field itself; null if it is missing.
  const nlohmann::json& value(const std::string& name);

  // An ApiError if the object has a field that was not asked for.
  void reject_unknown_fields() const;

  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;

 private:
  const nlohmann::json& ask(AskedField field);

  const nlohmann::json* object_;
  std::string prefix_;
  std::set<std::string> known_;
};

}  // namespace heed::server

// config.json and its like, of other programs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace heed {

using Json = nlohmann::json;

// An object, from a file of at most 64 MB.
Json read_json_file(const std::string& path);

// The fields of a config.json; absent or null ones have the default that its program gives them.
class ForeignConfig {
 public:
  explicit ForeignConfig(const std::string& path) : path_(path), json_(read_json_file(path)) {}

  int64_t integer(const char* name) const;  // it must be there, and positive
  int64_t integer(const char* name, int64_t if_absent) const;
  double real(const char* name, double if_absent) const;
  bool flag(const char* name, bool if_absent) const;
  std::string text(const char* name, const std::string& if_absent) const;

  ForeignConfig object(const char* name) const;  // it must be there

  // ["a", "b"]; empty if it is absent.
  std::vector<std::string> list(const char* name) const;
  // {"0": "a", "1": "b"} in order, without a gap; empty if it is absent.
  std::vector<std::string> by_number(const char* name) const;

  bool has(const char* name) const { return json_.contains(name) && !json_[name].is_null(); }
  // Fields that change what the model computes in a way that heed does not have.
  void refuse(const char* name, bool is_set) const;

  const std::string& path() const { return path_; }

 private:
  ForeignConfig(std::string path, Json json) : path_(std::move(path)), json_(std::move(json)) {}

  std::string path_;
  Json json_;
};

}  // namespace heed

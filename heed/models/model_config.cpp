#include "heed/models/model_config.h"

#include <nlohmann/json.hpp>
#include <set>

#include "heed/base/fail.h"
#include "heed/base/json_nesting.h"
#include "heed/models/fields_internal.h"
#include "heed/models/rnn_seq2seq.h"
#include "heed/models/transformer.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
void write(Json& json, const char* name, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    json[name] = std::string(name_of(value));
  } else {
    json[name] = value;
  }
}

template <typename E>
E enum_of(const std::string& text, const char* name) {
  E value{};
  if (read_name(text, value)) return value;
  std::string known;
  for (const std::string_view one : names_of(value)) {
    known += (known.empty() ? "" : ", ") + std::string(one);
  }
  fail("config.json: {} is \"{}\", expected one of {}", name, text, known);
}

template <typename T>
void read(const Json& json, const char* name, T& value) {
  const auto found = json.find(name);
  if (found == json.end()) return;  // the default
  if constexpr (std::is_enum_v<T>) {
    check(found->is_string(), "config.json: {} must be a string, got {}", name, found->dump());
    value = enum_of<T>(found->get<std::string>(), name);
  } else if constexpr (std::is_same_v<T, bool>) {
    check(found->is_boolean(), "config.json: {} must be true or false, got {}", name,
          found->dump());
    value = found->get<bool>();
  } else if constexpr (std::is_same_v<T, int64_t>) {
    check(found->is_number_integer() &&
              (!found->is_number_unsigned() || found->get<uint64_t>() < (uint64_t{1} << 62)),
          "config.json: {} must be a whole number, got {}", name, found->dump());
    value = found->get<int64_t>();
  } else {
    check(found->is_number(), "config.json: {} must be a number, got {}", name, found->dump());
    value = found->get<double>();
  }
}

template <typename Config>
Config read_config(const Json& json) {
  Config config;
  std::set<std::string> known = {"type"};
  for_each_field(config, [&](const char* name, auto& field) {
    known.insert(name);
    read(json, name, field);
  });
  for (const auto& item : json.items()) {
    check(known.contains(item.key()), "config.json: a model of type {} has no field \"{}\"",
          type_name(config), item.key());
  }
  validate(config);
  return config;
}

std::unique_ptr<Model> make(const TransformerConfig& config, ParameterSource source) {
  return std::make_unique<Transformer>(config, std::move(source));
}

std::unique_ptr<Model> make(const RnnConfig& config, ParameterSource source) {
  return std::make_unique<RnnSeq2seq>(config, std::move(source));
}

}  // namespace

int64_t vocabulary_of(const ModelConfig& config) {
  if (const auto* rnn = std::get_if<RnnConfig>(&config)) return rnn->target_vocabulary;
  return std::get<TransformerConfig>(config).vocabulary;
}

std::unique_ptr<Model> make_model(const ModelConfig& config, ParameterSource source) {
  return std::visit([&](const auto& own) { return make(own, std::move(source)); }, config);
}

std::string to_json(const ModelConfig& config) {
  return std::visit(
      [](const auto& own) {
        Json json{{"type", type_name(own)}};
        for_each_field(own, [&](const char* name, const auto& field) { write(json, name, field); });
        return json.dump();
      },
      config);
}

ModelConfig model_config_from_json(std::string_view text) {
  check_nesting(text, "config.json");
  const Json json = Json::parse(text, nullptr, false);
  check(json.is_object(), "config.json: the model must be a JSON object");
  const auto type = json.find("type");
  check(type != json.end() && type->is_string(), "config.json: the model has no type");
  if (*type == type_name(TransformerConfig())) return read_config<TransformerConfig>(json);
  if (*type == type_name(RnnConfig())) return read_config<RnnConfig>(json);
  fail("config.json: unknown type of model {}, expected transformer or rnn", type->dump());
}

}  // namespace heed

#include <filesystem>

#include "heed/base/fail.h"
#include "heed/convert/special_tokens_internal.h"
#include "heed/text/bos_eos.h"
#include "heed/text/tokenizer_parts.h"

namespace heed {
namespace {

Json json_or_empty(const std::string& path) {
  return std::filesystem::exists(path) ? read_json_file(path) : Json::object();
}

// An id or a list of ids, of which those count that are tokens.
std::vector<int32_t> ids_of(const Json& value, const Tokenizer& tokenizer) {
  std::vector<int32_t> ids;
  for (const Json& one : value.is_array() ? value : Json::array({value})) {
    if (!one.is_number_unsigned() || one.get<uint64_t>() >= uint64_t(tokenizer.size())) continue;
    ids.push_back(one.get<int32_t>());
  }
  return ids;
}

// What tokenizer_config.json names comes before the ids of the model.
void set_text_ends(const std::string& folder, const Json& tokenizer_config,
                   ConvertedModel& result) {
  const Tokenizer& tokenizer = *result.tokenizer;
  BosEos ends;
  std::vector<int32_t> ends_of_model;
  for (const char* file : {"/generation_config.json", "/config.json"}) {
    const Json json = json_or_empty(folder + file);
    const std::vector<int32_t> bos = ids_of(json.value("bos_token_id", Json()), tokenizer);
    const std::vector<int32_t> eos = ids_of(json.value("eos_token_id", Json()), tokenizer);
    if (!ends.bos && !bos.empty()) ends.bos = bos[0];
    if (ends_of_model.empty()) ends_of_model = eos;
  }
  if (!ends_of_model.empty()) ends.eos = ends_of_model[0];
  const BosEos named = read_bos_eos(tokenizer_config, folder + "/" + kTokenizerConfig, tokenizer);
  if (named.bos) ends.bos = named.bos;
  if (named.eos) ends.eos = named.eos;
  for (const int32_t id : ends_of_model) {
    if (id == ends.eos) continue;
    result.notes.push_back(
        fmt::format("a text ends at {}; at {}, which the model's files name too, "
                    "it goes on",
                    tokenizer.token(*ends.eos), tokenizer.token(id)));
  }
  result.tokenizer = with_bos_eos(result.tokenizer, ends);
}

// Finds {"type": "TemplateProcessing", ..}, which may stand in a sequence of processors; null if
// there is none.
Json text_template(const Json& processor) {
  if (!processor.is_object()) return {};
  if (processor.value("type", Json()) == "TemplateProcessing") return processor;
  for (const Json& one : processor.value("processors", Json::array())) {
    if (Json found = text_template(one); !found.is_null()) return found;
  }
  return {};
}

// {"single": [{"SpecialToken": {"id": "<s>", ..}}, {"Sequence": {"id": "A", ..}}, ..], ..}: what
// stands before a text; empty: nothing.
std::string token_before(const Json& form, const std::string& path) {
  const Json parts = form.value("single", Json());
  check(parts.is_array(), "{}: \"single\" of the post_processor must be a list", path);
  std::string before;
  for (const Json& part : parts) {
    if (!part.is_object() || !part.contains("SpecialToken")) break;
    check(before.empty(), "{}: heed puts one token before a text, the post_processor more: {}",
          path, parts.dump());
    const Json& token = part["SpecialToken"];
    check(token.is_object() && token.value("id", Json()).is_string(),
          "{}: a special token of the post_processor has no id", path);
    before = token["id"].get<std::string>();
  }
  return before;
}

std::string begin_of(const std::string& folder, const std::string& type,
                     const Json& tokenizer_config, const Tokenizer& tokenizer) {
  const auto& bos = tokenizer.specials().bos;
  const std::string name = bos ? tokenizer.token(*bos) : "";
  const Json wanted = tokenizer_config.value("add_bos_token", Json());
  check(wanted.is_null() || wanted.is_boolean(),
        "{}/tokenizer_config.json: \"add_bos_token\" must be true or false, got {}", folder,
        wanted.dump());
  if (wanted.is_boolean()) return wanted.get<bool>() ? name : "";
  const std::string path = folder + "/tokenizer.json";
  const Json form = text_template(json_or_empty(path).value("post_processor", Json()));
  if (!form.is_null()) {
    std::string before = token_before(form, path);
    check(before.empty() || tokenizer.find(before),
          "{}: the post_processor puts \"{}\" before a text, which is not a token", path, before);
    return before;
  }
  const bool has_pieces = tokenizer.kind() == TokenizerKind::unigram ||
                          tokenizer.kind() == TokenizerKind::sentencepiece_bpe;
  return has_pieces && type != "gpt2" ? name : "";
}

}  // namespace

void set_special_tokens(const std::string& folder, const ForeignConfig& config,
                        ConvertedModel& result) {
  const std::string type = config.text("model_type", "");
  if (type != "bert") {
    const Json tokenizer_config = json_or_empty(folder + "/" + kTokenizerConfig);
    set_text_ends(folder, tokenizer_config, result);
    result.config.begin = begin_of(folder, type, tokenizer_config, *result.tokenizer);
    return;
  }
  const Tokenizer& tokenizer = *result.tokenizer;
  const SpecialIds& ids = tokenizer.specials();
  check(ids.cls && ids.separator,
        "{}: the tokenizer has no [CLS] or no [SEP], which BERT reads around a text", folder);
  result.config.begin = tokenizer.token(*ids.cls);
  result.config.end = tokenizer.token(*ids.separator);
}

}  // namespace heed

#include "heed/convert/hugging_face.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/fail.h"
#include "heed/convert/json_file_internal.h"
#include "heed/convert/layouts_internal.h"
#include "heed/convert/special_tokens_internal.h"

namespace heed {
namespace {

// Buffers that are no weights: masks and tables that can be computed.
bool is_buffer(const std::string& name) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") ||
         name.ends_with(".rotary_emb.inv_freq") || name.ends_with("embeddings.position_ids") ||
         name.ends_with("embeddings.token_type_ids");
}

// Llama's tokenizer.model says all; its tokenizer.json is a rendering of it.
std::shared_ptr<const Tokenizer> tokenizer_of(const std::string& folder) {
  const std::string pieces = folder + "/tokenizer.model";
  return load_tokenizer(std::filesystem::exists(pieces) ? pieces : folder);
}

// Tables are often padded to a round number of rows that no token has.
void drop_padding(ConvertedModel& result) {
  auto& model = std::get<TransformerConfig>(result.config.model);
  const int64_t size = result.tokenizer->size();
  check(size <= model.vocabulary, "the tokenizer has {} tokens, the model only {}", size,
        model.vocabulary);
  if (size == model.vocabulary) return;
  result.notes.push_back(
      fmt::format("left out {} rows of the vocabulary that no token has", model.vocabulary - size));
  for (NamedTensor& weight : result.weights) {
    if (weight.name == "tokens.table") weight.tensor = weight.tensor.slice(0, 0, size).clone();
    const bool is_by_token = model.head == HeadKind::next_token && weight.name == "output.weight";
    if (is_by_token) weight.tensor = weight.tensor.slice(1, 0, size).clone();
  }
  model.vocabulary = size;
}

// The chat template of tokenizer_config.json: a Jinja text, or several, of which "default" counts.
void set_chat(const std::string& folder, ConvertedModel& result) {
  const std::string path = folder + "/tokenizer_config.json";
  if (!std::filesystem::exists(path)) return;
  const Json json = read_json_file(path);
  std::string jinja;
  const Json found = json.value("chat_template", Json());
  if (found.is_string()) jinja = found.get<std::string>();
  for (const Json& one : found.is_array() ? found : Json::array()) {
    const bool is_text = one.is_object() && one.contains("template") && one["template"].is_string();
    if (is_text && (jinja.empty() || one.value("name", Json()) == "default")) {
      jinja = one["template"].get<std::string>();
    }
  }
  if (jinja.empty()) return;
  try {
    result.config.chat = chat_template_from_jinja(jinja, *result.tokenizer);
    result.notes.push_back("chat template: " + result.config.chat.name);
  } catch (const Error& error) {
    result.notes.push_back(
        fmt::format("warning: its chat template cannot be used: {}; finetuning with a `template` "
                    "gives it another",
                    error.what()));
  }
}

// What a model has beside the part that heed uses: the pooler of an encoder alone, the heads that
// it was trained with.
bool is_other_head(const std::string& type, const std::string& name) {
  return type == "bert" && (name.starts_with("cls.") || name.starts_with("pooler.") ||
                            name.starts_with("bert.pooler."));
}

}  // namespace

ConvertedModel convert_hugging_face(const std::string& folder) {
  check(std::filesystem::exists(folder + "/config.json"),
        "{} is not a model of Hugging Face: it has no config.json", folder);
  const ForeignConfig config(folder + "/config.json");
  const std::string type = config.text("model_type", "");
  const auto convert = type == "bert"                         ? convert_bert
                       : type == "gpt2"                       ? convert_gpt2
                       : type == "llama" || type == "mistral" ? convert_llama
                                                              : nullptr;
  check(convert != nullptr,
        "{}: the model type \"{}\" is not supported; there are bert, gpt2, llama and mistral",
        config.path(), type);
  config.refuse("quantization_config", config.has("quantization_config"));
  ForeignWeights weights = ForeignWeights::open(folder);
  ConvertedModel result;
  result.config.settings.task = Task::lm;
  result.config.settings.model = ModelKind::decoder;
  convert(config, weights, result);
  int64_t heads = 0;
  for (const std::string& name : weights.left()) {
    const bool is_tied_copy = name == "lm_head.weight";
    if (is_other_head(type, name)) {
      ++heads;
      continue;
    }
    check(is_buffer(name) || is_tied_copy, "{}: heed has no place for the weight \"{}\"", folder,
          name);
  }
  if (heads > 0) {
    result.notes.push_back(
        fmt::format("left out {} weights of heads (masked words, next sentence, "
                    "pooler) that the states do not need",
                    heads));
  }
  result.tokenizer = tokenizer_of(folder);
  drop_padding(result);
  set_special_tokens(folder, config, result);
  if (result.config.settings.task == Task::lm) set_chat(folder, result);
  return result;
}

}  // namespace heed

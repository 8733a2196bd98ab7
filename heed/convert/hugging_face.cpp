#include "heed/convert/hugging_face.h"

#include <algorithm>
#include <filesystem>

#include "heed/base/fail_internal.h"
#include "heed/convert/layouts_internal.h"

namespace heed {
namespace {

// Buffers that are no weights: masks and tables that can be computed.
bool is_buffer(const std::string& name) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") ||
         name.ends_with(".rotary_emb.inv_freq");
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
    if (weight.name == "output.weight") weight.tensor = weight.tensor.slice(1, 0, size).clone();
  }
  model.vocabulary = size;
}

// Llama's tokenizer puts its begin before every text, unless tokenizer_config.json says otherwise.
std::string begin_of(const std::string& folder, const Tokenizer& tokenizer, bool by_default) {
  bool wanted = by_default;
  const std::string path = folder + "/tokenizer_config.json";
  if (std::filesystem::exists(path)) {
    wanted = ForeignConfig(path).flag("add_bos_token", by_default);
  }
  const auto& bos = tokenizer.specials().bos;
  return wanted && bos ? tokenizer.token(*bos) : "";
}

}  // namespace

ConvertedModel convert_hugging_face(const std::string& folder) {
  check(std::filesystem::exists(folder + "/config.json"),
        "{} is not a model of Hugging Face: it has no config.json", folder);
  const ForeignConfig config(folder + "/config.json");
  const std::string type = config.text("model_type", "");
  const bool is_llama = type == "llama" || type == "mistral";
  check(is_llama || type == "gpt2",
        "{}: the model type \"{}\" is not supported; there are gpt2, llama and mistral",
        config.path(), type);
  config.refuse("quantization_config", config.has("quantization_config"));
  ForeignWeights weights = ForeignWeights::open(folder);
  ConvertedModel result;
  if (is_llama) {
    convert_llama(config, weights, result);
  } else {
    convert_gpt2(config, weights, result);
  }
  for (const std::string& name : weights.left()) {
    const bool is_tied_copy = name == "lm_head.weight";
    check(is_buffer(name) || is_tied_copy, "{}: heed has no place for the weight \"{}\"", folder,
          name);
  }
  result.config.settings.task = "lm";
  result.config.settings.model = "decoder";
  result.tokenizer = tokenizer_of(folder);
  drop_padding(result);
  result.config.begin = begin_of(folder, *result.tokenizer, is_llama);
  return result;
}

}  // namespace heed

// A tokenizer.json that Hugging Face's tokenizers read as well.

#include "heed/base/fail.h"
#include "heed/text/bpe_tokenizer_internal.h"
#include "heed/text/json.h"
#include "heed/text/vocabulary_file_internal.h"

namespace heed {
namespace {

std::string true_or_false(bool value) { return value ? "true" : "false"; }

std::string byte_level(bool prefix_space, bool use_regex) {
  return fmt::format(
      R"({{"type": "ByteLevel", "add_prefix_space": {}, "trim_offsets": true, "use_regex": {}}})",
      prefix_space, use_regex);
}

std::string pre_tokenizer(const BpeModel& model) {
  if (model.splits.size() == 1 && model.splits[0].pattern == kGpt2Pattern) {
    return byte_level(model.prefix_space, true);
  }
  std::string text = R"({"type": "Sequence", "pretokenizers": [)";
  for (const BpeSplit& split : model.splits) {
    const bool drops = split.gaps == SplitPattern::Gaps::drop;
    text += fmt::format(
        R"({{"type": "Split", "pattern": {{"Regex": {}}}, "behavior": "{}", "invert": {}}}, )",
        json_text(split.pattern), drops ? "Removed" : "Isolated", drops);
  }
  return text + byte_level(model.prefix_space, false) + "]}";
}

}  // namespace

std::string write_bpe(const BpeModel& model, const Vocabulary& vocabulary,
                      std::span<const BpeMerge> merges) {
  std::string text = "{\n  \"version\": \"1.0\",\n  \"truncation\": null,\n  \"padding\": null,\n";
  text += "  \"added_tokens\": [" + write_added(model.added) + "\n  ],\n";
  text += "  \"normalizer\": null,\n  \"pre_tokenizer\": " + pre_tokenizer(model) + ",\n";
  text += "  \"post_processor\": null,\n  \"decoder\": " + byte_level(true, true) + ",\n";
  text += "  \"model\": {\n    \"type\": \"BPE\",\n    \"dropout\": null,\n    \"unk_token\": " +
          (model.unknown ? json_text(vocabulary.token(*model.unknown)) : std::string("null")) +
          ",\n    \"continuing_subword_prefix\": null,\n    \"end_of_word_suffix\": null,\n"
          "    \"fuse_unk\": false,\n    \"byte_fallback\": false,\n    \"ignore_merges\": " +
          true_or_false(model.ignore_merges) + ",\n    \"vocab\": {";
  text += write_tokens(vocabulary.tokens());
  text += "\n    },\n    \"merges\": [";
  for (const BpeMerge& merge : merges) {
    const std::string pair =
        fmt::format("{} {}", vocabulary.token(merge.left), vocabulary.token(merge.right));
    text += fmt::format("{}\n      {}", &merge == merges.data() ? "" : ",", json_text(pair));
  }
  return text + "\n    ]\n  }\n}\n";
}

}  // namespace heed

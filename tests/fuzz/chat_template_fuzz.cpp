// Any text is a chat template that gives what its frames give, or a heed::Error, soon.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/error.h"
#include "heed/chat/chat_template.h"
#include "heed/chat/jinja_internal.h"

namespace {

const heed::Tokenizer& tokenizer() {
  static const auto made = heed::parse_tokenizer(
      R"({"format": 1, "type": "word", "specials": {"unk": 0, "bos": 1, "eos": 2},
          "tokens": ["<?>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", "a"]})",
      "fuzz");
  return *made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<heed::ChatMessage> talk = {
      {"system", " b "}, {"user", "<s>a\n"}, {"assistant", ""}, {"user", "a"}};
  try {
    heed::render_jinja(text, {.messages = talk, .bos = "<s>", .eos = "</s>"});
  } catch (const heed::Error&) {
  }
  try {
    const heed::ChatTemplate form = heed::chat_template_from_jinja(text, tokenizer());
    if (heed::chat_template_from_json(heed::to_json(form), "fuzz") != form) std::abort();
    const auto asked = std::span(talk).subspan(form.takes_system ? 0 : 1);
    const std::vector<int32_t> prompt = heed::encode_chat_prompt(form, tokenizer(), asked);
    const std::vector<int32_t> answer = heed::encode_answer(form, tokenizer(), asked, "a a");
    if (answer.empty() || answer.back() != heed::chat_end_token(form, tokenizer())) std::abort();
  } catch (const heed::Error&) {
  }
  return 0;
}

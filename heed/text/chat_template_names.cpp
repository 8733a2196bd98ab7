// The templates that are known by name, and by the marks of Hugging Face's Jinja texts.

#include <algorithm>
#include <utility>

#include "heed/base/fail_internal.h"
#include "heed/text/chat_template.h"

namespace heed {
namespace {

// A template with the tokenizer's own begin and end where the frames say {bos} and {eos}.
struct Known {
  ChatTemplate form;
  std::vector<std::string_view> marks;  // all occur in the Jinja text
};

const std::vector<Known>& known() {
  static const std::vector<Known> list = {
      {{.name = "heed",
        .system = {"{cls}", ""},
        .user = {"{bos}", "{sep}"},
        .assistant = {"", "{eos}"},
        .tokens = {"{cls}", "{bos}", "{sep}", "{eos}"}},
       {"<|sep|>", "<|cls|>"}},
      {{.name = "text",
        .system = {"", "\n\n"},
        .user = {"User: ", "\n"},
        .assistant = {"Assistant: ", "{eos}"},
        .tokens = {"{eos}"}},
       {"User: ", "Assistant: "}},
      {{.name = "llama3",
        .begin = "<|begin_of_text|>",
        .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
        .user = {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
        .assistant = {"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
        .tokens = {"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}},
       {"<|start_header_id|>", "<|eot_id|>"}},
      {{.name = "chatml",
        .system = {"<|im_start|>system\n", "<|im_end|>\n"},
        .user = {"<|im_start|>user\n", "<|im_end|>\n"},
        .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
        .tokens = {"<|im_start|>", "<|im_end|>"}},
       {"<|im_start|>", "<|im_end|>"}},
      {{.name = "llama2",
        .system = {"<<SYS>>\n", "\n<</SYS>>\n\n"},
        .user = {"{bos}[INST] ", " [/INST] "},
        .assistant = {"", "{eos}"},
        .system_in_user = true,
        .tokens = {"{bos}", "{eos}"}},
       {"[INST]", "[/INST]"}},
      {{.name = "phi3",
        .system = {"<|system|>\n", "<|end|>\n"},
        .user = {"<|user|>\n", "<|end|>\n"},
        .assistant = {"<|assistant|>\n", "<|end|>\n"},
        .tokens = {"<|system|>", "<|user|>", "<|assistant|>", "<|end|>"}},
       {"<|user|>", "<|assistant|>", "<|end|>"}},
      {{.name = "zephyr",
        .system = {"<|system|>\n", "{eos}\n"},
        .user = {"<|user|>\n", "{eos}\n"},
        .assistant = {"<|assistant|>\n", "{eos}\n"},
        .tokens = {"{eos}"}},
       {"<|user|>", "<|assistant|>", "eos_token"}},
      {{.name = "gemma",
        .begin = "{bos}",
        .system = {"", "\n\n"},
        .user = {"<start_of_turn>user\n", "<end_of_turn>\n"},
        .assistant = {"<start_of_turn>model\n", "<end_of_turn>\n"},
        .system_in_user = true,
        .tokens = {"{bos}", "<start_of_turn>", "<end_of_turn>"}},
       {"<start_of_turn>", "<end_of_turn>"}},
      {{.name = "alpaca",
        .system = {"", "\n\n"},
        .user = {"### Instruction:\n", "\n\n"},
        .assistant = {"### Response:\n", "{eos}"},
        .tokens = {"{eos}"}},
       {"### Instruction:", "### Response:"}},
  };
  return list;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Puts the tokenizer's tokens in; the name of one that it lacks otherwise.
std::optional<std::string> fill(ChatTemplate& form, const Tokenizer& tokenizer) {
  const SpecialIds& ids = tokenizer.specials();
  const std::pair<const char*, std::optional<int32_t>> specials[] = {
      {"{bos}", ids.bos}, {"{eos}", ids.eos}, {"{sep}", ids.separator}, {"{cls}", ids.cls}};
  for (const auto& [mark, id] : specials) {
    const bool is_used =
        std::find(form.tokens.begin(), form.tokens.end(), mark) != form.tokens.end();
    if (!is_used) continue;
    if (!id) return std::string(mark).substr(1, 3);
    const std::string& token = tokenizer.token(*id);
    for (std::string* text :
         {&form.begin, &form.system.before, &form.system.after, &form.user.before, &form.user.after,
          &form.assistant.before, &form.assistant.after}) {
      replace_all(*text, mark, token);
    }
    std::replace(form.tokens.begin(), form.tokens.end(), std::string(mark), token);
  }
  for (const std::string& token : form.tokens) {
    if (!tokenizer.find(token)) return token;
  }
  return std::nullopt;
}

}  // namespace

ChatTemplate named_chat_template(const std::string& name, const Tokenizer& tokenizer) {
  std::string names;
  for (const Known& one : known()) {
    names += (names.empty() ? "" : ", ") + one.form.name;
    if (one.form.name != name) continue;
    ChatTemplate form = one.form;
    const auto lacking = fill(form, tokenizer);
    check(!lacking, "the chat template {} needs the token {}, which the tokenizer does not have",
          name, lacking.value_or(""));
    return form;
  }
  fail("there is no chat template \"{}\"; there are {}", name, names);
}

ChatTemplate default_chat_template(const Tokenizer& tokenizer) {
  ChatTemplate form = known()[0].form;
  return fill(form, tokenizer) ? named_chat_template("text", tokenizer) : form;
}

std::optional<ChatTemplate> recognize_chat_template(std::string_view jinja,
                                                    const Tokenizer& tokenizer) {
  for (const Known& one : known()) {
    const bool all = std::all_of(one.marks.begin(), one.marks.end(), [&](std::string_view mark) {
      return jinja.find(mark) != std::string_view::npos;
    });
    ChatTemplate form = one.form;
    if (all && !fill(form, tokenizer)) return form;
  }
  return std::nullopt;
}

}  // namespace heed

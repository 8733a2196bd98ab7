// The templates that are known by name.

#include <algorithm>
#include <utility>

#include "heed/base/fail.h"
#include "heed/chat/chat_template_names_internal.h"

namespace heed {
namespace {

// The tokenizer's own begin and end stand where the frames say {bos} and {eos}.
const std::vector<ChatTemplate>& known() {
  static const std::vector<ChatTemplate> list = {
      {.name = "heed",
       .system = {"{cls}", ""},
       .user = {"{bos}", "{sep}"},
       .assistant = {"", "{eos}"},
       .tokens = {"{cls}", "{bos}", "{sep}", "{eos}"}},
      {.name = "text",
       .system = {"", "\n\n"},
       .user = {"User: ", "\n"},
       .assistant = {"Assistant: ", "{eos}"},
       .tokens = {"{eos}"}},
      {.name = "llama3",
       .begin = "<|begin_of_text|>",
       .system = {"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
       .user = {"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
       .assistant = {"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
       .trim = {.system = true, .user = true, .assistant = true},
       .tokens = {"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}},
      {.name = "chatml",
       .system = {"<|im_start|>system\n", "<|im_end|>\n"},
       .user = {"<|im_start|>user\n", "<|im_end|>\n"},
       .assistant = {"<|im_start|>assistant\n", "<|im_end|>\n"},
       .tokens = {"<|im_start|>", "<|im_end|>"}},
      {.name = "llama2",
       .system = {"<<SYS>>\n", "\n<</SYS>>\n\n"},
       .user = {"{bos}[INST] ", " [/INST]"},
       .assistant = {"", " {eos}"},
       .answer_begin = " ",
       .system_in_user = true,
       .trim = {.user = true, .assistant = true, .joined = true},
       .tokens = {"{bos}", "{eos}"}},
      {.name = "mistral",
       .begin = "{bos}",
       .user = {"[INST] ", " [/INST]"},
       .assistant = {"", "{eos}"},
       .takes_system = false,
       .tokens = {"{bos}", "{eos}"}},
      {.name = "phi3",
       .system = {"<|system|>\n", "<|end|>\n"},
       .user = {"<|user|>\n", "<|end|>\n"},
       .assistant = {"<|assistant|>\n", "<|end|>\n"},
       .tokens = {"<|system|>", "<|user|>", "<|assistant|>", "<|end|>"}},
      {.name = "zephyr",
       .system = {"<|system|>\n", "{eos}\n"},
       .user = {"<|user|>\n", "{eos}\n"},
       .assistant = {"<|assistant|>\n", "{eos}\n"},
       .tokens = {"{eos}"}},
      {.name = "gemma",
       .begin = "{bos}",
       .system = {"", "\n\n"},
       .user = {"<start_of_turn>user\n", "<end_of_turn>\n"},
       .assistant = {"<start_of_turn>model\n", "<end_of_turn>\n"},
       .system_in_user = true,
       .trim = {.user = true, .assistant = true},
       .tokens = {"{bos}", "<start_of_turn>", "<end_of_turn>"}},
      {.name = "alpaca",
       .system = {"", "\n\n"},
       .user = {"### Instruction:\n", "\n\n"},
       .assistant = {"### Response:\n", "{eos}"},
       .tokens = {"{eos}"}},
  };
  return list;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Every text of the template that stands around messages.
template <typename Template, typename Use>
void for_each_frame(Template& form, Use use) {
  for (auto* text : {&form.begin, &form.system.before, &form.system.after, &form.user.before,
                     &form.user.after, &form.assistant.before, &form.assistant.after}) {
    use(*text);
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
    const std::string_view from = mark;
    for_each_frame(form, [&](std::string& text) { replace_all(text, from, token); });
    std::replace(form.tokens.begin(), form.tokens.end(), std::string(mark), token);
  }
  for (const std::string& token : form.tokens) {
    if (!tokenizer.find(token)) return token;
  }
  add_frame_tokens(tokenizer, form);
  return std::nullopt;
}

void add_tokens_of(const std::string& text, const Tokenizer& tokenizer, ChatTemplate& form) {
  for (const auto& [open, close] : {std::pair{'<', '>'}, {'[', ']'}}) {
    for (size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + 1)) {
      const size_t end = text.find(close, at);
      if (end == std::string::npos) break;
      const std::string name = text.substr(at, end + 1 - at);
      const bool is_known =
          std::find(form.tokens.begin(), form.tokens.end(), name) != form.tokens.end();
      if (!is_known && tokenizer.find(name)) form.tokens.push_back(name);
    }
  }
}

}  // namespace

void add_frame_tokens(const Tokenizer& tokenizer, ChatTemplate& form) {
  const ChatTemplate frames = form;
  for_each_frame(frames, [&](const std::string& text) { add_tokens_of(text, tokenizer, form); });
}

ChatTemplate named_chat_template(const std::string& name, const Tokenizer& tokenizer) {
  std::string names;
  for (const ChatTemplate& one : known()) {
    names += (names.empty() ? "" : ", ") + one.name;
    if (one.name != name) continue;
    ChatTemplate form = one;
    const auto lacking = fill(form, tokenizer);
    check(!lacking, "the chat template {} needs the token {}, which the tokenizer does not have",
          name, lacking.value_or(""));
    return form;
  }
  fail("there is no chat template \"{}\"; there are {}", name, names);
}

ChatTemplate default_chat_template(const Tokenizer& tokenizer) {
  ChatTemplate form = known()[0];
  return fill(form, tokenizer) ? named_chat_template("text", tokenizer) : form;
}

std::vector<ChatTemplate> known_chat_templates(const Tokenizer& tokenizer) {
  std::vector<ChatTemplate> forms;
  for (ChatTemplate form : known()) {
    if (!fill(form, tokenizer)) forms.push_back(std::move(form));
  }
  return forms;
}

}  // namespace heed

// From conversations to texts and ids, and which of them the model writes.

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/chat/chat_parts_internal.h"
#include "heed/chat/chat_template.h"
#include "heed/chat/jinja_value_internal.h"

namespace heed {
namespace {

int32_t require_token(const Tokenizer& tokenizer, std::string_view name) {
  const auto id = tokenizer.find(name);
  check(id.has_value(), "chat: the tokenizer has no token \"{}\", which the chat template uses",
        name);
  return *id;
}

class ChatEncoder {
 public:
  ChatEncoder(const ChatTemplate& form, const Tokenizer& tokenizer)
      : form_(form), tokenizer_(tokenizer) {}

  EncodedChat encode(const std::vector<ChatPart>& parts) {
    for (const ChatPart& part : parts) {
      std::string_view text = part.text;
      while (part.is_frame && !text.empty()) {
        const FrameToken found = first_token(form_, text);
        if (found.at == std::string_view::npos) break;
        add_text(text.substr(0, found.at), part.is_answer);
        add_token(found.name, part.is_answer);
        text.remove_prefix(found.at + found.name.size());
      }
      add_text(text, part.is_answer);
      if (form_.by_parts) finish_text(false);
    }
    finish_text(false);
    return std::move(chat_);
  }

 private:
  void add_text(std::string_view text, bool is_answer) {
    (is_answer ? written_ : read_) += text;
    is_answering_ |= is_answer;
  }

  // A token may take the white space beside it along, as its file says.
  void add_token(std::string_view name, bool is_answer) {
    const std::vector<int32_t> alone = {require_token(tokenizer_, name)};
    const std::string text(name);
    const bool may_strip = !form_.by_parts;
    finish_text(may_strip && tokenizer_.encode("\n" + text) == alone);
    strips_next_ = may_strip && tokenizer_.encode(text + "\n") == alone;
    add_ids(alone, is_answer);
  }

  // Encodes what stands between two tokens: what is read, then what the model writes.
  void finish_text(bool strips_end) {
    if (strips_next_) {
      read_ = trim_space_before(read_);
      if (read_.empty()) written_ = trim_space_before(written_);
    }
    if (strips_end) {
      std::string& last = is_answering_ ? written_ : read_;
      last = trim_space_after(last);
    }
    const std::vector<int32_t> prompt = text_ids(read_);
    add_ids(prompt, false);
    if (!written_.empty()) add_ids(answer_ids(prompt), true);
    read_.clear();
    written_.clear();
    is_answering_ = strips_next_ = false;
  }

  // What is written, after the ids of what is read; by itself if a token would cover both sides.
  std::vector<int32_t> answer_ids(const std::vector<int32_t>& prompt) const {
    const std::vector<int32_t> whole = text_ids(read_ + written_);
    const bool goes_on =
        prompt.size() <= whole.size() && std::equal(prompt.begin(), prompt.end(), whole.begin());
    if (!goes_on) return text_ids(written_);
    return {whole.begin() + static_cast<std::ptrdiff_t>(prompt.size()), whole.end()};
  }

  std::vector<int32_t> text_ids(const std::string& text) const {
    if (text.empty()) return {};
    return tokenizer_.encode(text, SpecialNames::are_text);
  }

  void add_ids(const std::vector<int32_t>& ids, bool is_answer) {
    chat_.ids.insert(chat_.ids.end(), ids.begin(), ids.end());
    chat_.is_answer.insert(chat_.is_answer.end(), ids.size(), is_answer ? 1 : 0);
  }

  const ChatTemplate& form_;
  const Tokenizer& tokenizer_;
  EncodedChat chat_;
  std::string read_, written_;  // since the last token
  bool is_answering_ = false;   // the model writes by now
  bool strips_next_ = false;    // the last token takes the white space behind it along
};

}  // namespace

EncodedChat encode_chat(const ChatTemplate& form, const Tokenizer& tokenizer,
                        std::span<const ChatMessage> messages) {
  return ChatEncoder(form, tokenizer).encode(chat_parts(form, messages, false));
}

std::vector<int32_t> encode_chat_prompt(const ChatTemplate& form, const Tokenizer& tokenizer,
                                        std::span<const ChatMessage> messages) {
  const std::vector<ChatPart> parts = chat_parts(form, messages, true);
  check(messages.back().role == "user",
        "chat: the last message must be the user's, to be answered");
  return ChatEncoder(form, tokenizer).encode(parts).ids;
}

std::vector<int32_t> encode_answer(const ChatTemplate& form, const Tokenizer& tokenizer,
                                   std::span<const ChatMessage> messages,
                                   const std::string& answer) {
  std::vector<ChatMessage> answered(messages.begin(), messages.end());
  answered.push_back({"assistant", answer});
  const EncodedChat chat = encode_chat(form, tokenizer, answered);
  const size_t begin = encode_chat_prompt(form, tokenizer, messages).size();
  std::vector<int32_t> ids;
  for (size_t i = begin; i < chat.ids.size() && chat.is_answer[i] != 0; ++i) {
    ids.push_back(chat.ids[i]);
  }
  return ids;
}

std::string render_chat(const ChatTemplate& form, std::span<const ChatMessage> messages) {
  const bool for_answer = !messages.empty() && messages.back().role == "user";
  std::string text;
  for (const ChatPart& part : chat_parts(form, messages, for_answer)) text += part.text;
  return text;
}

int32_t chat_end_token(const ChatTemplate& form, const Tokenizer& tokenizer) {
  end_of_answer(form);
  return require_token(tokenizer, first_token(form, form.assistant.after).name);
}

}  // namespace heed

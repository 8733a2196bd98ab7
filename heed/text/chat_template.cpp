#include "heed/text/chat_template.h"

#include <algorithm>

#include "heed/base/fail_internal.h"
#include "heed/text/json_internal.h"

namespace heed {
namespace {

// A frame or a message, in the order in which they are read.
struct Part {
  std::string_view text;
  bool is_frame = false;
  bool is_answer = false;
};

bool is_role(const std::string& role) {
  return role == "system" || role == "user" || role == "assistant";
}

// The parts of all messages. With `for_answer`, what stands before an answer comes last.
std::vector<Part> parts_of(const ChatTemplate& form, std::span<const ChatMessage> messages,
                           bool for_answer) {
  check(form.defined(), "chat: this model has no chat template; heed finetune gives it one");
  require_conversation(messages);
  std::vector<Part> parts;
  const auto frame = [&](std::string_view text) {
    parts.push_back({.text = text, .is_frame = true});
  };
  frame(form.begin);
  const ChatMessage* waiting = nullptr;  // the system's message, inside the user's
  for (const ChatMessage& message : messages) {
    if (message.role == "system") {
      if (form.system_in_user) {
        waiting = &message;
        continue;
      }
      frame(form.system.before);
      parts.push_back({.text = message.content});
      frame(form.system.after);
    } else if (message.role == "user") {
      frame(form.user.before);
      if (waiting != nullptr) {
        frame(form.system.before);
        parts.push_back({.text = waiting->content});
        frame(form.system.after);
        waiting = nullptr;
      }
      parts.push_back({.text = message.content});
      frame(form.user.after);
    } else {
      frame(form.assistant.before);
      parts.push_back({.text = message.content, .is_answer = true});
      parts.push_back({.text = form.assistant.after, .is_frame = true, .is_answer = true});
    }
  }
  if (for_answer) frame(form.assistant.before);
  return parts;
}

int32_t require_token(const Tokenizer& tokenizer, std::string_view name) {
  const auto id = tokenizer.find(name);
  check(id.has_value(), "chat: the tokenizer has no token \"{}\", which the chat template uses",
        name);
  return *id;
}

// The first token of a frame's text, and where: its names are tokens, the rest is text.
struct Found {
  size_t at = std::string_view::npos;
  std::string_view name = {};
};

Found first_token(const ChatTemplate& form, std::string_view text) {
  Found found;
  for (const std::string& name : form.tokens) {
    const size_t at = text.find(name);
    const bool longer = at == found.at && name.size() > found.name.size();
    if (at < found.at || (at != std::string_view::npos && longer)) found = {at, name};
  }
  return found;
}

std::vector<int32_t> encode_frame(const ChatTemplate& form, const Tokenizer& tokenizer,
                                  std::string_view text) {
  std::vector<int32_t> ids;
  while (!text.empty()) {
    const Found found = first_token(form, text);
    const std::string_view plain = text.substr(0, found.at);
    if (!plain.empty()) {
      const std::vector<int32_t> more = tokenizer.encode(plain, SpecialNames::are_text);
      ids.insert(ids.end(), more.begin(), more.end());
    }
    if (found.at == std::string_view::npos) break;
    ids.push_back(require_token(tokenizer, found.name));
    text.remove_prefix(found.at + found.name.size());
  }
  return ids;
}

EncodedChat encode_parts(const ChatTemplate& form, const Tokenizer& tokenizer,
                         const std::vector<Part>& parts) {
  EncodedChat chat;
  for (const Part& part : parts) {
    const std::vector<int32_t> ids = part.is_frame
                                         ? encode_frame(form, tokenizer, part.text)
                                         : tokenizer.encode(part.text, SpecialNames::are_text);
    for (size_t i = 0; i < ids.size(); ++i) {
      chat.ids.push_back(ids[i]);
      // Of what follows an answer, its end is all that the model has to write.
      chat.is_answer.push_back(part.is_answer && (!part.is_frame || i == 0) ? 1 : 0);
    }
  }
  return chat;
}

}  // namespace

void require_conversation(std::span<const ChatMessage> messages) {
  check(!messages.empty(), "a conversation has no messages");
  bool user_next = true;
  for (size_t i = 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    check(is_role(role), "the role \"{}\" is unknown; there are system, user and assistant", role);
    if (role == "system") {
      check(i == 0, "message {} is the system's, which can only be the first", i + 1);
      continue;
    }
    check((role == "user") == user_next, "message {} is the {}'s, but it is the {}'s turn", i + 1,
          role, user_next ? "user" : "assistant");
    user_next = !user_next;
  }
  check(messages.size() > 1 || messages[0].role != "system",
        "a conversation has a system message and nothing else");
}

EncodedChat encode_chat(const ChatTemplate& form, const Tokenizer& tokenizer,
                        std::span<const ChatMessage> messages) {
  return encode_parts(form, tokenizer, parts_of(form, messages, false));
}

std::vector<int32_t> encode_chat_prompt(const ChatTemplate& form, const Tokenizer& tokenizer,
                                        std::span<const ChatMessage> messages) {
  const std::vector<Part> parts = parts_of(form, messages, true);
  check(messages.back().role == "user",
        "chat: the last message must be the user's, to be answered");
  return encode_parts(form, tokenizer, parts).ids;
}

std::vector<int32_t> encode_answer(const ChatTemplate& form, const Tokenizer& tokenizer,
                                   std::string_view answer) {
  std::vector<int32_t> ids = tokenizer.encode(answer, SpecialNames::are_text);
  ids.push_back(chat_end_token(form, tokenizer));
  return ids;
}

std::string render_chat(const ChatTemplate& form, std::span<const ChatMessage> messages) {
  const bool for_answer = !messages.empty() && messages.back().role == "user";
  std::string text;
  for (const Part& part : parts_of(form, messages, for_answer)) text += part.text;
  return text;
}

int32_t chat_end_token(const ChatTemplate& form, const Tokenizer& tokenizer) {
  const Found found = first_token(form, form.assistant.after);
  check(found.at == 0,
        "chat: what follows an answer in the chat template, \"{}\", must begin with "
        "a token that ends it",
        form.assistant.after);
  return require_token(tokenizer, found.name);
}

std::string to_json(const ChatTemplate& form) {
  using Json = nlohmann::ordered_json;
  const auto frame = [](const ChatFrame& f) {
    return Json{{"before", f.before}, {"after", f.after}};
  };
  Json json{{"template", form.name},
            {"begin", form.begin},
            {"system", frame(form.system)},
            {"user", frame(form.user)},
            {"assistant", frame(form.assistant)}};
  if (form.system_in_user) json["system_in_user"] = true;
  json["tokens"] = form.tokens;
  return json.dump();
}

ChatTemplate chat_template_from_json(std::string_view text, const std::string& file) {
  const nlohmann::json json = parse_json(text, file);
  const auto string_at = [&](const nlohmann::json& object, const char* key) {
    const nlohmann::json& value = member(object, key, file + ": chat");
    return value.is_null() ? std::string() : string_of(value, file + ": chat: " + key);
  };
  const auto frame_at = [&](const char* key) {
    const nlohmann::json& value = member(json, key, file + ": chat");
    if (value.is_null()) return ChatFrame{};
    return ChatFrame{string_at(value, "before"), string_at(value, "after")};
  };
  ChatTemplate form{.name = string_at(json, "template"),
                    .begin = string_at(json, "begin"),
                    .system = frame_at("system"),
                    .user = frame_at("user"),
                    .assistant = frame_at("assistant")};
  form.system_in_user =
      bool_of(member(json, "system_in_user", file + ": chat"), false, file + ": chat");
  const nlohmann::json& tokens = member(json, "tokens", file + ": chat");
  check(tokens.is_array(), "{}: chat: tokens must be a list", file);
  for (const nlohmann::json& token : tokens) {
    form.tokens.push_back(string_of(token, file + ": chat: a token"));
    check(!form.tokens.back().empty(), "{}: chat: a token must not be empty", file);
  }
  check(form.defined(), "{}: chat: the template has no name", file);
  check(first_token(form, form.assistant.after).at == 0,
        "{}: chat: what follows an answer must begin with one of the tokens", file);
  return form;
}

}  // namespace heed

#include "heed/text/chat_template.h"

#include <algorithm>

#include "heed/base/fail_internal.h"
#include "heed/text/jinja_value_internal.h"
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

// A message as the template has it.
std::string_view content_of(const ChatMessage& message, bool trim) {
  return trim ? trim_space(message.content) : std::string_view(message.content);
}

// What follows an answer: its end, which the model writes, and the rest.
size_t end_of_answer(const ChatTemplate& form) {
  const Found found = first_token(form, form.assistant.after);
  const std::string_view before = std::string_view(form.assistant.after).substr(0, found.at);
  check(found.at != std::string_view::npos && trim_space(before).empty(),
        "chat: what follows an answer in the chat template, \"{}\", must begin with "
        "a token that ends it",
        form.assistant.after);
  return found.at + found.name.size();
}

void add_answer(const ChatTemplate& form, std::string_view content, std::vector<Part>& parts) {
  const std::string_view after = form.assistant.after;
  const size_t end = end_of_answer(form);
  parts.push_back({.text = form.answer_begin, .is_frame = true, .is_answer = true});
  parts.push_back({.text = content, .is_answer = true});
  parts.push_back({.text = after.substr(0, end), .is_frame = true, .is_answer = true});
  parts.push_back({.text = after.substr(end), .is_frame = true});
}

// The parts of all messages. With `for_answer`, what stands before an answer comes last.
std::vector<Part> parts_of(const ChatTemplate& form, std::span<const ChatMessage> messages,
                           bool for_answer) {
  check(form.defined(), "chat: this model has no chat template; heed finetune gives it one");
  require_conversation(messages);
  const bool has_system = messages[0].role == "system";
  check(!has_system || form.takes_system,
        "chat: the chat template of this model ({}) has no place for a system message", form.name);
  std::vector<Part> parts;
  const auto frame = [&](std::string_view text) {
    parts.push_back({.text = text, .is_frame = true});
  };
  const auto add_system = [&](const ChatMessage& message) {
    frame(form.system.before);
    parts.push_back({.text = content_of(message, form.trim.system)});
    frame(form.system.after);
  };
  if (!has_system || !form.system_begins) frame(form.begin);
  const ChatMessage* waiting = nullptr;  // the system's message, inside the user's
  for (const ChatMessage& message : messages) {
    if (message.role == "system") {
      if (form.system_in_user) {
        waiting = &message;
      } else {
        add_system(message);
      }
    } else if (message.role == "user") {
      frame(form.user.before);
      std::string_view content = content_of(message, form.trim.user);
      if (waiting != nullptr) {
        add_system(*waiting);
        if (form.trim.user && form.trim.joined) content = trim_space_after(message.content);
        waiting = nullptr;
      }
      parts.push_back({.text = content});
      frame(form.user.after);
    } else {
      frame(form.assistant.before);
      add_answer(form, content_of(message, form.trim.assistant), parts);
    }
  }
  if (for_answer) frame(form.assistant.before);
  return parts;
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
    chat.ids.insert(chat.ids.end(), ids.begin(), ids.end());
    chat.is_answer.insert(chat.is_answer.end(), ids.size(), part.is_answer ? 1 : 0);
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
  std::vector<Part> parts;
  add_answer(form, form.trim.assistant ? trim_space(answer) : answer, parts);
  parts.pop_back();
  return encode_parts(form, tokenizer, parts).ids;
}

std::string render_chat(const ChatTemplate& form, std::span<const ChatMessage> messages) {
  const bool for_answer = !messages.empty() && messages.back().role == "user";
  std::string text;
  for (const Part& part : parts_of(form, messages, for_answer)) text += part.text;
  return text;
}

int32_t chat_end_token(const ChatTemplate& form, const Tokenizer& tokenizer) {
  end_of_answer(form);
  return require_token(tokenizer, first_token(form, form.assistant.after).name);
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
  if (!form.answer_begin.empty()) json["answer_begin"] = form.answer_begin;
  if (!form.takes_system) json["takes_system"] = false;
  if (form.system_in_user) json["system_in_user"] = true;
  if (form.system_begins) json["system_begins"] = true;
  const std::pair<const char*, bool> trims[] = {{"system", form.trim.system},
                                                {"user", form.trim.user},
                                                {"assistant", form.trim.assistant},
                                                {"joined", form.trim.joined}};
  for (const auto& [what, is_on] : trims) {
    if (is_on) json["trim"].push_back(what);
  }
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
  const auto flag_at = [&](const char* key, bool otherwise) {
    return bool_of(member(json, key, file + ": chat"), otherwise, file + ": chat");
  };
  form.answer_begin = string_at(json, "answer_begin");
  form.takes_system = flag_at("takes_system", true);
  form.system_in_user = flag_at("system_in_user", false);
  form.system_begins = flag_at("system_begins", false);
  const nlohmann::json& trims = member(json, "trim", file + ": chat");
  check(trims.is_null() || trims.is_array(), "{}: chat: trim must be a list", file);
  for (const nlohmann::json& one : trims) {
    const std::string what = string_of(one, file + ": chat: trim");
    bool* const flag = what == "system"      ? &form.trim.system
                       : what == "user"      ? &form.trim.user
                       : what == "assistant" ? &form.trim.assistant
                       : what == "joined"    ? &form.trim.joined
                                             : nullptr;
    check(flag != nullptr, "{}: chat: trim \"{}\" is unknown", file, what);
    *flag = true;
  }
  const nlohmann::json& tokens = member(json, "tokens", file + ": chat");
  check(tokens.is_array(), "{}: chat: tokens must be a list", file);
  for (const nlohmann::json& token : tokens) {
    form.tokens.push_back(string_of(token, file + ": chat: a token"));
    check(!form.tokens.back().empty(), "{}: chat: a token must not be empty", file);
  }
  check(form.defined(), "{}: chat: the template has no name", file);
  try {
    end_of_answer(form);
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
  return form;
}

}  // namespace heed

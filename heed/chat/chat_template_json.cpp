// The object "chat" of config.json.

#include <string_view>
#include <utility>

#include "heed/base/fail.h"
#include "heed/chat/chat_parts_internal.h"
#include "heed/chat/chat_template.h"
#include "heed/text/json.h"

namespace heed {
namespace {

// Whether there is text in the frames, beside tokens.
bool has_text(const ChatTemplate& form) {
  for (std::string_view frame :
       {std::string_view(form.begin), std::string_view(form.system.before),
        std::string_view(form.system.after), std::string_view(form.user.before),
        std::string_view(form.user.after), std::string_view(form.assistant.before),
        std::string_view(form.assistant.after), std::string_view(form.answer_begin)}) {
    while (!frame.empty()) {
      const FrameToken found = first_token(form, frame);
      if (found.at != 0) return true;
      frame.remove_prefix(found.name.size());
    }
  }
  return false;
}

}  // namespace

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
  if (!form.by_parts) json["encoding"] = "whole";
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
  const std::string encoding = string_at(json, "encoding");
  check(encoding.empty() || encoding == "whole", "{}: chat: the encoding \"{}\" is unknown", file,
        encoding);
  form.by_parts = encoding.empty() && has_text(form);
  try {
    end_of_answer(form);
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
  return form;
}

}  // namespace heed

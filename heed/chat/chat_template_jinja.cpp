// From a Jinja text to frames: the text is run on conversations whose messages can be found again
// in what it gives; what stands between them are the frames. Then they have to prove themselves.

#include <algorithm>
#include <array>

#include "heed/base/fail.h"
#include "heed/chat/chat_template.h"
#include "heed/chat/chat_template_names_internal.h"
#include "heed/chat/jinja_internal.h"
#include "heed/chat/jinja_value_internal.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

using Messages = std::vector<ChatMessage>;

constexpr std::array<const char*, 5> kSaid = {"Qa1z", "Qb2z", "Qc3z", "Qd4z", "Qe5z"};
constexpr const char* kSystem = "Qs0z";

// user, assistant, user, ..; with white space around every message.
Messages talk(size_t count, bool has_system, const std::string& pad = "") {
  Messages messages;
  const auto say = [&](const char* role, const char* words) {
    std::string content = pad;
    content += words;
    content += pad;
    messages.push_back({role, std::move(content)});
  };
  if (has_system) say("system", kSystem);
  for (size_t i = 0; i < count; ++i) say(i % 2 == 0 ? "user" : "assistant", kSaid[i]);
  return messages;
}

class TemplateTrial {
 public:
  TemplateTrial(std::string_view jinja, const Tokenizer& tokenizer) : jinja_(jinja) {
    const SpecialIds& ids = tokenizer.specials();
    if (ids.bos) bos_ = tokenizer.token(*ids.bos);
    if (ids.eos) eos_ = tokenizer.token(*ids.eos);
    try {
      takes_system_ = render(talk(1, true)).find(kSystem) != std::string::npos;
    } catch (const JinjaRefusal&) {
      takes_system_ = false;
    }
  }

  bool takes_system() const { return takes_system_; }

  std::string render(const Messages& messages) const {
    return render_jinja(jinja_, {.messages = messages,
                                 .bos = bos_,
                                 .eos = eos_,
                                 .add_generation_prompt = messages.back().role == "user"});
  }

  // Whether a template gives what the text gives.
  bool agrees(const ChatTemplate& form) const {
    if (form.takes_system != takes_system_) return false;
    for (const char* pad : {"", " ", "\n", " \n\t"}) {
      for (size_t count = 1; count <= kSaid.size(); ++count) {
        for (const bool has_system : {false, true}) {
          if (has_system && !takes_system_) continue;
          const Messages messages = talk(count, has_system, pad);
          if (render_chat(form, messages) != render(messages)) return false;
        }
      }
    }
    return true;
  }

 private:
  std::string jinja_, bos_, eos_;
  bool takes_system_ = false;
};

constexpr const char* kNotFrames = "it is not made of frames around the messages";

// What stands before, between and after the messages.
std::vector<std::string> gaps_of(const std::string& text, const Messages& messages) {
  std::vector<std::string> gaps;
  size_t begin = 0;
  for (const ChatMessage& message : messages) {
    const size_t at = text.find(message.content, begin);
    check(at != std::string::npos, "{}", kNotFrames);
    gaps.push_back(text.substr(begin, at - begin));
    begin = at + message.content.size();
  }
  gaps.push_back(text.substr(begin));
  return gaps;
}

std::string without_prefix(const std::string& text, const std::string& prefix) {
  check(text.starts_with(prefix), "{}", kNotFrames);
  return text.substr(prefix.size());
}

std::string without_suffix(const std::string& text, const std::string& suffix) {
  check(text.ends_with(suffix), "{}", kNotFrames);
  return text.substr(0, text.size() - suffix.size());
}

ChatTemplate frames_of(const TemplateTrial& trial, const Tokenizer& tokenizer) {
  const auto gaps = [&](size_t count, bool has_system) {
    const Messages messages = talk(count, has_system);
    return gaps_of(trial.render(messages), messages);
  };
  ChatTemplate form{.name = "jinja"};
  const auto asked = gaps(1, false), answered = gaps(2, false), again = gaps(3, false);
  form.user.after = asked[1];
  form.answer_begin = without_prefix(answered[1], form.user.after);
  form.assistant.after = answered[2];
  form.user.before = without_prefix(again[2], form.assistant.after);
  form.begin = without_suffix(asked[0], form.user.before);
  form.takes_system = trial.takes_system();
  if (form.takes_system) {
    const auto told = gaps(1, true);
    form.system_in_user = told[0].starts_with(asked[0]);
    if (form.system_in_user) {
      form.system = {without_prefix(told[0], asked[0]), told[1]};
    } else {
      form.system_begins = !told[0].starts_with(form.begin);
      form.system.before = form.system_begins ? told[0] : without_prefix(told[0], form.begin);
      form.system.after = without_suffix(told[1], form.user.before);
    }
  }
  add_frame_tokens(tokenizer, form);
  return form;
}

}  // namespace

ChatTemplate chat_template_from_jinja(std::string_view jinja, const Tokenizer& tokenizer) {
  check(valid_utf8_bytes(jinja) == jinja.size(), "it is not UTF-8");
  const TemplateTrial trial(jinja, tokenizer);
  for (const ChatTemplate& form : known_chat_templates(tokenizer)) {
    if (trial.agrees(form)) return form;
  }
  ChatTemplate form = frames_of(trial, tokenizer);
  chat_end_token(form, tokenizer);
  for (int flags = 0; flags < 16; ++flags) {
    form.trim = {.system = (flags & 1) != 0,
                 .user = (flags & 2) != 0,
                 .assistant = (flags & 4) != 0,
                 .joined = (flags & 8) != 0};
    if (trial.agrees(form)) return form;
  }
  fail("{}", kNotFrames);
}

}  // namespace heed

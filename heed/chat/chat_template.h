// How a conversation becomes what a model reads: something before and after every message.
//
//   <|bos|>What is red?<|sep|>The apple.<|eos|><|bos|>And blue?<|sep|>
//   user    ------------        assistant           user    --------- the answer comes here
//
// A frame may name special tokens; a message is always text, so that nobody can write a token. What
// stands between two tokens is encoded as one text, frames and messages together, as Hugging Face
// does it. An answer begins where the prompt for it ends, also where a longer token would cover
// both sides: a model learns from the ids that it reads and writes when it answers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/export.h"
#include "heed/text/tokenizer.h"

namespace heed {

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string content;

  bool operator==(const ChatMessage&) const = default;
};

struct ChatFrame {
  std::string before = {}, after = {};

  bool operator==(const ChatFrame&) const = default;
};

// Whose messages lose the white space at their ends. `joined`: a system message inside the user's
// is trimmed together with it, so that only what follows the user's words goes.
struct ChatTrim {
  bool system = false, user = false, assistant = false, joined = false;

  bool operator==(const ChatTrim&) const = default;
};

struct HEED_API ChatTemplate {
  std::string name = {};   // "heed", "chatml", ..; empty: there is no template
  std::string begin = {};  // before the first message
  ChatFrame system = {}, user = {};
  // What follows an answer has the token that ends it, first or behind white space, which the model
  // writes too.
  ChatFrame assistant = {};
  std::string answer_begin = {};  // after assistant.before, written by the model: " " of llama2
  bool takes_system = true;       // whether there may be a system message
  bool system_in_user = false;    // the system's message stands inside the first of the user
  bool system_begins = false;     // or it stands in the place of `begin`
  ChatTrim trim = {};
  std::vector<std::string> tokens = {};  // what in the frames is a token and not text
  // Every frame and every message is encoded by itself, as heed did when the run was made.
  bool by_parts = false;

  bool defined() const { return !name.empty(); }
  bool operator==(const ChatTemplate&) const = default;
};

// An Error that says what is wrong with a role (unknown, out of turn) or an empty conversation:
// an optional system message first, then user and assistant by turns.
HEED_API void require_conversation(std::span<const ChatMessage> messages);

struct EncodedChat {
  std::vector<int32_t> ids = {};
  // Of each id: whether it belongs to an answer, which ends with the end token.
  std::vector<uint8_t> is_answer = {};
};

// All messages.
HEED_API EncodedChat encode_chat(const ChatTemplate& form, const Tokenizer& tokenizer,
                                 std::span<const ChatMessage> messages);

// All messages, the last of which is the user's, and what stands before the answer.
HEED_API std::vector<int32_t> encode_chat_prompt(const ChatTemplate& form,
                                                 const Tokenizer& tokenizer,
                                                 std::span<const ChatMessage> messages);

// The answer to such a prompt, with its end token: what follows encode_chat_prompt.
HEED_API std::vector<int32_t> encode_answer(const ChatTemplate& form, const Tokenizer& tokenizer,
                                            std::span<const ChatMessage> messages,
                                            const std::string& answer);

// The same as text.
HEED_API std::string render_chat(const ChatTemplate& form, std::span<const ChatMessage> messages);

// The token that ends an answer.
HEED_API int32_t chat_end_token(const ChatTemplate& form, const Tokenizer& tokenizer);

// A template by its name: heed, text, chatml, llama2, llama3, mistral, zephyr, phi3, gemma or
// alpaca. An Error if there is no such name, or the tokenizer lacks a token of it.
HEED_API ChatTemplate named_chat_template(const std::string& name, const Tokenizer& tokenizer);

// "heed" if the tokenizer has begin, separator and end, as those trained by heed have; else "text".
HEED_API ChatTemplate default_chat_template(const Tokenizer& tokenizer);

// The template that a Jinja text stands for ("chat_template" of Hugging Face's
// tokenizer_config.json). The text is run on some conversations; the template that is returned
// gives exactly what the text gives for them. An Error if it does what frames around messages
// cannot do, or the tokenizer lacks the token that ends an answer; it says which.
HEED_API ChatTemplate chat_template_from_jinja(std::string_view jinja, const Tokenizer& tokenizer);

// The object "chat" of config.json.
HEED_API std::string to_json(const ChatTemplate& form);
HEED_API ChatTemplate chat_template_from_json(std::string_view json, const std::string& file);

}  // namespace heed

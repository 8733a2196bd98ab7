#include "heed/chat/chat_template.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/text/train_tokenizer.h"

namespace heed {
namespace {

std::shared_ptr<const Tokenizer> trained(TokenizerKind kind) {
  const std::string_view text = "What is red? The apple. And blue? User: Assistant: the sea\n";
  return train_tokenizer(std::vector<std::string_view>{text}, {.kind = kind});
}

// With tokens such as " The" and " red".
std::shared_ptr<const Tokenizer> merging_tokenizer() {
  const std::string_view text = "User: What is red? Assistant: The apple. And blue? the sea\n";
  return train_tokenizer(std::vector<std::string_view>(5, text), {.kind = TokenizerKind::bpe});
}

// A SentencePiece model as Llama's, of single characters.
std::shared_ptr<const Tokenizer> blank_before_text() {
  std::string model;
  const auto add_piece = [&](const std::string& text, char type) {
    std::string piece = "\x0a" + std::string(1, static_cast<char>(text.size())) + text;
    piece += std::string("\x15\x00\x00\x00\x00\x18", 6) + type;
    model += "\x0a" + std::string(1, static_cast<char>(piece.size())) + piece;
  };
  add_piece("<unk>", 2);
  add_piece("<s>", 3);
  add_piece("</s>", 3);
  for (const char* text : {"▁", "[", "]", "/", "I", "N", "S", "T", "a", "b"}) add_piece(text, 1);
  model += std::string("\x12\x02\x18\x02", 4);                  // byte-pair encoding
  model += std::string("\x1a\x06\x18\x01\x20\x00\x28\x01", 8);  // a space first, spaces kept
  return parse_tokenizer(model, "spm.model");
}

std::string tokens_of(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  std::string text;
  for (const int32_t id : ids) text += (text.empty() ? "" : " ") + tokenizer.token(id);
  return text;
}

std::string message_of(const std::vector<ChatMessage>& messages) {
  try {
    require_conversation(messages);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const std::vector<ChatMessage> kTalk = {{"user", "What is red?"},
                                        {"assistant", "The apple."},
                                        {"user", "And blue?"},
                                        {"assistant", "the sea"}};

TEST(ChatTemplate, Text) {
  const auto tokenizer = trained(TokenizerKind::byte);
  const ChatTemplate form = default_chat_template(*tokenizer);
  EXPECT_EQ(form.name, "heed");
  EXPECT_EQ(render_chat(form, kTalk),
            "<|bos|>What is red?<|sep|>The apple.<|eos|><|bos|>And blue?<|sep|>the sea<|eos|>");
  const std::vector<ChatMessage> asked = {{"system", "Be kind."}, {"user", "What is red?"}};
  EXPECT_EQ(render_chat(form, asked), "<|cls|>Be kind.<|bos|>What is red?<|sep|>");
  EXPECT_EQ(render_chat(named_chat_template("text", *tokenizer), asked),
            "Be kind.\n\nUser: What is red?\nAssistant: ");
  EXPECT_EQ(render_chat(named_chat_template("llama2", *tokenizer), asked),
            "<|bos|>[INST] <<SYS>>\nBe kind.\n<</SYS>>\n\nWhat is red? [/INST]");
}

// Answers, each with its end, and nothing else; prompt and answer encoded alone are the same ids.
TEST(ChatTemplate, AnswersAreMarked) {
  for (const TokenizerKind kind :
       {TokenizerKind::byte, TokenizerKind::character, TokenizerKind::word, TokenizerKind::bpe,
        TokenizerKind::sentencepiece_bpe}) {
    const auto tokenizer = trained(kind);
    for (const char* name : {"heed", "text", "zephyr", "llama2", "mistral"}) {
      const ChatTemplate form = named_chat_template(name, *tokenizer);
      const EncodedChat all = encode_chat(form, *tokenizer, kTalk);
      ASSERT_EQ(all.ids.size(), all.is_answer.size());
      const auto prompt = encode_chat_prompt(form, *tokenizer, std::span(kTalk).first(3));
      const auto answer = encode_answer(form, *tokenizer, std::span(kTalk).first(3), "the sea");
      ASSERT_LE(prompt.size() + answer.size(), all.ids.size());
      for (size_t i = 0; i < prompt.size(); ++i) EXPECT_EQ(all.ids[i], prompt[i]);
      for (size_t i = 0; i < answer.size(); ++i) {
        EXPECT_EQ(all.ids[prompt.size() + i], answer[i]);
        EXPECT_EQ(all.is_answer[prompt.size() + i], 1);
      }
      for (size_t i = prompt.size() + answer.size(); i < all.ids.size(); ++i) {
        EXPECT_EQ(all.is_answer[i], 0);
      }
      std::vector<int32_t> marked;
      for (size_t i = 0; i < prompt.size(); ++i) {
        if (all.is_answer[i] != 0) marked.push_back(all.ids[i]);
      }
      EXPECT_EQ(marked, encode_answer(form, *tokenizer, std::span(kTalk).first(1), "The apple."));
      EXPECT_EQ(answer.back(), *tokenizer->specials().eos);
    }
  }
}

// As Hugging Face does it: the text is cut at its tokens, and what is between them is one text.
TEST(ChatTemplate, APromptIsEncodedAsOneText) {
  const auto tokenizer = merging_tokenizer();
  for (const char* name : {"heed", "text", "zephyr", "llama2", "mistral", "alpaca"}) {
    const ChatTemplate form = named_chat_template(name, *tokenizer);
    for (const size_t count : {1u, 3u}) {
      const auto talk = std::span(kTalk).first(count);
      const std::string text = render_chat(form, talk);
      // Tokens may cover the end of a frame and the beginning of a message, such as " What".
      const std::vector<int32_t> whole = tokenizer->encode(text, SpecialNames::are_tokens);
      const std::vector<int32_t> ids = encode_chat_prompt(form, *tokenizer, talk);
      if (count == 1) {
        EXPECT_EQ(ids, whole) << name;
      } else {
        EXPECT_EQ(tokenizer->decode(ids), tokenizer->decode(whole)) << name;
      }
    }
  }
}

// SentencePiece puts a space before a text; a frame and a message are one text, with one space.
TEST(ChatTemplate, OneBlankBeforeATextNotBeforeEveryPart) {
  const auto tokenizer = blank_before_text();
  const ChatTemplate form = named_chat_template("llama2", *tokenizer);
  const std::vector<ChatMessage> asked = {{"user", "a"}, {"assistant", "b"}};
  const EncodedChat chat = encode_chat(form, *tokenizer, asked);
  EXPECT_EQ(tokens_of(*tokenizer, chat.ids), "<s> ▁ [ I N S T ] ▁ a ▁ [ / I N S T ] ▁ b ▁ </s>");
  std::string marks;
  for (const uint8_t is_answer : chat.is_answer) marks += is_answer != 0 ? '1' : '0';
  EXPECT_EQ(marks, "0000000000000000001111");
}

// Where a token would cover what is read and what is written, the answer is encoded by itself, so
// that the model learns from the ids that it has when it answers.
TEST(ChatTemplate, AnAnswerBeginsWhereItsPromptEnds) {
  const auto tokenizer = merging_tokenizer();
  const ChatTemplate form = named_chat_template("text", *tokenizer);  // "Assistant: "
  const auto prompt = encode_chat_prompt(form, *tokenizer, std::span(kTalk).first(1));
  const EncodedChat chat = encode_chat(form, *tokenizer, std::span(kTalk).first(2));
  const auto whole =
      tokenizer->encode(render_chat(form, std::span(kTalk).first(2)), SpecialNames::are_tokens);
  EXPECT_NE(chat.ids, whole) << "the token \" The\" is there";
  ASSERT_LT(prompt.size(), chat.ids.size());
  EXPECT_EQ(std::vector(chat.ids.begin(), chat.ids.begin() + static_cast<int>(prompt.size())),
            prompt);
  EXPECT_EQ(chat.is_answer[prompt.size() - 1], 0);
  EXPECT_EQ(chat.is_answer[prompt.size()], 1);
}

// A run of an older heed has no "encoding" in its config.json and keeps its ids.
TEST(ChatTemplate, OldRunsKeepTheirIds) {
  const auto tokenizer = merging_tokenizer();
  const std::vector<ChatMessage> asked = {{"user", "red?"}};
  const auto form = chat_template_from_json(
      R"({"template": "text", "user": {"before": "User: ", "after": "\n"},
          "assistant": {"before": "Assistant: ", "after": "<|eos|>"}, "tokens": ["<|eos|>"]})",
      "f");
  std::vector<int32_t> parts;
  for (const char* part : {"User: ", "red?", "\n", "Assistant: "}) {
    for (const int32_t id : tokenizer->encode(part)) parts.push_back(id);
  }
  EXPECT_EQ(encode_chat_prompt(form, *tokenizer, asked), parts);
  EXPECT_NE(encode_chat_prompt(named_chat_template("text", *tokenizer), *tokenizer, asked), parts);
  EXPECT_EQ(chat_template_from_json(to_json(form), "f"), form);
  // Where frames are nothing but tokens, old and new are the same.
  const auto tokens = chat_template_from_json(
      R"({"template": "heed", "system": {"before": "<|cls|>"}, "user": {"before": "<|bos|>",
          "after": "<|sep|>"}, "assistant": {"after": "<|eos|>"},
          "tokens": ["<|cls|>", "<|bos|>", "<|sep|>", "<|eos|>"]})",
      "f");
  EXPECT_EQ(tokens, default_chat_template(*tokenizer));
}

// Tokens of Phi-3: white space behind them belongs to them.
TEST(ChatTemplate, TokensTakeWhiteSpaceAlong) {
  const auto tokenizer = parse_tokenizer(R"({
    "added_tokens": [
      {"id": 4, "content": "<|end|>", "special": true, "rstrip": true},
      {"id": 5, "content": "<|user|>", "special": true, "rstrip": true},
      {"id": 6, "content": "<|assistant|>", "special": true, "rstrip": true},
      {"id": 7, "content": "<|system|>", "special": true, "lstrip": true}],
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "Ċ": 2, "Ġ": 3}, "merges": []}})",
                                         "test");
  const ChatTemplate form = named_chat_template("phi3", *tokenizer);
  const std::vector<ChatMessage> talk = {{"user", " a"}, {"assistant", "\nb "}, {"user", "a"}};
  const auto prompt = encode_chat_prompt(form, *tokenizer, talk);
  EXPECT_EQ(prompt, tokenizer->encode(render_chat(form, talk), SpecialNames::are_tokens));
  EXPECT_EQ(prompt, (std::vector<int32_t>{5, 0, 4, 6, 1, 3, 4, 5, 0, 4, 6}));
}

TEST(ChatTemplate, AMessageCannotWriteATokenOfTheFrame) {
  const auto tokenizer = trained(TokenizerKind::byte);
  const ChatTemplate form = default_chat_template(*tokenizer);
  const std::vector<ChatMessage> asked = {{"user", "a<|eos|>b"}};
  const auto ids = encode_chat_prompt(form, *tokenizer, asked);
  EXPECT_EQ(ids.size(), 1 + 9 + 1u);
  for (size_t i = 1; i + 1 < ids.size(); ++i) EXPECT_LT(ids[i], 256);
}

TEST(ChatTemplate, JsonAndBack) {
  const auto tokenizer = trained(TokenizerKind::byte);
  for (const char* name : {"heed", "text", "llama2", "mistral", "alpaca"}) {
    const ChatTemplate form = named_chat_template(name, *tokenizer);
    EXPECT_EQ(chat_template_from_json(to_json(form), "f"), form);
  }
  EXPECT_THROW(chat_template_from_json("{\"template\": 3}", "f"), Error);
  EXPECT_THROW(chat_template_from_json("{\"template\": \"x\", \"tokens\": []}", "f"), Error);
}

TEST(ChatTemplate, WrongConversations) {
  EXPECT_EQ(message_of({}), "a conversation has no messages");
  EXPECT_EQ(message_of({{"robot", "x"}}),
            "the role \"robot\" is unknown; there are system, user and assistant");
  EXPECT_EQ(message_of({{"user", "x"}, {"user", "y"}}),
            "message 2 is the user's, but it is the assistant's turn");
  EXPECT_EQ(message_of({{"assistant", "x"}}),
            "message 1 is the assistant's, but it is the user's turn");
  EXPECT_EQ(message_of({{"user", "x"}, {"system", "y"}}),
            "message 2 is the system's, which can only be the first");
  const auto tokenizer = trained(TokenizerKind::byte);
  EXPECT_THROW(named_chat_template("chatml", *tokenizer), Error);
  EXPECT_THROW(named_chat_template("nonsense", *tokenizer), Error);
  EXPECT_THROW(encode_chat_prompt({}, *tokenizer, kTalk), Error);
  EXPECT_THROW(encode_chat_prompt(default_chat_template(*tokenizer), *tokenizer, kTalk), Error);
}

TEST(ChatTemplate, NoPlaceForASystemMessage) {
  const auto tokenizer = trained(TokenizerKind::byte);
  const ChatTemplate form = named_chat_template("mistral", *tokenizer);
  const std::vector<ChatMessage> asked = {{"system", "Be kind."}, {"user", "What is red?"}};
  EXPECT_THROW(render_chat(form, asked), Error);
  EXPECT_EQ(render_chat(form, kTalk),
            "<|bos|>[INST] What is red? [/INST]The apple.<|eos|>[INST] And blue? [/INST]the "
            "sea<|eos|>");
}

}  // namespace
}  // namespace heed

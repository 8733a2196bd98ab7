#include "heed/text/chat_template.h"

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
        TokenizerKind::piece_bpe}) {
    const auto tokenizer = trained(kind);
    for (const char* name : {"heed", "text", "zephyr", "llama2", "mistral"}) {
      const ChatTemplate form = named_chat_template(name, *tokenizer);
      const EncodedChat all = encode_chat(form, *tokenizer, kTalk);
      ASSERT_EQ(all.ids.size(), all.is_answer.size());
      const auto prompt = encode_chat_prompt(form, *tokenizer, std::span(kTalk).first(3));
      const auto answer = encode_answer(form, *tokenizer, "the sea");
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
      EXPECT_EQ(marked, encode_answer(form, *tokenizer, "The apple."));
      EXPECT_EQ(answer.back(), *tokenizer->specials().eos);
    }
  }
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

// Chat templates of Hugging Face: the forms of well-known models, shortened to what decides what
// they give. What is expected was given by Jinja2 itself.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/chat/chat_template.h"
#include "heed/chat/jinja_internal.h"

namespace heed::chat_jinja_test {
namespace {

// A tokenizer with <s> and </s> as begin and end, and tokens of its own.
std::shared_ptr<const Tokenizer> with_tokens(const std::vector<std::string>& names) {
  nlohmann::json file{{"format", 1},
                      {"type", "word"},
                      {"specials", {{"unk", 0}, {"bos", 1}, {"eos", 2}}},
                      {"tokens", {"<?>", "<s>", "</s>", "a"}}};
  for (const std::string& name : names) file["tokens"].push_back(name);
  return parse_tokenizer(file.dump(), "test");
}

using Messages = std::vector<ChatMessage>;

const Messages kAsked = {{"user", " Hi \n"}};
const Messages kTalk = {{"user", " Hi \n"}, {"assistant", " Yes "}, {"user", "Who"}};
const Messages kDone = {{"user", "Hi"}, {"assistant", "Yes"}};
const Messages kTold = {{"system", " Be brief "}, {"user", " Hi "}};

// [role]content of every message, by a loop.
std::string loop(const std::string& body, const std::string& last) {
  return "{% for message in messages %}" + body + "{% endfor %}{% if add_generation_prompt %}{{ '" +
         last + "' }}{% endif %}";
}

const std::string kChatMl =
    loop("{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}",
         "<|im_start|>assistant\\n");

TEST(ChatTemplateJinja, ChatMl) {
  const auto tokenizer = with_tokens({"<|im_start|>", "<|im_end|>"});
  const ChatTemplate form = chat_template_from_jinja(kChatMl, *tokenizer);
  EXPECT_EQ(form.name, "chatml");
  EXPECT_EQ(render_chat(form, kTold),
            "<|im_start|>system\n Be brief <|im_end|>\n<|im_start|>user\n Hi <|im_end|>\n"
            "<|im_start|>assistant\n");
}

// Qwen's and SmolLM's: somebody who says nothing about the system gets a usual message.
TEST(ChatTemplateJinja, UsualSystemMessage) {
  const auto tokenizer = with_tokens({"<|im_start|>", "<|im_end|>"});
  const std::string usual =
      "{% if loop.first and messages[0]['role'] != 'system' %}"
      "{{ '<|im_start|>system\\nHelp.<|im_end|>\\n' }}{% endif %}";
  std::string jinja = kChatMl;
  jinja.insert(jinja.find("{{'<|im_start|>'"), usual);
  const ChatTemplate form = chat_template_from_jinja(jinja, *tokenizer);
  EXPECT_EQ(form.name, "jinja");
  EXPECT_EQ(form.tokens, (std::vector<std::string>{"<|im_start|>", "<|im_end|>"}));
  EXPECT_EQ(render_chat(form, kTold),
            "<|im_start|>system\n Be brief <|im_end|>\n<|im_start|>user\n Hi <|im_end|>\n"
            "<|im_start|>assistant\n");
  EXPECT_EQ(render_chat(form, kDone),
            "<|im_start|>system\nHelp.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
            "<|im_start|>assistant\nYes<|im_end|>\n");
  EXPECT_EQ(chat_template_from_json(to_json(form), "f"), form);
}

TEST(ChatTemplateJinja, Llama3) {
  const auto tokenizer = with_tokens({"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"});
  const ChatTemplate form = chat_template_from_jinja(
      loop("{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ "
           "message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = "
           "bos_token + content %}{% endif %}{{ content }}",
           "<|start_header_id|>assistant<|end_header_id|>\\n\\n"),
      *tokenizer);
  EXPECT_EQ(render_chat(form, kTold),
            "<s><|start_header_id|>system<|end_header_id|>\n\nBe brief<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
  EXPECT_EQ(render_chat(form, kTalk),
            "<s><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nYes<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nWho<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
  EXPECT_EQ(chat_end_token(form, *tokenizer), tokenizer->find("<|eot_id|>"));
}

// The system's message is trimmed together with the user's; the model writes the spaces around an
// answer.
TEST(ChatTemplateJinja, Llama2) {
  const auto tokenizer = with_tokens({});
  const ChatTemplate form = chat_template_from_jinja(
      "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}"
      "{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages "
      "%}{% set system_message = false %}{% endif %}{% for message in loop_messages %}"
      "{% if loop.index0 == 0 and system_message != false %}{% set content = '<<SYS>>\\n' + "
      "system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = "
      "message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' "
      "+ content.strip() + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' '  + "
      "content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}",
      *tokenizer);
  EXPECT_EQ(form.name, "llama2");
  EXPECT_EQ(render_chat(form, kTold), "<s>[INST] <<SYS>>\n Be brief \n<</SYS>>\n\n Hi [/INST]");
  EXPECT_EQ(render_chat(form, kTalk), "<s>[INST] Hi [/INST] Yes </s><s>[INST] Who [/INST]");
}

TEST(ChatTemplateJinja, Mistral) {
  const auto tokenizer = with_tokens({});
  const auto jinja = [](const std::string& end) {
    return "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != "
           "(loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate') }}{% endif %}"
           "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}"
           "{% elif message['role'] == 'assistant' %}{{ message['content'] + eos_token" +
           end + "}}{% else %}{{ raise_exception('No such role') }}{% endif %}{% endfor %}";
  };
  const ChatTemplate form = chat_template_from_jinja(jinja(""), *tokenizer);
  EXPECT_EQ(form.name, "mistral");
  EXPECT_EQ(render_chat(form, kTalk), "<s>[INST]  Hi \n [/INST] Yes </s>[INST] Who [/INST]");
  EXPECT_THROW(render_chat(form, kTold), Error);
  // Later tokenizers of Mistral have tokens for the brackets.
  const auto later = with_tokens({"[INST]", "[/INST]"});
  const ChatTemplate brackets = chat_template_from_jinja(jinja(""), *later);
  EXPECT_EQ(brackets.tokens, (std::vector<std::string>{"<s>", "</s>", "[INST]", "[/INST]"}));
  EXPECT_EQ(encode_chat_prompt(brackets, *later, std::vector<ChatMessage>{{"user", "a"}}),
            (std::vector<int32_t>{1, 4, 3, 5}));
  const ChatTemplate first = chat_template_from_jinja(jinja(" + ' ' "), *tokenizer);
  EXPECT_EQ(render_chat(first, kTalk), "<s>[INST]  Hi \n [/INST] Yes </s> [INST] Who [/INST]");
}

TEST(ChatTemplateJinja, Zephyr) {
  const auto tokenizer = with_tokens({});
  const auto said = [](const std::string& role) {
    return "\n{{ '<|" + role + "|>\\n' + message['content'] + eos_token }}\n";
  };
  const ChatTemplate form = chat_template_from_jinja(
      "{% for message in messages %}\n{% if message['role'] == 'user' %}" + said("user") +
          "{% elif message['role'] == 'system' %}" + said("system") +
          "{% elif message['role'] == 'assistant' %}" + said("assistant") +
          "{% endif %}\n{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n"
          "{% endif %}\n{% endfor %}",
      *tokenizer);
  EXPECT_EQ(form.name, "zephyr");
  EXPECT_EQ(render_chat(form, kTold),
            "<|system|>\n Be brief </s>\n<|user|>\n Hi </s>\n<|assistant|>\n");
  EXPECT_EQ(render_chat(form, kDone), "<|user|>\nHi</s>\n<|assistant|>\nYes</s>\n");
}

TEST(ChatTemplateJinja, Gemma) {
  const auto tokenizer = with_tokens({"<start_of_turn>", "<end_of_turn>"});
  const ChatTemplate form = chat_template_from_jinja(
      "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('No system') }}"
      "{% endif %}" +
          loop("{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}"
               "{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\\n' + "
               "message['content'] | trim + '<end_of_turn>\\n' }}",
               "<start_of_turn>model\\n"),
      *tokenizer);
  EXPECT_EQ(render_chat(form, kTalk),
            "<s><start_of_turn>user\nHi<end_of_turn>\n<start_of_turn>model\nYes<end_of_turn>\n"
            "<start_of_turn>user\nWho<end_of_turn>\n<start_of_turn>model\n");
  EXPECT_THROW(render_chat(form, kTold), Error);
  // The third Gemma puts the system's message before the user's.
  const ChatTemplate third = chat_template_from_jinja(
      "{{ bos_token }}\n{%- if messages[0]['role'] == 'system' -%}\n    {%- set first = "
      "messages[0]['content'] + '\\n\\n' -%}\n    {%- set rest = messages[1:] -%}\n{%- else -%}\n"
      "    {%- set first = \"\" -%}\n    {%- set rest = messages -%}\n{%- endif -%}\n"
      "{%- for message in rest -%}\n    {{ '<start_of_turn>' + ('model' if message['role'] == "
      "'assistant' else 'user') + '\\n' + (first if loop.first else \"\") }}\n"
      "    {%- if message['content'] is string -%}\n        {{ message['content'] | trim }}\n"
      "    {%- endif -%}\n    {{ '<end_of_turn>\\n' }}\n{%- endfor -%}\n"
      "{%- if add_generation_prompt -%}\n    {{'<start_of_turn>model\\n'}}\n{%- endif -%}\n",
      *tokenizer);
  EXPECT_EQ(third.name, "gemma");
  EXPECT_EQ(render_chat(third, kTold),
            "<s><start_of_turn>user\n Be brief \n\nHi<end_of_turn>\n<start_of_turn>model\n");
}

// What stands before an answer comes with the question; a system message would be lost.
TEST(ChatTemplateJinja, Phi3) {
  const auto tokenizer = with_tokens({"<|user|>", "<|assistant|>", "<|end|>"});
  const ChatTemplate form = chat_template_from_jinja(
      "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') "
      "%}{{'<|user|>' "
      "+ '\\n' + message['content'] + '<|end|>' + '\\n' + '<|assistant|>' + '\\n'}}{% elif "
      "(message['role'] == 'assistant') %}{{message['content'] + '<|end|>' + '\\n'}}{% endif %}"
      "{% endfor %}",
      *tokenizer);
  EXPECT_EQ(render_chat(form, kTalk),
            "<s><|user|>\n Hi \n<|end|>\n<|assistant|>\n Yes <|end|>\n<|user|>\nWho<|end|>\n"
            "<|assistant|>\n");
  EXPECT_THROW(render_chat(form, kTold), Error);
}

TEST(ChatTemplateJinja, Alpaca) {
  const auto tokenizer = with_tokens({});
  const ChatTemplate form = chat_template_from_jinja(
      loop("{% if message['role'] == 'system' %}{{ message['content'] + '\\n\\n' }}{% elif "
           "message['role'] == 'user' %}{{ '### Instruction:\\n' + message['content'] + '\\n\\n' }}"
           "{% else %}{{ '### Response:\\n' + message['content'] + eos_token + '\\n\\n' }}"
           "{% endif %}",
           "### Response:\\n"),
      *tokenizer);
  EXPECT_EQ(render_chat(form, kTalk),
            "### Instruction:\n Hi \n\n\n### Response:\n Yes </s>\n\n### Instruction:\nWho\n\n"
            "### Response:\n");
}

std::string refusal(const std::string& jinja, const Tokenizer& tokenizer) {
  try {
    chat_template_from_jinja(jinja, tokenizer);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ChatTemplateJinja, WhatIsNotKnownIsRefused) {
  const auto tokenizer = with_tokens({"<|im_start|>"});
  const std::string frames = "it is not made of frames around the messages";
  EXPECT_EQ(refusal("{{ 'always the same' }}", *tokenizer), frames);
  EXPECT_EQ(refusal("{{ messages | nofilter }}", *tokenizer),
            "the filter nofilter is not supported");
  EXPECT_EQ(refusal("{% call x() %}{% endcall %}", *tokenizer), "{% call %} is not supported");
  EXPECT_EQ(refusal("{{ f(1) }}", *tokenizer), "the function f is not supported");
  EXPECT_EQ(refusal("{{ messages }}", *tokenizer),
            "writing a list or a map as text is not supported");
  EXPECT_EQ(refusal("{{ strftime_now('%Y') }}", *tokenizer), "it depends on the date");
  EXPECT_EQ(refusal("\xff" + kChatMl, *tokenizer), "it is not UTF-8");
  EXPECT_EQ(refusal("{% if true %}", *tokenizer), "an if without endif");
  EXPECT_EQ(refusal("{% for a in messages %}", *tokenizer), "a for without endfor");
  EXPECT_EQ(refusal("{{ 'a", *tokenizer), "{{ without }}");
  // The answers have no end, and the token <|im_end|> is not in the vocabulary.
  EXPECT_TRUE(refusal(kChatMl, *tokenizer).find("must begin with a token that ends it") !=
              std::string::npos)
      << refusal(kChatMl, *tokenizer);
  // Only the last question is shown.
  EXPECT_EQ(refusal("{{ messages[-1]['content'] + eos_token }}", *tokenizer), frames);
  // Something depends on how many messages there are.
  EXPECT_EQ(
      refusal("{{ messages | length }}" + kChatMl, *with_tokens({"<|im_start|>", "<|im_end|>"})),
      frames);
  const std::string nested(3000, '(');
  EXPECT_EQ(refusal("{{ " + nested + " }}", *tokenizer), "an expression is too long");
  std::string loops;
  for (int i = 0; i < 30; ++i) loops += "{% for a in [1, 2, 3, 4] %}";
  for (int i = 0; i < 30; ++i) loops += "{% endfor %}";
  EXPECT_EQ(refusal(loops, *tokenizer), "the template does not come to an end");
}

// Llama 3.2's asks for the date if it can; one that does so only for tools is none of our business.
TEST(ChatTemplateJinja, TheDate) {
  const auto tokenizer = with_tokens({"<|im_start|>", "<|im_end|>"});
  const std::string dated = "{% if strftime_now is defined %}{{ strftime_now('%d') }}{% endif %}";
  EXPECT_EQ(refusal(dated + kChatMl, *tokenizer), "it depends on the date");
  EXPECT_EQ(refusal("{% if messages[0]['role'] == 'system' %}" + dated + "{% endif %}" + kChatMl,
                    *tokenizer),
            "it depends on the date");
  EXPECT_EQ(
      chat_template_from_jinja("{% if tools %}" + dated + "{% endif %}" + kChatMl, *tokenizer).name,
      "chatml");
}

// As newer ones are written: macros for what a message can be, and much that needs tools.
TEST(ChatTemplateJinja, Macros) {
  const auto tokenizer = with_tokens({"<|im_start|>", "<|im_end|>"});
  const ChatTemplate form = chat_template_from_jinja(
      "{%- macro text_of(content, role='user') -%}{%- if content is string -%}{{- content -}}"
      "{%- else -%}{%- for item in content if item.type == 'text' -%}{{ item['text'] }}"
      "{%- endfor -%}{%- endif -%}{%- endmacro -%}\n"
      "{%- set thinking = thinking | default(false) -%}\n"
      "{%- if tools -%}{%- for name, tool in tools.items() -%}{{ tool | tojson(indent=4) }}"
      "{%- break -%}{%- endfor -%}{%- endif -%}\n"
      "{%- for message in messages -%}\n{{- '<|im_start|>' + message.role + '\\n' -}}\n"
      "{{- text_of(message.content, role=message.role) + '<|im_end|>\\n' -}}\n{%- endfor -%}\n"
      "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}\n",
      *tokenizer);
  EXPECT_EQ(form.name, "chatml");
}

std::string rendered(const std::string& jinja) {
  return render_jinja(jinja, {.messages = kTalk, .bos = "<s>", .eos = "</s>"});
}

TEST(Jinja, WhiteSpace) {
  EXPECT_EQ(rendered("a  {% if true %}  \n  b\n  {% endif %} c\n   {# note #}\n\n  {{ 'x' }}\n"),
            "a    \n  b\n c\n\n  x");
  EXPECT_EQ(rendered("a\n {%+ if true %}y{% endif +%}\nz {{- ' q ' -}}  \n w\n"), "a\n y\nz q w");
  EXPECT_EQ(rendered("{ {a} }{"), "{ {a} }{");
}

TEST(Jinja, Expressions) {
  EXPECT_EQ(rendered("{{ 7 // 2 + 5 % 3 - 1 }}"), "4");
  EXPECT_EQ(rendered("{{ 'a' ~ 1 ~ true }}{{ nothing }}{{ messages[9] }}"), "a1True");
  EXPECT_EQ(rendered("{{ 'yes' if 'b' in 'abc' and 'x' not in ['y'] else 'no' }}"), "yes");
  EXPECT_EQ(rendered("{{ ('a' if false else 'b' if false else 'c') + 'd' }}"), "cd");
  EXPECT_EQ(rendered("{{ ' a '.strip() + ' b ' | trim + ' c'.lstrip() }}"), "abc");
  EXPECT_EQ(rendered("{{ messages[1:] | length >= 2 and not tools }}"), "True");
  EXPECT_EQ(rendered("{{ 'it\\'s' if bos_token.startswith('<') else raise_exception('no') }}"),
            "it's");
  EXPECT_EQ(rendered("{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + "
                     "loop.index %}{% set x = 1 %}{% endfor %}{{ ns.n }}{{ x }}"),
            "6");
  EXPECT_THROW(rendered("{{ raise_exception('a reason') }}"), Error);
  EXPECT_THROW(rendered("{{ 'a' + 1 }}"), Error);
  EXPECT_THROW(rendered("{{ 1 % 0 }}"), Error);
  EXPECT_THROW(rendered("{{ 99999999999 }}"), Error);
}

TEST(Jinja, Macros) {
  EXPECT_EQ(
      rendered("{% macro f(a, b='x') %}<{{ a }}{{ b }}>{% endmacro %}{{ f(1) }}{{ f(b=2, a=3) "
               "}}{{ f('y', 4) | length }}"),
      "<1x><32>4");
  // A macro sees what is outside of everything, not where it is called.
  EXPECT_EQ(rendered("{% set g = 'g' %}{% macro f() %}{{ g }}{{ m }}{% set g = 'i' %}{% endmacro %}"
                     "{% for m in [1, 2] %}{{ f() }}{% endfor %}{{ g }}"),
            "ggg");
  EXPECT_EQ(rendered("{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}"
                     "{{ f(3) }}"),
            "3210");
  EXPECT_THROW(rendered("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), Error);
  EXPECT_THROW(rendered("{% macro f() %}{% endmacro %}{{ f(1) }}"), Error);
  EXPECT_THROW(rendered("{% macro f() %}"), Error);
}

TEST(Jinja, FiltersAndMethods) {
  EXPECT_EQ(rendered("{{ messages[1] | tojson }}"), R"({"role": "assistant", "content": " Yes "})");
  EXPECT_EQ(rendered("{{ [1, 'a\"\\nä', true, none, []] | tojson }}"),
            "[1, \"a\\\"\\nä\", true, null, []]");
  EXPECT_EQ(rendered("{{ [1, [messages[1].role]] | tojson(indent=2) }}"),
            "[\n  1,\n  [\n    \"assistant\"\n  ]\n]");
  EXPECT_EQ(
      rendered("{{ nothing | default('d') }}{{ '' | default('e') }}{{ '' | default('f', true) }}"),
      "df");
  EXPECT_EQ(rendered("{{ 'user' | upper }} {{ 'uSER role' | capitalize }} {{ 'a role'.title() }}"),
            "USER User role A Role");
  EXPECT_EQ(rendered("{{ 'a,b,c'.split(',')[-1] }}{{ ['x', 'y'] | join('-') }}{{ [1, 2] | last }}"),
            "cx-y2");
  EXPECT_EQ(rendered("{{ '\n\na\n'.lstrip('\n') }}{{ 'abc'.replace('b', 'xx') }}"), "a\naxxc");
  EXPECT_EQ(rendered("{{ messages[0].get('role') }}{{ messages[0].get('tools', 'none') }}"),
            "usernone");
  EXPECT_EQ(rendered("{% for k, v in messages[1].items() %}{{ k }}={{ v }};{% endfor %}"),
            "role=assistant;content= Yes ;");
  EXPECT_EQ(rendered("{{ 'ä' | length }}"), "1");
}

TEST(Jinja, Slices) {
  const std::string list = "{% set l = [0, 1, 2, 3, 4] %}";
  EXPECT_EQ(rendered(list + "{{ l[1:3] | tojson }}{{ l[:-1] | tojson }}{{ l[-2:] | tojson }}"),
            "[1, 2][0, 1, 2, 3][3, 4]");
  EXPECT_EQ(rendered(list + "{{ l[::-1] | tojson }}{{ l[::2] | tojson }}{{ l[9:] | tojson }}"),
            "[4, 3, 2, 1, 0][0, 2, 4][]");
  EXPECT_EQ(rendered(list + "{{ l[3:1:-1] | tojson }}{{ l[-9:2] | tojson }}"), "[3, 2][0, 1]");
}

TEST(Jinja, LoopsAndSets) {
  EXPECT_EQ(
      rendered("{% for m in messages if m.role == 'user' %}{{ loop.index }}{{ loop.revindex }}"
               "{{ loop.previtem is defined }}{{ m.content }};{% endfor %}"),
      "12False Hi \n;21TrueWho;");
  EXPECT_EQ(rendered("{% set x %}a{{ 1 + 1 }}{% endset %}[{{ x }}]"), "[a2]");
  EXPECT_EQ(rendered("{{ '}}' }}{{ \"%}\" }}{% if '%}' != '' %}y{% endif %}"), "}}%}y");
  EXPECT_EQ(rendered("{{ 'b' in ('a', 'b') }}{{ ([1] + [2]) | tojson }}"), "True[1, 2]");
  // What is not taken may be anything.
  EXPECT_EQ(
      rendered("{% if false %}{% break %}{{ f(x | nofilter) }}{% for a, b, c in d %}{% endfor %}"
               "{% set y %}z{% endset %}{% endif %}ok"),
      "ok");
  // A namespace that contains itself is freed.
  EXPECT_EQ(rendered("{% set n = namespace(a=1) %}{% set n.b = n %}{% set n.c = [n] %}{{ n.b.a }}"),
            "1");
}

TEST(Jinja, NothingGrowsWithoutEnd) {
  const std::string many =
                        "{% for m in messages %}{% for n in messages %}{% for o in messages %}"
                        "{% for p in messages %}",
                    ends = "{% endfor %}{% endfor %}{% endfor %}{% endfor %}";
  const std::string begin = "{% set ns = namespace(x=7, t='ab') %}" + many;
  EXPECT_THROW(rendered(begin + "{% set ns.x = ns.x + ns.x %}" + ends), Error);
  EXPECT_THROW(rendered(begin + "{% set ns.t = ns.t + ns.t %}" + ends), Error);
  EXPECT_THROW(rendered(begin + "{% set ns.t = ns.t ~ ns.t %}" + ends), Error);
  // Nor does it take long: lists of long texts, read again and again.
  std::string list = "ns.t";
  for (int i = 0; i < 60; ++i) list += ", ns.t";
  const std::string grown = "{% set ns = namespace(t='" + std::string(100'000, 'a') + "') %}";
  EXPECT_THROW(rendered(grown + many + "{% set x = [" + list + "] %}" + ends), Error);
  EXPECT_THROW(rendered(grown + many + "{% set x = [" + list + "] | tojson %}" + ends), Error);
  std::string nested = "x";
  for (int i = 0; i < 150; ++i) nested = "{% if true %}" + nested + "{% endif %}";
  EXPECT_THROW(rendered(nested), Error);
}

}  // namespace
}  // namespace heed::chat_jinja_test

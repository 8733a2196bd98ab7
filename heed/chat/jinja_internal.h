// Chat templates of Hugging Face: the part of Jinja that most of them use, with trim_blocks and
// lstrip_blocks, as transformers has them.
//
//   {{ expression }}   {% if %} {% elif %} {% else %} {% for x in list %} {% for x, y in list %}
//   {% set x = .. %} {% set x %} .. {% endset %} {% macro f(a, b=1) %} .. {% endmacro %}   {# #}
//   {{- and -}} take the white space around them away
//
// What stands in a branch that is not taken may use anything. The date is not known: a template
// that writes it is refused.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/chat/chat_template.h"

namespace heed {

struct JinjaChat {
  std::span<const ChatMessage> messages;
  std::string bos, eos;
  bool add_generation_prompt = false;
};

// An Error that says what is not supported, or what raise_exception was given.
std::string render_jinja(std::string_view text, const JinjaChat& chat);

}  // namespace heed

// Messages of the program on stderr.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace heed {

// A message that cannot be written, because the disk is full, the descriptor is closed or nobody
// reads it any more, is lost: that must not end the work. Control characters in it become '?',
// except line feeds and tabs.
void write_message(std::string_view text) noexcept;

// say("wrote {}\n", path)
template <typename... Args>
void say(fmt::format_string<Args...> text, const Args&... args) noexcept {
  try {
    write_message(fmt::vformat(text, fmt::make_format_args(args...)));
  } catch (...) {  // there is no memory for a message
    return;
  }
}

// The line of a terminal that stands for progress, over what it showed before.
void redraw_line(std::string_view text) noexcept;

}  // namespace heed

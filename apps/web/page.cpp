#include "apps/web/page.h"

// The assembler copies the file, which is on its include path, into the program.
asm(R"(
.pushsection .rodata
heed_page_begin:
.incbin "page.html"
heed_page_end:
.byte 0
.popsection
)");

extern "C" const char heed_page_begin[];
extern "C" const char heed_page_end[];

namespace heed {

std::string_view page_html() {
  return {heed_page_begin, static_cast<size_t>(heed_page_end - heed_page_begin)};
}

std::string page_with_data(std::string_view json) {
  constexpr std::string_view kPlace = "<!--heed-data-->";
  const std::string_view page = page_html();
  const size_t place = page.find(kPlace);
  std::string result(page.substr(0, place));
  result += R"(<script type="application/json" id="heed-data">)";
  for (const char c : json) {  // no tag can begin inside
    if (c == '<') {
      result += "\\u003c";
    } else {
      result += c;
    }
  }
  result += "</script>";
  result += page.substr(place + kPlace.size());
  return result;
}

}  // namespace heed

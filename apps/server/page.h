// The page: one self-contained HTML file inside the program.
#pragma once

#include <string_view>

namespace heed::server {

std::string_view page_html();

}  // namespace heed::server

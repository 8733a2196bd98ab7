// The page of heed: one HTML file, made from apps/web by the build, that asks nobody but the server
// it came from.
#pragma once

#include <string>
#include <string_view>

namespace heed {

std::string_view page_html();

// The page with data of its own, which then needs no server. The JSON is {"view": "attend", "data":
// the answer of /api/attention}.
std::string page_with_data(std::string_view json);

}  // namespace heed

// Text without accents: canonical decomposition (NFD of Unicode 14), then nonspacing marks (Mn) are
// left out.
//
// "\u00c9t\u00e9" becomes "Ete". Syllables of Hangul come apart into their letters. Bytes that are
// not UTF-8 become U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace heed {

std::string strip_accents(std::string_view text);

}  // namespace heed

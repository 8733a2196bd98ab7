// The words of mteval-v13a, the tokenizer of WMT and the default of sacreBLEU.
//
//   1. "<skipped>" and a hyphen before a line break vanish, other line breaks become spaces; the
//      entities &quot; &amp; &lt; &gt; become what they stand for
//   2. the ASCII punctuation except ' , - . stands apart
//   3. a full stop or a comma stands apart unless it has a digit on both sides
//   4. a hyphen behind a digit stands apart
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heed {

std::vector<std::string> words_13a(std::string_view text);

}  // namespace heed

// A walk over the sentences of a corpus with their references.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/fail.h"

namespace heed {

inline std::span<const std::string> references_of(const std::vector<std::string>& several) {
  return several;
}
inline std::span<const std::string> references_of(const std::string& one) { return {&one, 1}; }

// Calls use(hypothesis, its references) for every sentence; `references` holds strings or lists of
// strings. Returns the number of references per sentence, 0 if it varies. `what` stands in
// messages.
template <typename Reference, typename Use>
int64_t for_each_sentence(std::string_view what, std::span<const std::string> hypotheses,
                          std::span<const Reference> references, Use use) {
  check(hypotheses.size() == references.size(),
        "{}: {} hypotheses, but references of {} sentences; there must be as many", what,
        hypotheses.size(), references.size());
  int64_t number = references.empty() ? 1 : -1;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const std::span<const std::string> here = references_of(references[i]);
    check(!here.empty(), "{}: sentence {} has no reference", what, i + 1);
    const auto count = static_cast<int64_t>(here.size());
    number = number == -1 || number == count ? count : 0;
    use(std::string_view(hypotheses[i]), here);
  }
  return number;
}

}  // namespace heed

#include "heed/corpora/reversed_corpus.h"

#include <string>

#include "heed/base/draw.h"
#include "heed/base/fail.h"
#include "heed/corpora/corpus_part_internal.h"

namespace heed {
namespace {

constexpr uint64_t kReversedSite = 0x72657665;  // "reve"
constexpr uint64_t kLetters = 10;
constexpr size_t kDivided = 4;  // letters, from which on the parts are disjoint

std::string spaced(const std::string& letters) {
  std::string text;
  for (const char letter : letters) {
    if (!text.empty()) text += ' ';
    text += letter;
  }
  return text;
}

}  // namespace

TextPair reversed_pair(CorpusPart part, uint64_t seed, int64_t index, int64_t longest) {
  check(longest >= 1 && longest <= 10000, "reversed_pair: longest is {}, expected 1 to 10000",
        longest);
  Draw draw{kReversedSite, static_cast<uint64_t>(part), seed, static_cast<uint64_t>(index)};
  while (true) {
    std::string letters(1 + draw.below(static_cast<uint64_t>(longest)), ' ');
    for (char& letter : letters) letter = static_cast<char>('a' + draw.below(kLetters));
    if (letters.size() >= kDivided && part_of(hash_text(letters)) != part) continue;
    return {spaced(letters), spaced({letters.rbegin(), letters.rend()})};
  }
}

}  // namespace heed

#include "heed/corpora/phrase_corpus.h"

#include <algorithm>
#include <optional>

#include "heed/base/draw.h"
#include "heed/corpora/corpus_part_internal.h"
#include "heed/corpora/phrase_lexicon_internal.h"

namespace heed {
namespace {

constexpr uint64_t kPhraseSite = 0x70687261;  // "phra"

struct NounPhrase {
  const Determiner* determiner = nullptr;
  std::vector<const Adjective*> adjectives;  // in the order of English
  const Noun* noun = nullptr;
};

struct Phrase {
  NounPhrase head;
  std::optional<NounPhrase> complement;
};

// Drawing.

const Noun& draw_noun(unsigned kinds, Draw& draw) {
  while (true) {
    const Noun& noun = draw.one_of(phrase_nouns());
    if ((noun.kind & kinds) != 0) return noun;
  }
}

const Determiner& draw_determiner(bool in_complement, Draw& draw) {
  uint64_t total = 0;
  const auto weight = [&](const Determiner& d) {
    return in_complement && !d.in_complement ? 0 : d.weight;
  };
  for (const Determiner& d : phrase_determiners()) total += weight(d);
  uint64_t at = draw.below(total);
  for (const Determiner& d : phrase_determiners()) {
    if (at < weight(d)) return d;
    at -= weight(d);
  }
  return phrase_determiners().back();
}

// Two adjectives that may stand together, in this order in English. In front of a French noun, two
// of them are only those that French puts together.
bool go_together(const Adjective& first, const Adjective& second) {
  if (first.rank >= second.rank) return false;
  if (!first.in_front || !second.in_front) return true;
  if (first.english == "beautiful") return second.english != "new";
  return second.english == "old" && first.english != "bad";
}

const Adjective& draw_adjective(const Noun& noun, Draw& draw) {
  while (true) {
    // The few that stay in front are drawn as often as half of the others together.
    const bool in_front = draw.chance(33);
    const Adjective& adjective = draw.one_of(phrase_adjectives());
    if (adjective.in_front == in_front && (adjective.kinds & noun.kind) != 0) return adjective;
  }
}

NounPhrase draw_noun_phrase(unsigned kinds, bool in_complement, Draw& draw) {
  NounPhrase phrase;
  phrase.noun = &draw_noun(kinds, draw);
  phrase.determiner = &draw_determiner(in_complement, draw);
  const uint64_t kind = draw.below(100);
  const int count = in_complement ? (kind < 60 ? 0 : 1) : (kind < 8 ? 0 : kind < 50 ? 1 : 2);
  if (count == 0) return phrase;
  phrase.adjectives.push_back(&draw_adjective(*phrase.noun, draw));
  while (count == 2) {
    const Adjective& first = draw_adjective(*phrase.noun, draw);
    const Adjective& second = draw_adjective(*phrase.noun, draw);
    if (!go_together(first, second)) continue;
    phrase.adjectives = {&first, &second};
    break;
  }
  return phrase;
}

// "the sister of the king", not "my sister of the king".
bool takes_complement(const Determiner& determiner) {
  constexpr std::string_view kTakers[] = {"the",     "a",   "some",  "this", "these",
                                          "several", "two", "three", "four", "five"};
  return std::find(std::begin(kTakers), std::end(kTakers), determiner.english) != std::end(kTakers);
}

Phrase draw_phrase(Draw& draw) {
  Phrase phrase;
  phrase.head = draw_noun_phrase(kPerson | kAnimal | kThing | kPlace, false, draw);
  if (takes_complement(*phrase.head.determiner) && draw.chance(35)) {
    const unsigned owners = phrase.head.noun->kind == kThing ? kPerson : kPerson | kPlace;
    phrase.complement = draw_noun_phrase(owners, true, draw);
  }
  return phrase;
}

// English.

// "an" before the sound of a vowel.
bool takes_an(std::string_view word) {
  return word != "useful" && std::string_view("aeiouAEIOU").find(word.front()) != std::string::npos;
}

std::vector<std::string_view> english(const NounPhrase& phrase) {
  std::vector<std::string_view> words{phrase.determiner->english};
  for (const Adjective* adjective : phrase.adjectives) words.push_back(adjective->english);
  words.push_back(phrase.noun->english[static_cast<size_t>(phrase.determiner->number)]);
  if (words[0] == "a" && takes_an(words[1])) words[0] = "an";
  return words;
}

// French.

struct Word {
  std::string_view text;
  int32_t source;  // index of the English word
};

// `vowel`: the next word begins with one.
std::string_view form(const Adjective& adjective, Gender gender, Number number, bool vowel) {
  const bool feminine = gender == Gender::feminine, plural = number == Number::plural;
  const std::string_view before_vowel = adjective.french[4];
  if (vowel && !feminine && !plural && !before_vowel.empty()) return before_vowel;
  return adjective.french[(plural ? 2u : 0u) + (feminine ? 1u : 0u)];
}

std::string_view form(const Determiner& determiner, Gender gender, bool vowel) {
  const size_t at = gender == Gender::feminine ? 1 : 0;
  const std::string_view before_vowel = determiner.french[2 + at];
  return vowel && !before_vowel.empty() ? before_vowel : determiner.french[at];
}

// The French words of a noun phrase whose English begins at word `begin`. They are found from the
// last to the first, because each depends on how the next one begins.
std::vector<Word> french(const NounPhrase& phrase, int32_t begin) {
  const Noun& noun = *phrase.noun;
  const Number number = phrase.determiner->number;
  const auto count = static_cast<int32_t>(phrase.adjectives.size());
  std::vector<Word> words;  // backward
  const auto add_adjectives = [&](bool in_front, int32_t from, int32_t to, int32_t step) {
    for (int32_t i = from; i != to; i += step) {
      const Adjective& adjective = *phrase.adjectives[i];
      if (adjective.in_front != in_front) continue;
      const bool vowel = !words.empty() && begins_with_vowel(words.back().text);
      words.push_back({form(adjective, noun.gender, number, vowel), begin + 1 + i});
    }
  };
  add_adjectives(false, 0, count, 1);
  words.push_back({noun.french[static_cast<size_t>(number)], begin + 1 + count});
  const size_t behind = words.size();
  add_adjectives(true, count - 1, -1, -1);

  std::string_view determiner =
      form(*phrase.determiner, noun.gender, begins_with_vowel(words.back().text));
  if (determiner == "des" && words.size() > behind) determiner = "de";  // de grands arbres
  words.push_back({determiner, begin});
  std::reverse(words.begin(), words.end());
  return words;
}

// "of" and a noun phrase: de la maison, du roi, des rois, d' une maison.
std::vector<Word> french_complement(const NounPhrase& phrase, int32_t of) {
  std::vector<Word> words = french(phrase, of + 1);
  const std::string_view determiner = words[0].text;
  if (determiner == "le" || determiner == "les") {
    words[0] = {determiner == "le" ? "du" : "des", of};
  } else {
    words.insert(words.begin(), {begins_with_vowel(determiner) ? "d'" : "de", of});
  }
  return words;
}

void append_word(std::string& text, std::string_view word) {
  if (!text.empty()) text += ' ';
  text += word;
}

AlignedPair translated(const Phrase& phrase) {
  std::vector<std::string_view> source = english(phrase.head);
  std::vector<Word> target = french(phrase.head, 0);
  if (phrase.complement) {
    const auto of = static_cast<int32_t>(source.size());
    source.push_back("of");
    for (const std::string_view word : english(*phrase.complement)) source.push_back(word);
    for (const Word& word : french_complement(*phrase.complement, of)) target.push_back(word);
  }
  AlignedPair pair;
  for (const std::string_view word : source) append_word(pair.source, word);
  for (const Word& word : target) {
    append_word(pair.target, word.text);
    pair.alignment.push_back(word.source);
  }
  return pair;
}

}  // namespace

AlignedPair phrase_pair(CorpusPart part, uint64_t seed, int64_t index) {
  Draw draw{kPhraseSite, static_cast<uint64_t>(part), seed, static_cast<uint64_t>(index)};
  while (true) {
    AlignedPair pair = translated(draw_phrase(draw));
    if (part_of(hash_text(pair.source)) == part) return pair;
  }
}

}  // namespace heed

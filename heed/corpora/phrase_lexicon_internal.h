// The words of the phrase corpus.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace heed {

enum class Gender : uint8_t { masculine, feminine };
enum class Number : uint8_t { singular, plural };

// What a noun means, as bits: an adjective says which of them it goes with.
inline constexpr unsigned kPerson = 1, kAnimal = 2, kThing = 4, kPlace = 8;

struct Noun {
  unsigned kind;
  Gender gender;
  std::array<std::string_view, 2> english;  // by Number
  std::array<std::string_view, 2> french;
};

// The order of adjectives in English.
enum class Rank : uint8_t { opinion, size, quality, age, color };

struct Adjective {
  std::string_view english;
  // Masculine and feminine singular, masculine and feminine plural, masculine singular before a
  // vowel (empty: as before a consonant).
  std::array<std::string_view, 5> french;
  Rank rank;
  bool in_front;  // of the noun, in French
  unsigned kinds;
};

struct Determiner {
  std::string_view english;
  Number number;
  // Masculine, feminine; masculine and feminine before a vowel (empty: as before a consonant).
  std::array<std::string_view, 4> french;
  unsigned weight;     // how often it is drawn
  bool in_complement;  // after "of"
};

std::span<const Noun> phrase_nouns();
std::span<const Adjective> phrase_adjectives();
std::span<const Determiner> phrase_determiners();

// Whether articles are elided before a French word: it begins with a vowel or a silent h.
bool begins_with_vowel(std::string_view french);

}  // namespace heed

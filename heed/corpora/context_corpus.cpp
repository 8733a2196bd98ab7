#include "heed/corpora/context_corpus.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "heed/base/draw.h"
#include "heed/corpora/corpus_part_internal.h"

namespace heed {
namespace {

using Kind = ContextSentence::Kind;

constexpr uint64_t kSite = 0x636f6e74;  // "cont"

struct Translated {
  std::string_view english, french;
};

// French of a noun has its article; adjectives have both genders.
struct TranslatedNoun {
  std::string_view english, french;
  bool feminine;
};

struct TranslatedAdjective {
  std::string_view english, masculine, feminine;
};

constexpr Translated kSeasons[] = {{"summer", "l' été"},
                                   {"winter", "l' hiver"},
                                   {"spring", "le printemps"},
                                   {"autumn", "l' automne"}};
constexpr Translated kOwners[] = {
    {"my", "ma"}, {"your", "votre"}, {"our", "notre"}, {"his", "sa"}, {"their", "leur"}};
constexpr Translated kLiked[] = {
    {"favorite", "préférée"}, {"second", "deuxième"}, {"usual", "habituelle"}};
constexpr Translated kVehicles[] = {
    {"train", "la gare"}, {"bus", "la gare routière"}, {"metro", "la station de métro"}};
constexpr Translated kTranslatedPlaces[] = {{"around the corner", "au coin de la rue"},
                                            {"behind the church", "derrière l' église"},
                                            {"near the river", "près de la rivière"},
                                            {"in front of the school", "devant l' école"},
                                            {"on the left", "à gauche"},
                                            {"at the end of the street", "au bout de la rue"},
                                            {"next to the bank", "à côté de la banque"}};

constexpr TranslatedNoun kPeople[] = {{"woman", "la femme", true},
                                      {"man", "l' homme", false},
                                      {"girl", "la fille", true},
                                      {"boy", "le garçon", false},
                                      {"queen", "la reine", true},
                                      {"king", "le roi", false},
                                      {"aunt", "la tante", true},
                                      {"uncle", "l' oncle", false},
                                      {"grandmother", "la grand-mère", true},
                                      {"grandfather", "le grand-père", false},
                                      {"nurse", "l' infirmière", true},
                                      {"baker", "le boulanger", false}};
constexpr Translated kBegun[] = {{"started", "a commencé"}, {"finished", "a terminé"}};
constexpr TranslatedNoun kWork[] = {{"journey", "le voyage", false}, {"race", "la course", true},
                                    {"work", "le travail", false},   {"walk", "la promenade", true},
                                    {"lesson", "la leçon", true},    {"meal", "le repas", false}};
constexpr TranslatedNoun kRooms[] = {{"house", "la maison", true},   {"room", "la pièce", true},
                                     {"garage", "le garage", false}, {"office", "le bureau", false},
                                     {"shop", "le magasin", false},  {"car", "la voiture", true}};
constexpr TranslatedAdjective kOfPeople[] = {
    {"tired", "fatigué", "fatiguée"},   {"happy", "heureux", "heureuse"},
    {"nervous", "nerveux", "nerveuse"}, {"alone", "seul", "seule"},
    {"angry", "fâché", "fâchée"},       {"satisfied", "satisfait", "satisfaite"}};
constexpr TranslatedAdjective kOfRooms[] = {{"open", "ouvert", "ouverte"},
                                            {"closed", "fermé", "fermée"},
                                            {"lit", "éclairé", "éclairée"},
                                            {"heated", "chauffé", "chauffée"}};

// The sentences of the notes.
constexpr std::string_view kShown[] = {
    "summer is my favorite station", "winter is my favorite station",
    "the train station is around the corner", "the woman started the journey tired"};

template <typename... Parts>
std::string join(const Parts&... parts) {
  std::string text;
  for (const std::string_view part : {std::string_view(parts)...}) {
    if (!text.empty()) text += ' ';
    text += part;
  }
  return text;
}

ContextSentence draw_station(Draw& draw) {
  const Translated &owner = draw.one_of(kOwners), &liked = draw.one_of(kLiked);
  const Translated &season = draw.one_of(kSeasons), &place = draw.one_of(kTranslatedPlaces);
  const bool second = liked.english == "second";  // French puts it in front
  const auto owned = [&](std::string_view noun) {
    return second ? join(owner.french, liked.french, noun) : join(owner.french, noun, liked.french);
  };
  switch (draw.below(4)) {
    case 0:
      return {{join(season.english, "is", owner.english, liked.english, "station"),
               join(season.french, "est", owned("saison"))},
              Kind::season,
              4};
    case 1:
      return {{join(owner.english, liked.english, "station", "is", season.english),
               join(owned("saison"), "est", season.french)},
              Kind::season,
              2};
    case 2:
      return {{join(owner.english, liked.english, "station", "is", place.english),
               join(owned("gare"), "est", place.french)},
              Kind::place,
              2};
    default: {
      const Translated& vehicle = draw.one_of(kVehicles);
      return {{join("the", vehicle.english, "station", "is", place.english),
               join(vehicle.french, "est", place.french)},
              Kind::place,
              2};
    }
  }
}

ContextSentence draw_action(Draw& draw) {
  const TranslatedNoun& who = draw.one_of(kPeople);
  const bool left = draw.chance(60);
  const bool of_object = left && draw.chance(60);
  const TranslatedNoun& what = left ? draw.one_of(kRooms) : draw.one_of(kWork);
  // "left" is to go away from a room, or to let it be.
  const Translated verb =
      left ? Translated{"left", of_object ? "a laissé" : "a quitté"} : draw.one_of(kBegun);
  const TranslatedAdjective& adjective = of_object ? draw.one_of(kOfRooms) : draw.one_of(kOfPeople);
  const bool feminine = of_object ? what.feminine : who.feminine;
  return {{join("the", who.english, verb.english, "the", what.english, adjective.english),
           join(who.french, verb.french, what.french,
                feminine ? adjective.feminine : adjective.masculine)},
          of_object ? Kind::of_object : Kind::of_subject,
          5,
          1,
          4};
}

CorpusPart part_of_text(std::string_view text) {
  const bool shown = std::find(std::begin(kShown), std::end(kShown), text) != std::end(kShown);
  return shown ? CorpusPart::test : part_of(hash_text(text));
}

}  // namespace

ContextSentence context_sentence(CorpusPart part, uint64_t seed, int64_t index) {
  Draw draw{kSite, static_cast<uint64_t>(part), seed, static_cast<uint64_t>(index)};
  while (true) {
    ContextSentence sentence = draw.chance(50) ? draw_station(draw) : draw_action(draw);
    if (part_of_text(sentence.text.source) == part) return sentence;
  }
}

}  // namespace heed

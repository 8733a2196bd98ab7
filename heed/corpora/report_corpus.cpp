#include "heed/corpora/report_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/draw.h"
#include "heed/corpora/corpus_part_internal.h"

namespace heed {
namespace {

using std::string_view;

constexpr uint64_t kReportSite = 0x7265706f;  // "repo"

constexpr string_view kFirstNames[] = {"Anna",  "Ben",   "Clara", "David", "Emma", "Felix", "Greta",
                                       "Henry", "Ida",   "Jack",  "Karen", "Leo",  "Maria", "Nils",
                                       "Olga",  "Peter", "Rosa",  "Simon", "Tina", "Victor"};
constexpr string_view kLastNames[] = {"Archer", "Baker",  "Carter", "Dean",   "Fisher", "Gray",
                                      "Hill",   "Keller", "Lang",   "Miller", "North",  "Palmer",
                                      "Reed",   "Stone",  "Turner", "West"};
constexpr string_view kPlaces[] = {"Ashton",  "Bramley", "Colby",    "Dunmore", "Elmwood",
                                   "Fairley", "Grafton", "Holbrook", "Kirkton", "Linden",
                                   "Marlow",  "Norwick", "Oakford",  "Penrose", "Redhill",
                                   "Stanton", "Thornby", "Weston"};
constexpr string_view kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                 "Friday", "Saturday", "Sunday"};
constexpr string_view kContests[] = {"bicycle race",   "chess tournament", "singing contest",
                                     "baking contest", "boat race",        "swimming race",
                                     "quiz night",     "marathon"};
constexpr string_view kAccidents[] = {"fire",      "flood",     "storm",
                                      "landslide", "explosion", "train accident"};
constexpr string_view kBuildings[] = {"library", "school",  "bridge",      "theater",
                                      "museum",  "station", "market hall", "swimming pool"};
constexpr string_view kCauses[] = {"a broken cable", "heavy rain",           "an old gas pipe",
                                   "strong wind",    "a child with matches", "melting snow",
                                   "a rusty valve",  "a fallen tree"};
constexpr string_view kWeather[] = {"fine", "cold", "wet", "windy"};

// What a letter in braces stands for. Capitals are the facts, {a} is the article of {E}; the other
// small letters are people, places, days, numbers in the sentences that do not matter.
struct World {
  std::vector<std::pair<char, std::string>> slots;

  string_view at(char letter) const {
    const auto found = std::find_if(slots.begin(), slots.end(),
                                    [&](const auto& slot) { return slot.first == letter; });
    return found->second;
  }
};

// The sentences about one kind of event.
struct Story {
  std::vector<string_view> openings;
  std::vector<string_view> main_facts;
  string_view summary;
  // Another main fact that some reports have instead (an accident in which nobody was hurt).
  std::vector<string_view> other_facts;
  string_view other_summary;
  std::vector<string_view> extra_facts;
  string_view extra_summary;
  std::vector<string_view> distractors;
};

const Story kContest{
    .openings = {"The {E} took place in {P} on {D}.", "On {D}, {P} held its {E}.",
                 "Many guests came to {P} on {D} for the {E}."},
    .main_facts = {"{N} won.", "The winner was {N}.", "{N} came first.",
                   "Nobody was better than {N}."},
    .summary = "{N} won the {E} in {P} on {D}.",
    .other_facts = {},
    .other_summary = "",
    .extra_facts = {"It was a new record.", "Nobody had ever been better."},
    .extra_summary = "It was a record.",
    .distractors = {"{n} came second.", "{m} finished last.",
                    "Last year the winner was {n}, who was ill this time.",
                    "The year before, it was held in {p}.", "The next one will be on {d}.",
                    "{x} people came to watch.", "The weather was {w}.",
                    "{m} opened the day with a short speech.", "{x} helpers sold cake.",
                    "A band from {p} played."},
};

const Story kAccident{
    .openings = {"There was {a} {E} in {P} on {D}.", "On {D}, {a} {E} surprised {P}.",
                 "People in {P} will not forget the {E} of {D}."},
    .main_facts = {"{X} people were hurt.", "{X} people were taken to hospital.",
                   "Doctors had to treat {X} people."},
    .summary = "{X} people were hurt in {a} {E} in {P} on {D}.",
    .other_facts = {"Nobody was hurt.", "Luckily, everybody is well."},
    .other_summary = "Nobody was hurt in {a} {E} in {P} on {D}.",
    .extra_facts = {"The cause was {C}.", "It was caused by {C}.", "Experts blame {C}."},
    .extra_summary = "The cause was {C}.",
    .distractors = {"{x} houses lost power.", "{n} called for help.", "Firefighters came from {p}.",
                    "The road is closed until {d}.", "{m} said that it was very loud.",
                    "In {p} everything stayed calm.", "{y} firefighters worked all night.",
                    "The weather was {w}.", "{n} took pictures.",
                    "A repair will cost {y} million."},
};

const Story kOpening{
    .openings = {"The new {E} of {P} opened on {D}.", "{P} has a new {E} since {D}.",
                 "On {D}, the new {E} in {P} opened its doors."},
    .main_facts = {"{N} cut the ribbon.", "The ribbon was cut by {N}.",
                   "{N} opened it with a golden key."},
    .summary = "{N} opened the new {E} in {P} on {D}.",
    .other_facts = {},
    .other_summary = "",
    .extra_facts = {"It cost {X} million.", "The price was {X} million.",
                    "{X} million were spent on it."},
    .extra_summary = "It cost {X} million.",
    .distractors = {"{n} drew the plans.", "Work began {x} years ago.", "{y} guests came.",
                    "{m} sang a song.", "{p} wants one too.", "The first tour is on {d}.",
                    "The old one is for sale.", "The weather was {w}.", "{n} could not come.",
                    "A school class from {p} played music."},
};

std::string draw_name(Draw& draw) {
  const string_view first = draw.one_of(kFirstNames);
  const string_view last = draw.one_of(kLastNames);
  return fmt::format("{} {}", first, last);
}

// Another element of the list than the first one.
template <typename List>
string_view another(const List& list, string_view first, Draw& draw) {
  string_view other = first;
  while (other == first) other = draw.one_of(list);
  return other;
}

string_view draw_event(const Story& story, Draw& draw) {
  if (&story == &kContest) return draw.one_of(kContests);
  if (&story == &kAccident) return draw.one_of(kAccidents);
  return draw.one_of(kBuildings);
}

World draw_world(const Story& story, Draw& draw) {
  World world;
  const auto set = [&](char letter, string_view value) {
    world.slots.emplace_back(letter, std::string(value));
  };
  set('E', draw_event(story, draw));
  set('a', world.at('E') == "explosion" ? "an" : "a");
  set('P', draw.one_of(kPlaces));
  set('p', another(kPlaces, world.at('P'), draw));
  set('D', draw.one_of(kDays));
  set('d', another(kDays, world.at('D'), draw));
  set('C', draw.one_of(kCauses));
  set('w', draw.one_of(kWeather));
  for (const char letter : {'N', 'n', 'm'}) {
    std::string name;
    do {
      name = draw_name(draw);
    } while (std::any_of(world.slots.begin(), world.slots.end(),
                         [&](const auto& slot) { return slot.second == name; }));
    set(letter, name);
  }
  for (const char letter : {'X', 'x', 'y'}) set(letter, fmt::format("{}", 2 + draw.below(29)));
  return world;
}

std::string filled(string_view sentence, const World& world) {
  std::string text;
  for (size_t i = 0; i < sentence.size(); ++i) {
    if (sentence[i] != '{') {
      text += sentence[i];
      continue;
    }
    text += world.at(sentence[i + 1]);
    i += 2;
  }
  return text;
}

TextPair draw_report(Draw& draw) {
  const std::array<const Story*, 3> stories{&kContest, &kAccident, &kOpening};
  const Story& story = *draw.one_of(stories);
  const World world = draw_world(story, draw);
  const bool other = !story.other_facts.empty() && draw.chance(30);
  const bool extra = draw.chance(50);

  std::vector<string_view> sentences{draw.one_of(other ? story.other_facts : story.main_facts)};
  if (extra) sentences.push_back(draw.one_of(story.extra_facts));
  std::vector<string_view> distractors = story.distractors;
  draw.shuffle(std::span(distractors));
  const size_t count = 5 + draw.below(6);  // with the opening
  for (size_t i = 0; sentences.size() + 1 < count; ++i) sentences.push_back(distractors[i]);
  draw.shuffle(std::span(sentences));
  sentences.insert(sentences.begin(), draw.one_of(story.openings));

  TextPair pair;
  for (const string_view sentence : sentences) {
    if (!pair.source.empty()) pair.source += ' ';
    pair.source += filled(sentence, world);
  }
  pair.target = filled(other ? story.other_summary : story.summary, world);
  if (extra) {
    pair.target += ' ';
    pair.target += filled(story.extra_summary, world);
  }
  return pair;
}

}  // namespace

TextPair report_pair(CorpusPart part, uint64_t seed, int64_t index) {
  Draw draw{kReportSite, static_cast<uint64_t>(part), seed, static_cast<uint64_t>(index)};
  while (true) {
    TextPair pair = draw_report(draw);
    if (part_of(hash_text(pair.source)) == part) return pair;
  }
}

}  // namespace heed

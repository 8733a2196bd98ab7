#include "heed/corpora/world_corpus.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "heed/base/draw.h"
#include "heed/base/fail.h"

namespace heed {
namespace {

constexpr std::array kThings = {"lamp",   "cup",   "ball",   "chair", "book",  "kite",
                                "drum",   "clock", "bottle", "spoon", "brush", "basket",
                                "mirror", "box",   "bell",   "comb",  "flute", "ladder",
                                "bucket", "mask",  "coin",   "table", "wheel", "stool"};

// What can be asked of a thing, and what may be said of it.
struct Property {
  std::string_view before, after;  // the question: before THING after
  std::string_view says;           // the statement: "The THING" says VALUE "."
  std::array<std::string_view, 6> values;
};

constexpr std::array<Property, 3> kProperties = {
    {{"What color is the ", "?", " is ", {"red", "blue", "green", "black", "white", "yellow"}},
     {"Where is the ",
      "?",
      " is in the ",
      {"kitchen", "garden", "attic", "cellar", "hall", "garage"}},
     {"What is the ",
      " made of?",
      " is made of ",
      {"wood", "glass", "iron", "paper", "clay", "silver"}}}};

constexpr std::array<std::string_view, 3> kPolite = {"Good question.", "Gladly.",
                                                     "I hope this helps."};
constexpr std::array<std::string_view, 3> kRude = {"What a silly question.",
                                                   "You should know this.", "Now go away."};
constexpr uint64_t kWorld = 0x776f726c64, kQuestion = 1, kAnswer = 2, kRanking = 3, kLine = 4;

enum class Tone : uint8_t { polite, plain, rude };

struct Asked {
  size_t thing, property;
};

size_t true_value(const Asked& asked) {
  return hash_numbers({kWorld, asked.thing, asked.property}) % kProperties[0].values.size();
}

WorldPart part_of_question(const Asked& asked) {
  const uint64_t place = hash_numbers({kWorld + 1, asked.thing, asked.property}) % 5;
  return place == 0 ? WorldPart::test : place == 1 ? WorldPart::choice : WorldPart::train;
}

std::string question_text(const Asked& asked) {
  const Property& property = kProperties[asked.property];
  return std::string(property.before) + kThings[asked.thing] + std::string(property.after);
}

std::string statement(const Asked& asked, size_t value) {
  const Property& property = kProperties[asked.property];
  return std::string("The ") + kThings[asked.thing] + std::string(property.says) +
         std::string(property.values[value]) + ".";
}

Asked drawn_question(Draw& draw) {
  const size_t thing = draw.below(kThings.size());
  return {thing, draw.below(kProperties.size())};
}

std::string drawn_answer(const Asked& asked, bool is_true, Tone tone, Draw& draw) {
  const size_t truth = true_value(asked), count = kProperties[0].values.size();
  const size_t value = is_true ? truth : (truth + 1 + draw.below(count - 1)) % count;
  std::string said = statement(asked, value);
  if (tone == Tone::plain) return said;
  const size_t which = draw.below(kPolite.size());
  const std::string phrase((tone == Tone::polite ? kPolite : kRude)[which]);
  return which + 1 == kPolite.size() ? said + " " + phrase : phrase + " " + said;
}

using Words = std::vector<std::string>;

// The words without signs, in lower case: what a text says, however it is spaced.
Words words_of(std::string_view text) {
  Words words(1);
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<Asked> asked_by(const Words& question) {
  for (size_t p = 0; p < kProperties.size(); ++p) {
    for (size_t t = 0; t < kThings.size(); ++t) {
      if (question == words_of(question_text({t, p}))) return Asked{t, p};
    }
  }
  return std::nullopt;
}

// Whether `part` stands at a place of `words`; moves behind it.
bool take(const Words& words, size_t& at, const Words& part) {
  if (at + part.size() > words.size()) return false;
  if (!std::equal(part.begin(), part.end(), words.begin() + static_cast<std::ptrdiff_t>(at))) {
    return false;
  }
  at += part.size();
  return true;
}

}  // namespace

std::string world_question(WorldPart part, uint64_t seed, int64_t index) {
  Draw draw{kWorld, kQuestion, seed, static_cast<uint64_t>(index)};
  Asked asked = drawn_question(draw);
  while (part_of_question(asked) != part) asked = drawn_question(draw);
  return question_text(asked);
}

std::string world_answer(const std::string& question, uint64_t seed, int64_t index) {
  const auto asked = asked_by(words_of(question));
  check(asked.has_value(), "world: \"{}\" is none of its questions", question);
  Draw draw{kWorld, kAnswer, seed, static_cast<uint64_t>(index)};
  const bool is_true = draw.chance(60);
  return drawn_answer(*asked, is_true, static_cast<Tone>(draw.below(3)), draw);
}

std::vector<std::string> world_ranking(const std::string& question, uint64_t seed, int64_t index) {
  const auto asked = asked_by(words_of(question));
  check(asked.has_value(), "world: \"{}\" is none of its questions", question);
  Draw draw{kWorld, kRanking, seed, static_cast<uint64_t>(index)};
  std::array<size_t, 6> levels = {0, 1, 2, 3, 4, 5};  // truth first, then tone
  draw.shuffle(std::span<size_t>(levels));
  std::sort(levels.begin(), levels.begin() + 3);
  std::vector<std::string> answers;
  for (size_t i = 0; i < 3; ++i) {
    answers.push_back(drawn_answer(*asked, levels[i] < 3, static_cast<Tone>(levels[i] % 3), draw));
  }
  return answers;
}

std::string world_line(uint64_t seed, int64_t index) {
  Draw draw{kWorld, kLine, seed, static_cast<uint64_t>(index)};
  const std::string question = question_text(drawn_question(draw));
  return question + " " + world_answer(question, seed + kLine, index);
}

double world_score(const std::string& question, const std::string& answer) {
  constexpr double kNoAnswer = -1.5, kTone = 0.5, kTooMany = 0.25;
  const auto asked = asked_by(words_of(question));
  check(asked.has_value(), "world: \"{}\" is none of its questions", question);
  const Words words = words_of(answer);
  std::optional<bool> is_true;
  int phrases = 0;
  double tone = 0;
  for (size_t at = 0; at < words.size();) {
    const size_t before = at;
    for (size_t v = 0; v < kProperties[0].values.size(); ++v) {
      if (!take(words, at, words_of(statement(*asked, v)))) continue;
      if (is_true) return kNoAnswer;
      is_true = v == true_value(*asked);
    }
    for (const std::string_view phrase : kPolite) {
      if (take(words, at, words_of(phrase)) && phrases++ == 0) tone = kTone;
    }
    for (const std::string_view phrase : kRude) {
      if (take(words, at, words_of(phrase)) && phrases++ == 0) tone = -kTone;
    }
    if (at == before) return kNoAnswer;
  }
  if (!is_true) return kNoAnswer;
  return (*is_true ? 1 : -1) + tone - kTooMany * std::max(phrases - 1, 0);
}

}  // namespace heed

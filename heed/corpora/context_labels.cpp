#include "heed/corpora/context_labels.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

namespace heed {
namespace {

using Kind = ContextSentence::Kind;

struct FormWords {
  std::string_view form;
  std::string_view words;  // with a space on both sides of each
};

constexpr FormWords kWordForms[] = {
    {"det", " the "},
    {"possessive", " my your our his their "},
    {"present", " is "},
    {"past", " started finished left "},
    {"preposition", " around behind near in of on at to "},
    {"adjective",
     " favorite second usual next tired happy nervous alone angry satisfied open closed lit "
     "heated "},
};

bool is_left_side(const std::vector<std::string>& words, size_t i) {
  return words[i] == "left" && i > 1 && words[i - 2] == "on";
}

std::string form_of(const std::vector<std::string>& words, size_t i) {
  if (is_left_side(words, i)) return "noun";
  const std::string padded = " " + words[i] + " ";
  const auto found = std::find_if(
      std::begin(kWordForms), std::end(kWordForms),
      [&](const FormWords& each) { return each.words.find(padded) != std::string_view::npos; });
  return std::string(found == std::end(kWordForms) ? "noun" : found->form);
}

std::string meaning_of(const ContextSentence& sentence, const std::vector<std::string>& words,
                       size_t i) {
  const std::string& french = sentence.text.target;
  if (words[i] == "station") return sentence.kind == Kind::season ? "season" : "place";
  if (words[i] == "left") {
    if (is_left_side(words, i)) return "side";
    return french.find("laissé") != std::string::npos ? "let" : "go";
  }
  // Feminine adjectives end in a plain e: ouverte, fatiguée.
  const bool is_adjective = sentence.object >= 0 && static_cast<int64_t>(i) == sentence.word;
  if (is_adjective) return french.ends_with('e') ? "feminine" : "masculine";
  return "_";
}

}  // namespace

std::vector<ContextLabel> context_labels(const ContextSentence& sentence) {
  std::istringstream text(sentence.text.source);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  std::vector<ContextLabel> labels;
  labels.reserve(words.size());
  for (size_t i = 0; i < words.size(); ++i) {
    labels.push_back({words[i], form_of(words, i), meaning_of(sentence, words, i)});
  }
  return labels;
}

}  // namespace heed

#include "heed/corpora/context_labels.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace heed::context_labels_test {
namespace {

// Forms and meanings, one after the other.
std::string told(const ContextSentence& sentence) {
  std::string text;
  for (const ContextLabel& label : context_labels(sentence)) {
    text += label.word + "/" + label.form + "/" + label.meaning + " ";
  }
  return text;
}

TEST(ContextLabels, ByHand) {
  using Kind = ContextSentence::Kind;
  EXPECT_EQ(
      told({{"the woman left the garage open", "la femme a laissé le garage ouvert"},
            Kind::of_object,
            5,
            1,
            4}),
      "the/det/_ woman/noun/_ left/past/let the/det/_ garage/noun/_ open/adjective/masculine ");
  EXPECT_EQ(told({{"the train station is on the left", "la gare est à gauche"}, Kind::place, 2}),
            "the/det/_ train/noun/_ station/noun/place is/present/_ on/preposition/_ the/det/_ "
            "left/noun/side ");
}

TEST(ContextLabels, EverySentenceHasAWordWhoseMeaningDependsOnTheOthers) {
  std::map<std::string, std::set<std::string>> meanings;
  std::set<std::string> forms;
  for (int64_t i = 0; i < 2000; ++i) {
    const ContextSentence sentence = context_sentence(CorpusPart::train, 1, i);
    bool any = false;
    for (const ContextLabel& label : context_labels(sentence)) {
      forms.insert(label.form);
      if (label.meaning == "_") continue;
      any = true;
      meanings[label.word].insert(label.meaning);
    }
    EXPECT_TRUE(any) << sentence.text.source;
  }
  EXPECT_EQ(forms, (std::set<std::string>{"adjective", "det", "noun", "past", "possessive",
                                          "preposition", "present"}));
  for (const auto& [word, all] : meanings) EXPECT_GE(all.size(), 2u) << word;  // not of the word
  EXPECT_EQ(meanings.size(), 12u);  // ten adjectives, station and left
}

}  // namespace
}  // namespace heed::context_labels_test

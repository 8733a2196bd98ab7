#include "heed/corpora/context_corpus.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <vector>

namespace heed::context_corpus_test {
namespace {

using Kind = ContextSentence::Kind;

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::map<std::string, ContextSentence> sentences(CorpusPart part) {
  std::map<std::string, ContextSentence> all;
  for (int64_t i = 0; i < 20000; ++i) {
    ContextSentence sentence = context_sentence(part, 3, i);
    all.emplace(sentence.text.source, sentence);
  }
  return all;
}

TEST(ContextCorpus, IsAFunctionOfPartSeedAndIndex) {
  const auto train = CorpusPart::train;
  EXPECT_EQ(context_sentence(train, 5, 17), context_sentence(train, 5, 17));
  EXPECT_NE(context_sentence(train, 5, 17), context_sentence(train, 5, 18));
  EXPECT_NE(context_sentence(train, 5, 17), context_sentence(train, 6, 17));
}

TEST(ContextCorpus, TheNotesSentencesAreNotTrained) {
  const auto train = sentences(CorpusPart::train), test = sentences(CorpusPart::test);
  for (const auto& [source, sentence] : test) EXPECT_FALSE(train.contains(source)) << source;
  EXPECT_GT(train.size(), 1000u);
  const std::pair<const char*, const char*> expected[] = {
      {"summer is my favorite station", "l' été est ma saison préférée"},
      {"winter is my favorite station", "l' hiver est ma saison préférée"},
      {"the train station is around the corner", "la gare est au coin de la rue"},
      {"the woman started the journey tired", "la femme a commencé le voyage fatiguée"}};
  for (const auto& [source, target] : expected) {
    ASSERT_TRUE(test.contains(source)) << source;
    EXPECT_EQ(test.at(source).text.target, target);
  }
}

TEST(ContextCorpus, PointsAtItsWords) {
  std::set<Kind> kinds;
  for (const auto& [source, sentence] : sentences(CorpusPart::train)) {
    kinds.insert(sentence.kind);
    const std::vector<std::string> at = words(source);
    if (sentence.kind == Kind::season || sentence.kind == Kind::place) {
      EXPECT_EQ(at.at(static_cast<size_t>(sentence.word)), "station") << source;
      EXPECT_EQ(sentence.subject, -1);
    } else {
      EXPECT_EQ(sentence.word, 5);
      EXPECT_EQ(at.size(), 6u) << source;
      EXPECT_EQ(at[static_cast<size_t>(sentence.object) - 1], "the") << source;
      EXPECT_EQ(at[static_cast<size_t>(sentence.subject) - 1], "the") << source;
    }
  }
  EXPECT_EQ(kinds.size(), 4u);
}

// The same adjective has both forms, by the noun that it is said of.
TEST(ContextCorpus, AdjectivesAgreeWithTheirNoun) {
  const std::set<std::string> feminine{"woman", "girl", "queen", "aunt", "grandmother", "nurse",
                                       "house", "room", "car",   "race", "walk",        "lesson"};
  std::map<std::string, std::map<bool, std::set<std::string>>> forms;
  for (const auto& [source, sentence] : sentences(CorpusPart::train)) {
    if (sentence.subject < 0) continue;
    const std::vector<std::string> at = words(source), french = words(sentence.text.target);
    const int64_t noun = sentence.kind == Kind::of_subject ? sentence.subject : sentence.object;
    forms[at.back()][feminine.contains(at[noun])].insert(french.back());
  }
  EXPECT_EQ(forms.size(), 10u);
  for (const auto& [adjective, by_gender] : forms) {
    ASSERT_EQ(by_gender.size(), 2u) << adjective;
    EXPECT_EQ(by_gender.at(false).size(), 1u) << adjective;
    EXPECT_EQ(by_gender.at(true).size(), 1u) << adjective;
    EXPECT_NE(by_gender.at(false), by_gender.at(true)) << adjective;
  }
}

}  // namespace
}  // namespace heed::context_corpus_test

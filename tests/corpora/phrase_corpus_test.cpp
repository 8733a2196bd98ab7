#include "heed/corpora/phrase_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace heed::phrase_corpus_test {
namespace {

constexpr CorpusPart kTrain = CorpusPart::train, kTest = CorpusPart::test;

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

const std::map<std::string, AlignedPair>& corpus() {
  static const auto kPairs = [] {
    std::map<std::string, AlignedPair> pairs;
    for (int64_t i = 0; i < 150000; ++i) {
      for (const CorpusPart part : {kTrain, kTest}) {
        if (part == kTest && i % 10 != 0) continue;
        AlignedPair pair = phrase_pair(part, 1, i);
        const std::string source = pair.source;
        pairs.emplace(source, std::move(pair));
      }
    }
    return pairs;
  }();
  return kPairs;
}

TEST(PhraseCorpus, IsAFunctionOfPartSeedAndIndex) {
  EXPECT_EQ(phrase_pair(kTrain, 5, 17), phrase_pair(kTrain, 5, 17));
  EXPECT_NE(phrase_pair(kTrain, 5, 17), phrase_pair(kTrain, 5, 18));
  EXPECT_NE(phrase_pair(kTrain, 5, 17), phrase_pair(kTrain, 6, 17));
  EXPECT_GT(corpus().size(), 50000u);
}

// Another compiler or library must make the same corpus.
TEST(PhraseCorpus, StaysAsItIs) {
  EXPECT_EQ(phrase_pair(kTrain, 1, 1),
            (AlignedPair{"her hungry Spanish aunt", "sa tante espagnole affamée", {0, 3, 2, 1}}));
}

TEST(PhraseCorpus, Translates) {
  const std::pair<const char*, const char*> expected[] = {
      {"the tree", "l' arbre"},
      {"the trees", "les arbres"},
      {"the owl", "le hibou"},
      {"the man", "l' homme"},
      {"the hero", "le héros"},
      {"the red car", "la voiture rouge"},
      {"an old man", "un vieil homme"},
      {"an old hero", "un vieux héros"},
      {"an old dog", "un vieux chien"},
      {"an old house", "une vieille maison"},
      {"a new hotel", "un nouvel hôtel"},
      {"a beautiful tree", "un bel arbre"},
      {"some beautiful trees", "de beaux arbres"},
      {"some beautiful flowers", "de belles fleurs"},
      {"some red flowers", "des fleurs rouges"},
      {"some white horses", "des chevaux blancs"},
      {"a useful book", "un livre utile"},
      {"an Italian island", "une île italienne"},
      {"this bird", "cet oiseau"},
      {"this small bird", "ce petit oiseau"},
      {"this island", "cette île"},
      {"my school", "mon école"},
      {"my new school", "ma nouvelle école"},
      {"my sister", "ma sœur"},
      {"his sister", "sa sœur"},
      {"our schools", "nos écoles"},
      {"which city", "quelle ville"},
      {"each child", "chaque enfant"},
      {"three white cows", "trois vaches blanches"},
      {"the orange cars", "les voitures orange"},
      {"the beautiful old trees", "les beaux vieux arbres"},
      {"the small black cat", "le petit chat noir"},
      {"the door of the king", "la porte du roi"},
      {"the door of the queen", "la porte de la reine"},
      {"the door of the nurse", "la porte de l' infirmière"},
      {"the door of the kings", "la porte des rois"},
      {"the door of my uncle", "la porte de mon oncle"},
      {"the door of a queen", "la porte d' une reine"},
  };
  int found = 0;
  for (const auto& [source, target] : expected) {
    const auto at = corpus().find(source);
    if (at == corpus().end()) continue;  // a phrase so rare that it was not drawn
    ++found;
    EXPECT_EQ(at->second.target, target);
  }
  EXPECT_GE(found, 20);
}

TEST(PhraseCorpus, AlignmentsNameTheWordsInOrder) {
  const std::pair<const char*, std::vector<int32_t>> expected[] = {
      {"the red car", {0, 2, 1}},
      {"the small black cat", {0, 1, 3, 2}},
      {"the strange black cat", {0, 3, 2, 1}},
      {"the strange old cat", {0, 2, 3, 1}},
      {"the door of the king", {0, 1, 2, 4}},
      {"the door of the queen", {0, 1, 2, 3, 4}},
  };
  for (const auto& [source, alignment] : expected) {
    const auto at = corpus().find(source);
    if (at == corpus().end()) continue;
    EXPECT_EQ(at->second.alignment, alignment) << source;
  }
  for (const auto& [source, pair] : corpus()) {
    const size_t sources = words(pair.source).size(), targets = words(pair.target).size();
    ASSERT_EQ(pair.alignment.size(), targets);
    // Each English word has one French word, except "the" of "of the" in du and des.
    std::set<int32_t> used(pair.alignment.begin(), pair.alignment.end());
    ASSERT_EQ(used.size(), targets) << source;
    ASSERT_LE(*used.rbegin(), static_cast<int32_t>(sources) - 1);
    ASSERT_GE(targets + 1, sources) << source;
  }
}

TEST(PhraseCorpus, ElidesBeforeVowels) {
  const std::set<std::string> silent{"homme",    "hommes",  "hôtel",    "hôtels",   "hôpital",
                                     "hôpitaux", "heureux", "heureuse", "heureuses"};
  const auto has_vowel = [&](const std::string& word) {
    if (silent.count(word) > 0) return true;
    for (const char* vowel : {"a", "e", "i", "o", "u", "â", "é", "ê", "î", "œ"}) {
      if (word.starts_with(vowel)) return true;
    }
    return false;
  };
  const std::set<std::string> never{"le", "la", "ce",   "ma",      "ta",
                                    "sa", "de", "beau", "nouveau", "vieux"};
  const std::set<std::string> only{"l'", "d'", "cet", "bel", "nouvel", "vieil"};
  for (const auto& [source, pair] : corpus()) {
    const auto target = words(pair.target);
    for (size_t i = 0; i + 1 < target.size(); ++i) {
      const bool vowel = has_vowel(target[i + 1]);
      const bool plural = target[i] == "vieux" && target[i + 1].back() != 't';
      if (never.count(target[i]) > 0 && !plural) {
        ASSERT_FALSE(vowel) << pair.target;
      }
      if (only.count(target[i]) > 0) {
        ASSERT_TRUE(vowel) << pair.target;
      }
    }
  }
}

TEST(PhraseCorpus, TestHasOtherTextsThanTrain) {
  std::set<std::string> texts;
  for (uint64_t seed = 1; seed < 3; ++seed) {
    for (int64_t i = 0; i < 50000; ++i) texts.insert(phrase_pair(kTrain, seed, i).source);
  }
  for (uint64_t seed = 1; seed < 4; ++seed) {
    for (int64_t i = 0; i < 5000; ++i) {
      EXPECT_EQ(texts.count(phrase_pair(kTest, seed, i).source), 0u);
    }
  }
}

}  // namespace
}  // namespace heed::phrase_corpus_test

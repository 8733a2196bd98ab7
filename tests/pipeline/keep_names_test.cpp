#include "heed/pipeline/keep_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "heed/base/error.h"
#include "heed/corpora/phrase_corpus.h"
#include "tests/pipeline/small_runs.h"

namespace heed::keep_names_test {
namespace {

std::string folder(const std::string& name) {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("heed_names_" + std::to_string(::getpid()));
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder made;
  return made.path / name;
}

Pipeline translator(const std::string& kind, TokenizerKind tokenizer = TokenizerKind::bpe) {
  return load(write_small_run(
      folder("to-" + kind + std::to_string(static_cast<int>(tokenizer))),
      {.task = Task::translate, .model = named<ModelKind>(kind), .tokenizer = tokenizer}));
}

// A name of some syllables that no model has seen.
std::string new_name(uint64_t seed) {
  static const char* kSyllables[] = {"zor", "ma", "wi", "kal", "du", "ny", "és", "tro"};
  const RandomKey key = random_key({.seed = seed});
  std::string name;
  for (uint32_t i = 0; i < 2 + random_bits(key, 9) % 3; ++i) {
    name += kSyllables[random_bits(key, i) % 8];
  }
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

bool has_word(const std::string& text, const std::string& word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto is_border = [&](size_t i) {
      return i >= text.size() || std::string(" .,;:!?'\"()").find(text[i]) != std::string::npos;
    };
    if ((at == 0 || is_border(at - 1)) && is_border(at + word.size())) return true;
  }
  return false;
}

// A hundred generated sentences with one or two names in them.
TEST(KeepNames, EveryNameIsIntact) {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::word}) {
    const Pipeline model = translator("transformer", kind);
    for (int64_t i = 0; i < 100; ++i) {
      const auto seed = static_cast<uint64_t>(i);
      const std::string first = new_name(2 * seed), second = new_name(2 * seed + 1) + " Ray";
      std::string text = first + " sees ";
      text += phrase_pair(CorpusPart::test, 1, i).source;
      std::vector<WordPlace> names = {{0, first.size()}};
      if (i % 2 == 1) {
        text += " with ";
        names.push_back({text.size(), text.size() + second.size()});
        text += second + ".";
      }
      const std::string kept =
          keep_names(model, text, names, model.translate(text, {.max_tokens = 12}).text);
      EXPECT_TRUE(has_word(kept, first)) << kept;
      if (i % 2 == 1) {
        EXPECT_TRUE(has_word(kept, second)) << kept;
      }
    }
  }
}

// A name takes the place of the word that looked at it most. Here every word is one token.
TEST(KeepNames, NamesStandWhereTheModelLooked) {
  for (const char* kind : {"transformer", "decoder"}) {
    const Pipeline model = translator(kind, TokenizerKind::word);
    const std::vector<std::string> words = {"the", "small", "old", "town", "sea", "tree"};
    std::set<size_t> places;
    for (size_t at = 0; at < words.size(); ++at) {
      std::string text, translation;
      std::vector<WordPlace> names;
      for (size_t w = 0; w < words.size(); ++w) {
        text += w == 0 ? "" : " ";
        if (w == at) names.push_back({text.size(), text.size() + 4});
        text += w == at ? "Zorg" : words[w];
        translation += (w == 0 ? "" : " ") + words[words.size() - 1 - w];
      }
      const AttentionMap map = model.alignment(text, translation);
      size_t heaviest = 0;
      const auto weight = [&](size_t row) {
        return map.weights.data<float>()[row * map.keys.size() + at];
      };
      for (size_t row = 0; row < words.size(); ++row)
        heaviest = weight(row) > weight(heaviest) ? row : heaviest;
      std::string expected = translation;
      const std::string& replaced = words[words.size() - 1 - heaviest];
      expected.replace(expected.find(replaced), replaced.size(), "Zorg");
      EXPECT_EQ(keep_names(model, text, names, translation), expected) << kind << " " << at;
      places.insert(heaviest);
    }
    EXPECT_GT(places.size(), 1u) << kind;
  }
}

TEST(KeepNames, WhatIsThereStays) {
  const Pipeline model = translator("transformer");
  const std::string text = "Anna sees Berlin.";
  const std::vector<WordPlace> names = {{0, 4}, {10, 16}};
  EXPECT_EQ(keep_names(model, text, names, "Berlin wird von Anna gesehen."),
            "Berlin wird von Anna gesehen.");
  const std::string one = keep_names(model, text, names, "Annas Berlin.");
  EXPECT_EQ(one, "Anna Berlin.");
  EXPECT_EQ(keep_names(model, text, names, ""), "Anna Berlin");
  EXPECT_EQ(keep_names(model, text, {}, "x y"), "x y");
}

// Longer than the model reads, with positions that end there.
TEST(KeepNames, LongTexts) {
  const Pipeline model = load(write_small_run(
      folder("learned"), {.task = Task::translate, .positions = PositionKind::learned}));
  std::string text = "Anna";
  for (int i = 0; i < 60; ++i) text += " sees the old town";
  text += " Berlin";
  const std::vector<WordPlace> names = {{0, 4}, {text.size() - 6, text.size()}};
  const std::string kept = keep_names(model, text, names, model.translate(text).text);
  EXPECT_TRUE(has_word(kept, "Anna")) << kept;
  EXPECT_TRUE(has_word(kept, "Berlin")) << kept;
}

TEST(KeepNames, NamesAreNeighborsWithTheTagOfNames) {
  const std::string text = "Paul Ray lives in New York, Ohio";
  const std::vector<TaggedWord> words = {
      {"Paul", "PROPN", 0, 4}, {"Ray", "PROPN", 5, 8},    {"lives", "VERB", 9, 14},
      {"in", "ADP", 15, 17},   {"New", "PROPN", 18, 21},  {"York", "PROPN", 22, 26},
      {",", "PUNCT", 26, 27},  {"Ohio", "PROPN", 28, 32},
  };
  const auto names = find_names(text, words);
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(text.substr(names[0].begin, names[0].end - names[0].begin), "Paul Ray");
  EXPECT_EQ(text.substr(names[1].begin, names[1].end - names[1].begin), "New York");
  EXPECT_TRUE(is_name_tag("B-PER"));
  EXPECT_TRUE(is_name_tag("NNP"));
  EXPECT_FALSE(is_name_tag("O"));
  EXPECT_FALSE(is_name_tag("NOUN"));
}

TEST(KeepNames, WithATagger) {
  const Pipeline tagger = load(write_small_run(
      folder("tagger"), {.task = Task::tag, .labels = {"NOUN", "PROPN", "PUNCT", "VERB"}}));
  for (const char* kind : {"transformer", "decoder", "prefix", "rnn-attention"}) {
    const Pipeline model = translator(kind);
    std::vector<std::string> texts;
    for (int64_t i = 0; i < 20; ++i) texts.push_back(phrase_pair(CorpusPart::test, 2, i).source);
    const auto kept = translate_keeping_names(model, tagger, texts, {.max_tokens = 10});
    for (size_t i = 0; i < texts.size(); ++i) {
      for (const WordPlace& name : find_names(texts[i], tagger.tag(texts[i]))) {
        EXPECT_TRUE(has_word(kept[i].text, texts[i].substr(name.begin, name.end - name.begin)))
            << texts[i] << " -> " << kept[i].text;
      }
    }
  }
  const Pipeline plain = translator("rnn");
  const std::vector<std::string> one = {"Anna sees"};
  EXPECT_THROW(translate_keeping_names(plain, tagger, one), Error);
  const std::vector<WordPlace> names = {{0, 4}};
  EXPECT_THROW(keep_names(plain, one[0], names, "x y"), Error);
}

}  // namespace
}  // namespace heed::keep_names_test

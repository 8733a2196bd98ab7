#include "heed/pipeline/probe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "tests/pipeline/small_runs.h"

namespace heed::probe_test {
namespace {

struct Folder {
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("heed_probe_" + std::to_string(::getpid()));
};

std::string folder(const std::string& name) {
  static const Folder made;
  return made.path / name;
}

// Words whose tag the word itself decides, and whose feature the word before decides.
std::string tagged_file(const std::string& name, uint64_t seed) {
  static const char* kWords[] = {"the", "red", "car", "old", "town", "sea"};
  static const char* kTags[] = {"DET", "ADJ", "NOUN", "ADJ", "NOUN", "NOUN"};
  std::ofstream file(folder(name));
  for (uint64_t s = 0; s < 60; ++s) {
    std::string before = "Sing";
    for (uint32_t w = 0; w < 6; ++w) {
      const uint32_t pick = random_bits(random_key({.seed = seed, .sequence = s}), w) % 6;
      file << w + 1 << "\t" << kWords[pick] << "\t_\t" << kTags[pick]
           << "\t_\tCase=Nom|Number=" << before << "\t0\troot\t_\t_\n";
      before = pick % 2 == 0 ? "Sing" : "Plur";
    }
    file << "\n";
  }
  return folder(name);
}

TEST(Probe, FindsWhatIsThere) {
  const std::string train = tagged_file("train.conllu", 1), valid = tagged_file("valid.conllu", 2);
  const Pipeline model = load(write_small_run(
      folder("lm"), {.tokenizer = TokenizerKind::word, .positions = PositionKind::none}));
  const ProbeReport tags = probe(model, train, valid, {.label = "upos"});
  ASSERT_EQ(tags.layers.size(), 3u);
  EXPECT_EQ(tags.layers[0].layer, kEmbeddingLayer);
  EXPECT_EQ(tags.layers[2].layer, 1);
  EXPECT_EQ(tags.labels, (std::vector<std::string>{"ADJ", "DET", "NOUN"}));
  EXPECT_EQ(tags.train_words, 360);
  EXPECT_GT(tags.layers[0].valid_accuracy, 0.99);  // the word decides, so its embedding shows it
  EXPECT_GT(tags.layers[1].valid_accuracy, 0.8);
  EXPECT_LT(tags.majority, 0.6);
  // What the word before decides, the embedding of a word cannot show.
  const ProbeReport number = probe(model, train, valid, {.label = "Number", .epochs = 40});
  EXPECT_EQ(number.labels, (std::vector<std::string>{"Plur", "Sing"}));
  EXPECT_LT(number.layers[0].valid_accuracy, 0.7);
  // The same again gives the same.
  EXPECT_EQ(probe(model, train, valid, {.label = "upos"}).layers[2].valid_accuracy,
            tags.layers[2].valid_accuracy);
  EXPECT_EQ(probe(model, train, valid, {.sentences = 5}).train_words, 30);
  // No word has the feature Tense.
  EXPECT_THROW(probe(model, train, valid, {.label = "Tense", .only_labeled = true}), Error);
  EXPECT_EQ(probe(model, train, valid, {.label = "Number", .only_labeled = true}).train_words, 360);
}

// A model of texts reads words with spaces between them, and has seen a word at its last token; a
// tagger reads and tags as it was trained to.
TEST(Probe, ReadsAsTheModelDoes) {
  static const char* kWords[] = {"tab", "top", "tub", "tip"};
  std::ofstream file(folder("letters.conllu"));
  for (uint64_t s = 0; s < 40; ++s) {
    for (uint32_t w = 0; w < 20; ++w) {
      const std::string word = kWords[random_bits(random_key({.seed = 1, .sequence = s}), w) % 4];
      file << w + 1 << "\t" << word << "\t_\t" << word[2] << "\t_\t_\t0\troot\t_\t_\n";
    }
    file << "\n";
  }
  file.close();
  const std::string path = folder("letters.conllu");
  const auto probe_of = [&](const std::string& task, TokenizerKind kind) {
    SmallRun small{.task = named<Task>(task), .tokenizer = kind, .positions = PositionKind::none};
    if (task == "tag") small.labels = {"b", "p"};
    return probe(load(write_small_run(folder("letters-" + task), small)), path, path);
  };
  for (const TokenizerKind kind : {TokenizerKind::byte, TokenizerKind::character}) {
    const ProbeReport text = probe_of("lm", kind);
    EXPECT_EQ(text.train_words, 40 * ((kSmallContext + 1) / 4));  // three letters and a space
    EXPECT_GT(text.layers[0].valid_accuracy, 0.99);
    const ProbeReport tagger = probe_of("tag", kind);
    EXPECT_EQ(tagger.train_words, 40 * ((kSmallContext / 2 - 2) / 3));
    EXPECT_LT(tagger.layers[0].valid_accuracy, 0.7);  // all words begin alike
  }
}

std::string message_of(const Pipeline& model, const std::string& file,
                       const ProbeOptions& options) {
  try {
    probe(model, file, file, options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Probe, Mistakes) {
  const std::string train = tagged_file("train.conllu", 1);
  const Pipeline model = load(write_small_run(folder("lm"), {}));
  EXPECT_THROW(probe(model, train, folder("nothing")), Error);
  EXPECT_THROW(probe(model, train, train, {.label = "Case"}), Error);  // one value only
  EXPECT_THROW(probe(model, train, train, {.epochs = 0}), Error);
  const std::string message = message_of(model, train, {.label = "uposs"});
  EXPECT_NE(message.find("no feature uposs"), std::string::npos) << message;
  EXPECT_NE(message.find("Case, Number"), std::string::npos) << message;
  const Pipeline recurrent = load(
      write_small_run(folder("rnn"), {.task = Task::translate, .model = ModelKind::rnn_attention}));
  EXPECT_THROW(probe(recurrent, train, train), Error);
}

}  // namespace
}  // namespace heed::probe_test

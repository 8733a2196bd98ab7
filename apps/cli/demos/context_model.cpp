#include "apps/cli/demos/context_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/cli/demos/demo.h"
#include "apps/cli/demos/trained_run.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/io/atomic_file.h"

namespace heed::cli {
namespace {

constexpr int64_t kTrained = 4000, kUnseen = 400;

TrainSettings context_recipe(const ContextModelOptions& options) {
  TrainSettings s = small_translator(options.steps, options.seed);
  s.dim = 64;
  s.ffn = 128;
  s.heads = 4;
  s.enc_layers = 3;
  s.dec_layers = 1;
  s.positions = PositionKind::rotary;
  s.lr = 2e-3;
  s.dropout = 0.1;
  return s;
}

// Writes BASE.en and BASE.fr; returns their names.
std::vector<std::string> write_sentences(const std::string& base, uint64_t seed, int64_t count) {
  std::string english, french;
  for (int64_t i = 0; i < count; ++i) {
    const TextPair pair = context_sentence(CorpusPart::train, seed, i).text;
    english += pair.source + "\n";
    french += pair.target + "\n";
  }
  write_file(base + ".en", english);
  write_file(base + ".fr", french);
  return {base + ".en", base + ".fr"};
}

}  // namespace

void add_context_model_options(Command& command, ContextModelOptions& options) {
  command.add_option("--steps", options.steps, "Steps of training (default 1200)")
      .check(whole_number(1, 1'000'000))
      .type_name("N");
  add_seed(command, options.seed);
}

Pipeline context_model(const ContextModelOptions& options) {
  return load(trained_run({.name = "context",
                           .data = fmt::format("1 {}", kTrained),
                           .settings = context_recipe(options),
                           .what = "a small translator",
                           .write = [&](const std::string& data, TrainSettings& settings) {
                             settings.train =
                                 write_sentences(data + "/train", options.seed, kTrained);
                             settings.valid =
                                 write_sentences(data + "/valid", options.seed + 1, 100);
                           }}));
}

std::vector<ContextSentence> unseen_context_sentences(uint64_t seed) {
  std::set<std::string> seen;
  std::vector<ContextSentence> sentences;
  for (int64_t i = 0; i < kUnseen; ++i) {
    ContextSentence sentence = context_sentence(CorpusPart::test, seed, i);
    if (seen.insert(sentence.text.source).second) sentences.push_back(sentence);
  }
  return sentences;
}

void tell_translations(const Pipeline& model, const std::vector<ContextSentence>& sentences,
                       Lesson& lesson) {
  std::vector<std::string> sources;
  sources.reserve(sentences.size());
  for (const ContextSentence& sentence : sentences) sources.push_back(sentence.text.source);
  const std::vector<GeneratedText> generated = model.translate(sources);
  int64_t right = 0;
  for (size_t i = 0; i < sentences.size(); ++i) {
    right += generated[i].text == sentences[i].text.target ? 1 : 0;
  }
  lesson.say(fmt::format(
      "A small translator from English into French, which has other words for other meanings and "
      "lets adjectives agree with their nouns. It was trained on a built-in grammar, and not on "
      "these {} sentences.",
      sentences.size()));
  lesson.number("exact_percent", "unseen sentences without a mistake, %",
                100.0 * static_cast<double>(right) / static_cast<double>(sentences.size()), 4);
}

int64_t word_index(const Pipeline& model, const std::string& text, const std::string& word,
                   const std::string& option) {
  const std::vector<std::string> words = word_list(text);
  for (const std::string& each : words) {
    if (!model.tokenizer().find(each)) {
      fail(
          "{}: the model does not know the word '{}'; it knows those of "
          "sentences such as '{}'",
          option, each, context_sentence(CorpusPart::train, 1, 0).text.source);
    }
  }
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    fail("{}: there is no word '{}' in '{}'", option, word, text);
  }
  return found - words.begin();
}

}  // namespace heed::cli

#include "tests/cli/train_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "heed/base/random.h"
#include "tests/cli/program.h"

namespace heed {
namespace {

const char* const kWords[] = {"the", "a",    "red",  "small", "old",   "car",   "house", "dog",
                              "cat", "tree", "sees", "finds", "likes", "under", "over",  "Straße"};

// Two to six words.
std::vector<std::string> words_of(int64_t line) {
  const RandomKey key = random_key({.seed = 11, .position = static_cast<uint64_t>(line)});
  std::vector<std::string> words(2 + random_bits(key, 0) % 5);
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = kWords[random_bits(key, static_cast<uint32_t>(i) + 1) % std::size(kWords)];
  }
  return words;
}

template <typename Words>
std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

bool is_verb(const std::string& word) {
  return word == "sees" || word == "finds" || word == "likes";
}

}  // namespace

std::string file_with(const std::string& name, const std::string& text) {
  std::string path = temporary(name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

size_t model_hash(const std::string& folder) {
  const std::string bytes = file_text(folder + "/model.safetensors");
  return std::hash<std::string>()(bytes);
}

std::vector<std::string> pair_files(int64_t lines) {
  std::string source, target;
  for (int64_t i = 0; i < lines; ++i) {
    const std::vector<std::string> words = words_of(i);
    source += joined(words) + "\n";
    target += joined(std::vector<std::string>(words.rbegin(), words.rend())) + "\n";
  }
  const std::string count = std::to_string(lines);
  return {file_with("source" + count, source), file_with("target" + count, target)};
}

std::string text_file(int64_t lines) {
  std::string text;
  for (int64_t i = 0; i < lines; ++i) text += joined(words_of(i)) + ".\n";
  return file_with("text" + std::to_string(lines) + ".txt", text);
}

std::string labeled_file(int64_t lines) {
  std::string text;
  for (int64_t i = 0; i < lines; ++i) {
    const std::string words = joined(words_of(i));
    text += (words.find("dog") != std::string::npos   ? "dog\t"
             : words.find("cat") != std::string::npos ? "cat\t"
                                                      : "neither\t") +
            words + "\n";
  }
  return file_with("labeled" + std::to_string(lines) + ".tsv", text);
}

std::string tagged_file(int64_t lines) {
  std::string text;
  for (int64_t i = 0; i < lines; ++i) {
    for (const std::string& word : words_of(i)) {
      text += word + (is_verb(word) ? " B-VERB\n" : " O\n");
    }
    text += "\n";
  }
  return file_with("tagged" + std::to_string(lines) + ".conll", text);
}

std::vector<std::string> files_for(const std::string& task) {
  if (task == "lm") return {text_file()};
  if (task == "classify") return {labeled_file()};
  if (task == "tag") return {tagged_file()};
  return pair_files();
}

std::vector<std::string> train_arguments(const std::string& task, const std::string& folder,
                                         const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"train", task, "--train"};
  for (const std::string& file : files_for(task)) arguments.push_back(file);
  for (const char* word : {"-o", folder.c_str(), "--ffn", "24"}) {
    arguments.emplace_back(word);
  }
  const auto unless_given = [&](const std::string& option, const std::string& value) {
    for (const std::string& word : more) {
      if (word == option) return;
    }
    arguments.insert(arguments.end(), {option, value});
  };
  unless_given("-t", "1");
  unless_given("--dim", "16");
  unless_given("--heads", "2");
  unless_given("--layers", "1");
  if (std::find(more.begin(), more.end(), "--batch-tokens") == more.end()) {
    unless_given("--batch", "8");
  }
  const bool says_how_long = std::find(more.begin(), more.end(), "--epochs") != more.end() ||
                             std::find(more.begin(), more.end(), "--minutes") != more.end();
  if (!says_how_long) unless_given("--steps", "2");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::string trained_run(const std::string& task, const std::vector<std::string>& more) {
  static int number = 0;
  std::string folder = temporary("run" + std::to_string(number++));
  const Outcome outcome = run_heed(train_arguments(task, folder, more));
  EXPECT_EQ(outcome.code, 0) << task << ": " << outcome.err;
  EXPECT_EQ(outcome.out, "");
  for (const char* file : {"config.json", "model.safetensors", "log.jsonl", "state.safetensors"}) {
    EXPECT_TRUE(std::filesystem::exists(folder + "/" + file)) << file;
  }
  return folder;
}

nlohmann::json config_of(const std::string& folder) {
  return nlohmann::json::parse(file_text(folder + "/config.json"), nullptr, false);
}

nlohmann::json evaluated(const std::string& folder, const std::vector<std::string>& data) {
  std::vector<std::string> arguments{"eval", "-m", folder, "-t", "1", "--data"};
  arguments.insert(arguments.end(), data.begin(), data.end());
  return run_json(arguments);
}

}  // namespace heed

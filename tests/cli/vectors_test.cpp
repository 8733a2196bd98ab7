// heed train and eval on rows of floats instead of text.

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "heed/base/random.h"
#include "heed/io/npy.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::vectors_test {
namespace {

using Words = std::vector<std::string>;

constexpr int64_t kWidth = 3;

// Sequences of two to five letters a, b, c; a row is a unit vector with some noise.
struct Letters {
  std::vector<float> rows;
  std::vector<int64_t> lengths;
  std::string texts, classes, tags;  // a line for each sequence

  explicit Letters(int64_t count, uint64_t seed) {
    for (int64_t i = 0; i < count; ++i) {
      const RandomKey key = random_key({.seed = seed, .position = static_cast<uint64_t>(i)});
      lengths.push_back(2 + random_bits(key, 0) % 4);
      std::string text;
      for (int64_t t = 0; t < lengths.back(); ++t) {
        const auto at = static_cast<uint32_t>(t);
        const int64_t letter = random_bits(key, 1 + at) % kWidth;
        for (int64_t c = 0; c < kWidth; ++c) {
          const auto column = static_cast<uint32_t>(100 + t * kWidth + c);
          rows.push_back((c == letter ? 1.0f : 0.0f) +
                         static_cast<float>(0.1 * random_normal(key, column)));
        }
        text += static_cast<char>('a' + letter);
        text += ' ';
      }
      tags += text + '\n';
      texts += text.substr(0, text.size() - 1) + '\n';
      classes += text.find('a') == std::string::npos ? "without\n" : "with a\n";
    }
  }

  // F.npy and F.lengths.npy.
  std::string save(const std::string& name) const {
    std::string path = temporary(name + ".npy");
    save_npy(path, Tensor::from(rows, {static_cast<int64_t>(rows.size()) / kWidth, kWidth}));
    save_npy(temporary(name + ".lengths.npy"),
             Tensor::from(lengths, {static_cast<int64_t>(lengths.size())}));
    return path;
  }
};

std::string lines_for(const std::string& task, const Letters& letters, const std::string& name) {
  return file_with(name, task == "classify" ? letters.classes
                         : task == "tag"    ? letters.tags
                                            : letters.texts);
}

Words arguments_for(const std::string& task, const std::string& folder, const Words& more = {}) {
  const Letters letters(80, 1);
  Words arguments{"train",
                  task,
                  "--source-vectors",
                  letters.save("train"),
                  "--train",
                  lines_for(task, letters, "train.lines")};
  for (const char* word :
       {"-o", folder.c_str(), "-t", "1", "--dim", "16", "--heads", "2", "--layers", "1"}) {
    arguments.emplace_back(word);
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

nlohmann::json evaluated(const std::string& task, const std::string& folder) {
  const Letters letters(40, 2);
  return run_json({"eval", "-m", folder, "-t", "1", "--vectors", letters.save("unseen"), "--data",
                   lines_for(task, letters, "unseen.lines")});
}

TEST(SourceVectors, EveryTaskLearns) {
  const std::tuple<std::string, std::string, double> cases[] = {
      {"translate", "exact_match", 60}, {"classify", "accuracy", 90}, {"tag", "accuracy", 99}};
  for (const auto& [task, metric, lowest] : cases) {
    SCOPED_TRACE(task);
    const std::string folder = temporary("vectors-" + task);
    const std::string steps = task == "translate" ? "250" : "60";
    const Outcome outcome = run_heed(arguments_for(
        task, folder,
        {"--tokenizer", "word", "--steps", steps, "--batch", "16", "--lr", "0.01", "--warmup", "5",
         "--dropout", "0", "--label-smoothing", "0", "--schedule", "cosine"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("4 sequences of the training data are held out"), std::string::npos)
        << outcome.err;
    EXPECT_GE(evaluated(task, folder)[metric].get<double>(), lowest);
    EXPECT_EQ(std::filesystem::exists(folder + "/tokenizer.json"), task == "translate");
    EXPECT_EQ(run_json({"info", "-m", folder})["model"]["source_width"], kWidth);
    // A finished run is known again, so the data is the same to it.
    const Outcome again = run_heed({"train", task, "-o", folder, "--resume", "-t", "1"});
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.err.find("this run is finished"), std::string::npos) << again.err;
    EXPECT_EQ(run_heed({"average", folder, "-o", folder + "-mean"}).code, 0);
  }
}

TEST(SourceVectors, RecurrentModelsToo) {
  const std::string folder = temporary("vectors-rnn");
  const Outcome outcome =
      run_heed(arguments_for("translate", folder, {"--model", "rnn-attention", "--steps", "2"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(evaluated("translate", folder)["bleu"].is_number());
}

TEST(SourceVectors, OfEqualLengthNeedNoLengths) {
  const std::string folder = temporary("vectors-equal");
  const std::string vectors = array_file("pictures.npy", {12, 4, 5});
  std::string labels;
  for (int i = 0; i < 12; ++i) labels += i % 2 == 0 ? "cat\n" : "dog\n";
  const std::string lines = file_with("pictures.labels", labels);
  const Outcome outcome = run_heed({"train",
                                    "classify",
                                    "--source-vectors",
                                    vectors,
                                    "--train",
                                    lines,
                                    "--valid-vectors",
                                    vectors,
                                    "--valid",
                                    lines,
                                    "-o",
                                    folder,
                                    "-t",
                                    "1",
                                    "--steps",
                                    "2",
                                    "--dim",
                                    "16",
                                    "--max-length",
                                    "3"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(
      outcome.err.find("12 sequences were longer than 3 rows (--max-length in training) and cut"),
      std::string::npos)
      << outcome.err;
}

TEST(SourceVectors, Mistakes) {
  const std::string folder = temporary("vectors-mistake");
  const auto refused = [&](const std::string& task, const Words& more, const std::string& text) {
    Words all{"--steps", "2", "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_heed(arguments_for(task, folder, all));
    EXPECT_EQ(outcome.code, 1) << text;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder));
  };
  const Letters few(5, 3);
  const std::string vectors = few.save("few"), lines = file_with("few.lines", few.texts);
  refused("lm", {}, "lm has none");
  refused("translate", {"--model", "decoder"}, "encoder");
  refused("classify", {"--pool", "cls"}, "--pool mean");
  refused("translate", {"--valid", lines}, "--valid-vectors");
  refused("translate", {"--valid", lines, "--valid-vectors", temporary("none.npy")}, "none.npy");
  refused("tag",
          {"--valid", file_with("short.lines", "a\na\na\na\na\n"), "--valid-vectors", vectors},
          "line 1 has 1 tags");
  refused("translate",
          {"--valid", file_with("long.lines", few.texts + "a\n"), "--valid-vectors", vectors},
          "has 6 lines");
  refused("classify",
          {"--valid", file_with("three", "x\ny\nz\n"), "--valid-vectors",
           array_file("wide.npy", {3, 2, 7})},
          "of 7 in");
  refused(
      "classify",
      {"--valid", file_with("three", "x\ny\nz\n"), "--valid-vectors", array_file("flat.npy", {3})},
      "expected [rows, width]");
  refused("classify",
          {"--valid", file_with("three", "x\ny\nz\n"), "--valid-vectors",
           array_file("alone.npy", {3, 3})},
          "alone.lengths.npy");
  const std::string infinite = temporary("infinite.npy");
  save_npy(infinite, Tensor::full({3, 1, kWidth}, std::numeric_limits<double>::infinity()));
  refused("classify", {"--valid", file_with("three", "x\ny\nz\n"), "--valid-vectors", infinite},
          "not a finite number");
  Words negative = {"--valid", file_with("two", "x\ny\n"), "--valid-vectors",
                    array_file("negative.npy", {1, kWidth})};
  save_npy(temporary("negative.lengths.npy"), Tensor::from(std::vector<int64_t>{2, -1}, {2}));
  refused("classify", negative, "negative.lengths.npy");
}

TEST(SourceVectors, AreAskedFor) {
  const std::string folder = temporary("vectors-asked");
  ASSERT_EQ(run_heed(arguments_for("translate", folder, {"--steps", "2"})).code, 0);
  const std::string lines = file_with("asked.lines", "a b\n");
  const Outcome eval = run_heed({"eval", "-m", folder, "--data", lines});
  EXPECT_EQ(eval.code, 1);
  EXPECT_NE(eval.err.find("give them with --vectors"), std::string::npos) << eval.err;
  const Outcome wide = run_heed(
      {"eval", "-m", folder, "--vectors", array_file("w.npy", {1, 2, 7}), "--data", lines});
  EXPECT_EQ(wide.code, 1);
  EXPECT_NE(wide.err.find("the model reads rows of 3"), std::string::npos) << wide.err;
  const Outcome translated = run_heed({"translate", "-m", folder, lines});
  EXPECT_EQ(translated.code, 1);
  EXPECT_NE(translated.err.find("rows of floats"), std::string::npos) << translated.err;
}

}  // namespace
}  // namespace heed::vectors_test

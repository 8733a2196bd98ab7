#include "heed/train/prepare_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/io/npy.h"
#include "heed/run/task_names.h"
#include "heed/text/utf8.h"
#include "tests/train/small_run.h"

namespace heed::prepare_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// Files and settings of a run with a small model.
struct SmallTask {
  TemporaryFolder folder;
  TrainSettings settings;

  explicit SmallTask(const std::string& task) {
    read_name(task, settings.task);
    settings.dim = 16;
    settings.heads = 2;
    settings.layers = 1;
    settings.steps = 1;
  }

  std::string file(const std::string& name, const std::string& text) const {
    std::string path = folder.path + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  // Sequences of four rows of three numbers.
  std::string vectors(const std::string& name, int64_t count) const {
    std::vector<float> rows;
    for (int64_t i = 0; i < count * 12; ++i) rows.push_back(static_cast<float>(i % 7) - 3);
    std::string path = folder.path + "/" + name;
    save_npy(path, Tensor::from(rows, {count, 4, 3}));
    return path;
  }

  PreparedRun prepare() const { return prepare_run(settings, folder.path); }

  std::string complaint() const {
    try {
      prepare();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Prepare, ValidationNeedsALabelOfClassify) {
  SmallTask task("classify");
  task.settings.train = {task.file("train.tsv", repeated("good\ta car\nbad\tthe dog\n", 5))};
  task.settings.valid = {task.file("valid.tsv", "1\ta car\n2\tthe dog\n")};
  EXPECT_THAT(task.complaint(), AllOf(HasSubstr("valid.tsv: "), HasSubstr("its labels are 1, 2, "),
                                      HasSubstr("training knows bad, good;")));
  task.settings.valid = {task.file("some.tsv", "1\ta car\ngood\tthe dog\n")};
  EXPECT_EQ(task.complaint(), "no error");
}

TEST(Prepare, ValidationNeedsALabelOfTag) {
  SmallTask task("tag");
  task.settings.train = {task.file("train.conll", repeated("the DET\ndog NOUN\n\n", 5))};
  task.settings.valid = {task.file("valid.conll", "the D\ndog N\n\n")};
  EXPECT_THAT(task.complaint(),
              AllOf(HasSubstr("valid.conll: "), HasSubstr("its labels are D, N, "),
                    HasSubstr("training knows DET, NOUN;")));
  task.settings.valid = {task.file("some.conll", "the D\ndog NOUN\n\n")};
  EXPECT_EQ(task.complaint(), "no error");
}

TEST(Prepare, ValidationNeedsALabelOfVectors) {
  SmallTask task("classify");
  task.settings.source_vectors = task.vectors("train.npy", 10);
  task.settings.train = {task.file("train.lines", repeated("good\nbad\n", 5))};
  task.settings.valid_vectors = task.vectors("valid.npy", 2);
  task.settings.valid = {task.file("valid.lines", "1\n2\n")};
  EXPECT_THAT(task.complaint(),
              AllOf(HasSubstr("valid.lines: "), HasSubstr("its labels are 1, 2, "),
                    HasSubstr("training knows bad, good;")));
  task.settings.valid = {task.file("some.lines", "1\ngood\n")};
  EXPECT_EQ(task.complaint(), "no error");
}

// Of four rows one is left, and the model answers it with one of two tags: it is right for one of
// two sets of tags, and the three rows that were cut are wrong for both.
TEST(Prepare, TagsOfRowsThatWereCutCountAsWrong) {
  const ThreadScope scope(1);
  SmallTask task("tag");
  task.settings.source_vectors = task.settings.valid_vectors = task.vectors("rows.npy", 12);
  task.settings.train = {task.file("train.lines", repeated("a b a b\n", 12))};
  task.settings.max_length = 1;
  double accuracy = 0;
  for (const std::string tag : {"a", "b"}) {
    const std::string line = repeated(tag + " ", 4) + "\n";
    task.settings.valid = {task.file("valid.lines", repeated(line, 12))};
    const PreparedRun run = task.prepare();
    const auto model = make_model(run.config.model, {.seed = 5});
    const Evaluation found = run.valid->evaluate(*model, {});
    EXPECT_EQ(found.find("tokens"), 12);
    accuracy += found.find("accuracy").value_or(-1);
    EXPECT_THAT(run.notes, Not(Contains(HasSubstr("does not have the labels"))));
  }
  EXPECT_NEAR(accuracy, 25, 1e-9);
}

TEST(Prepare, CharactersAreAllKept) {
  std::string text;
  for (int i = 0; i < 1400; ++i) {
    append_utf8(text, 0x4e00 + static_cast<char32_t>(i % 700));
    if (i % 50 == 49) text += '\n';
  }
  SmallTask task("lm");
  task.settings.train = {task.file("text.txt", text)};
  task.settings.tokenizer = "char";
  const PreparedRun all = task.prepare();
  EXPECT_EQ(all.tokenizer->size(), 700 + 1 + 5);  // with the line feed and the special tokens
  EXPECT_THAT(all.notes, Not(Contains(HasSubstr("unknown tokens"))));
  task.settings.vocab_size = 300;
  const PreparedRun some = task.prepare();
  EXPECT_EQ(some.tokenizer->size(), 300);
  // Unknown are 700 - 294 characters, each of them twice.
  EXPECT_THAT(some.notes, Contains(HasSubstr("unknown tokens in training: 812 of 1428, 56.86 %")));
}

TEST(Prepare, SeveralTextsGiveTheVocabularyOfAll) {
  SmallTask task("lm");
  task.settings.train = {task.file("1.txt", repeated("abc\n", 40)),
                         task.file("2.txt", repeated("cde\n", 40))};
  task.settings.tokenizer = "char";
  const PreparedRun run = task.prepare();
  for (const char* letter : {"a", "b", "c", "d", "e", "\n"}) {
    EXPECT_TRUE(run.tokenizer->find(letter).has_value()) << letter;
  }
  EXPECT_EQ(run.tokenizer->size(), 6 + 5);
}

}  // namespace
}  // namespace heed::prepare_test

// heed train --init-from: a run that begins with the parameters of another.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "heed/io/safetensors.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::init_from_test {
namespace {

using Words = std::vector<std::string>;

bool are_same(const Tensor& a, const Tensor& b) {
  return std::equal(a.data<float>(), a.data<float>() + a.size(), b.data<float>());
}

TEST(InitFrom, AnotherRunAsTheBeginning) {
  const std::string first = trained_run("classify");
  const std::string second =
      trained_run("classify", {"--init-from", first, "--freeze", "encoder,tokens", "--tokenizer",
                               first, "--steps", "1", "--lr", "0.01"});
  const auto before = SafetensorsFile::open(first + "/model.safetensors");
  const auto after = SafetensorsFile::open(second + "/model.safetensors");
  for (const std::string& name : before.names()) {
    EXPECT_EQ(are_same(before.tensor(name), after.tensor(name)),
              name.starts_with("encoder") || name.starts_with("tokens"))
        << name;
  }
}

// The ids must mean the same, so the tokenizer comes along; and what was taken is reported.
TEST(InitFrom, AnEncoderInANewTask) {
  const std::string base = trained_run("translate"), folder = temporary("new-task");
  Words arguments =
      train_arguments("classify", folder, {"--init-from", base, "--freeze", "encoder,tokens"});
  const auto given = std::find(arguments.begin(), arguments.end(), "--tokenizer");
  if (given != arguments.end()) arguments.erase(given, given + 2);
  const Outcome outcome = run_heed(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(file_text(folder + "/tokenizer.json"), file_text(base + "/tokenizer.json"));
  const auto before = SafetensorsFile::open(base + "/model.safetensors");
  const auto after = SafetensorsFile::open(folder + "/model.safetensors");
  size_t taken = 0;
  for (const std::string& name : after.names()) {
    if (!name.starts_with("encoder") && !name.starts_with("tokens")) continue;
    ++taken;
    EXPECT_TRUE(are_same(before.tensor(name), after.tensor(name))) << name;
  }
  EXPECT_GT(taken, 5u);
  EXPECT_NE(outcome.err.find(" of " + std::to_string(after.names().size()) + " parameters from " +
                             base + "; the others are new"),
            std::string::npos)
      << outcome.err;
}

// Parameters mean what they meant: the shape comes along where it is left open, is reported, and
// cannot be another one.
TEST(InitFrom, TheShapeOfTheRunThatItBeginsWith) {
  const std::string base = trained_run(
      "tag", {"--heads", "4", "--positions", "rotary", "--norm", "post", "--activation", "gelu"});
  const std::string folder = temporary("shape-taken");
  const Words arguments{"train", "classify", "--train", labeled_file(), "-o", folder, "-t",
                        "1",     "--steps",  "1",       "--init-from",  base};
  const Outcome outcome = run_heed(arguments);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto before = config_of(base)["model"], after = config_of(folder)["model"];
  for (const char* field : {"width", "hidden", "heads", "encoder_layers", "positions",
                            "scaled_embedding", "norm_place", "feed_forward"}) {
    EXPECT_EQ(before[field], after[field]) << field;
  }
  EXPECT_EQ(after["scaled_embedding"], false);
  EXPECT_NE(outcome.err.find("as in " + base + ": "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("heads 4, "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("norm post"), std::string::npos) << outcome.err;
  const auto refused = [&](const Words& more, const std::string& text) {
    Words all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    all.emplace_back("--overwrite");
    const Outcome wrong = run_heed(all);
    EXPECT_EQ(wrong.code, 1) << text;
    EXPECT_NE(wrong.err.find(text), std::string::npos) << wrong.err;
  };
  refused({"--heads", "2"}, "with --heads 4, not 2");
  refused({"--positions", "sinusoidal"}, "with --positions rotary, not sinusoidal");
  refused({"--norm", "pre"}, "with --norm post, not pre");
}

// Not a step to speak of: the run that begins answers as the other one did.
TEST(InitFrom, TheSameAnswers) {
  const std::string base = trained_run("classify", {"--heads", "4", "--positions", "rotary"});
  const std::string folder = temporary("same-answers");
  const Outcome outcome =
      run_heed({"train", "classify", "--train", labeled_file(), "-o", folder, "-t", "1", "--steps",
                "1", "--lr", "1e-12", "--init-from", base});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NEAR(evaluated(folder, {labeled_file()})["loss"].get<double>(),
              evaluated(base, {labeled_file()})["loss"].get<double>(), 1e-5);
  // It goes on without the other one.
  std::filesystem::remove_all(base);
  const Outcome resumed =
      run_heed({"train", "classify", "-o", folder, "-t", "1", "--resume", "--steps", "2"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(config_of(folder)["model"]["scaled_embedding"], false);
}

// Before its first checkpoint a run begins anew, so the model that it begins with must stay.
TEST(InitFrom, NotTheFolderThatIsReplaced) {
  const std::string folder = trained_run("classify"), link = temporary("own-folder");
  const size_t model = model_hash(folder);
  std::filesystem::create_directory_symlink(folder, link);
  for (const std::string& name : {folder, folder + "/.", link}) {
    const Outcome outcome =
        run_heed(train_arguments("classify", folder, {"--init-from", name, "--overwrite"}));
    EXPECT_EQ(outcome.code, 1) << name;
    EXPECT_NE(outcome.err.find("name another folder"), std::string::npos) << outcome.err;
    EXPECT_EQ(model_hash(folder), model);
  }
}

// Other classes have another head, also where there are as many; the same classes keep theirs.
TEST(InitFrom, AHeadOfOtherClassesIsNew) {
  const std::string base = trained_run("classify");
  std::istringstream lines(file_text(labeled_file()));
  std::string renamed;
  for (std::string line; std::getline(lines, line);) renamed += "other-" + line + "\n";
  const std::string other = file_with("renamed.tsv", renamed);
  for (const auto& [file, is_new] : {std::pair(labeled_file(), false), std::pair(other, true)}) {
    const std::string folder = temporary(is_new ? "new-head" : "old-head");
    const Outcome outcome =
        run_heed({"train", "classify", "--train", file, "-o", folder, "-t", "1", "--steps", "1",
                  "--lr", "1e-12", "--warmup", "0", "--init-from", base});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto before = SafetensorsFile::open(base + "/model.safetensors");
    const auto after = SafetensorsFile::open(folder + "/model.safetensors");
    ASSERT_EQ(config_of(base)["labels"].size(), config_of(folder)["labels"].size());
    EXPECT_TRUE(are_same(before.tensor("tokens.table"), after.tensor("tokens.table")));
    EXPECT_EQ(are_same(before.tensor("output.weight"), after.tensor("output.weight")), !is_new);
    EXPECT_EQ(outcome.err.find("; the others are new") != std::string::npos, is_new) << outcome.err;
  }
}

}  // namespace
}  // namespace heed::init_from_test

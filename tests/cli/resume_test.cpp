// heed train, interrupted and resumed: the same bits as without interruption; and what it says.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "heed/io/safetensors.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::resume_test {
namespace {

using Words = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Everything of a checkpoint but the time it took.
void expect_same_state(const std::string& a, const std::string& b) {
  const auto first = SafetensorsFile::open(a + "/state.safetensors");
  const auto second = SafetensorsFile::open(b + "/state.safetensors");
  EXPECT_EQ(first.names(), second.names());
  for (const std::string& name : first.names()) {
    const Tensor x = first.tensor(name), y = second.tensor(name);
    ASSERT_EQ(x.shape(), y.shape());
    ASSERT_EQ(x.dtype(), y.dtype());
    if (x.dtype() == DType::f32) {
      const auto bytes = static_cast<size_t>(x.size()) * sizeof(float);
      EXPECT_EQ(std::memcmp(x.data<float>(), y.data<float>(), bytes), 0) << name;
    } else {
      EXPECT_EQ(x.item(), y.item()) << name;  // counters
    }
  }
  for (const auto& [name, value] : first.metadata()) {
    if (name == "seconds") continue;
    EXPECT_EQ(second.metadata().at(name), value) << name;
  }
}

// Interrupts training once it has saved something. A run may end before the signal comes.
Outcome interrupt(const Words& arguments, const std::string& folder, int signal) {
  Outcome outcome;
  for (int tries = 0; tries < 20 && outcome.code != 130; ++tries) {
    std::filesystem::remove_all(folder);
    outcome = run_heed_until(folder + "/state.safetensors", signal, arguments);
  }
  return outcome;
}

TEST(Resume, GivesTheBitsOfTheUninterruptedRun) {
  const std::pair<std::string, Words> cases[] = {
      {"lm", {}},
      {"translate", {"--average", "0.9"}},
      {"translate", {"--model", "decoder", "--shards", "2"}},
      {"translate", {"--model", "prefix", "--accumulate", "2"}},
      {"translate", {"--model", "rnn-attention"}},
      {"summarize", {"--optimizer", "sgd"}},
      {"classify", {"--freeze", "tokens"}},
      {"tag", {}}};
  int number = 0;
  for (const auto& [task, more] : cases) {
    SCOPED_TRACE(task + (more.empty() ? "" : " " + more[0] + " " + more[1]));
    Words all{"--steps", "60", "--eval-every", "25", "--save-every", "4"};
    all.insert(all.end(), more.begin(), more.end());
    const std::string whole = temporary("whole" + std::to_string(number));
    const std::string parts = temporary("parts" + std::to_string(number++));
    ASSERT_EQ(run_heed(train_arguments(task, whole, all)).code, 0);
    const Outcome stopped =
        interrupt(train_arguments(task, parts, all), parts, number % 2 == 0 ? SIGINT : SIGTERM);
    EXPECT_EQ(stopped.code, 130);
    EXPECT_TRUE(has(stopped.err, "interrupted after step")) << stopped.err;
    EXPECT_TRUE(has(stopped.err, fmt::format("heed train {} -o {} --resume\n", task, parts)))
        << stopped.err;
    const Outcome resumed = run_heed({"train", task, "-o", parts, "--resume", "-t", "2"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_TRUE(has(resumed.err, "going on after step")) << resumed.err;
    EXPECT_EQ(model_hash(whole), model_hash(parts));
    expect_same_state(whole, parts);
    EXPECT_EQ(file_text(whole + "/probe.jsonl"), file_text(parts + "/probe.jsonl"));
  }
}

struct ResumeTest : ::testing::Test {
  ResumeTest() {
    static int number = 0;
    folder = temporary("resume" + std::to_string(number++));
    EXPECT_EQ(run_heed(train_arguments("lm", folder, {"--steps", "4"})).code, 0);
    model = model_hash(folder);
  }

  Outcome again(const Words& more) const {
    Words arguments{"train", "lm", "-o", folder, "-t", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_heed(arguments);
  }

  // The run was refused for this reason, and nothing has changed.
  void expect_refused(const Words& more, const std::string& reason, int code = 1) const {
    Words quiet = more;
    quiet.emplace_back("--quiet");
    const Outcome outcome = again(quiet);
    EXPECT_EQ(outcome.code, code);
    EXPECT_TRUE(has(outcome.err, reason)) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(model_hash(folder), model);
  }

  std::string folder;
  size_t model = 0;
};

TEST_F(ResumeTest, AFinishedRunSaysSo) {
  const Outcome outcome = again({"--resume"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "this run is finished: 4 steps")) << outcome.err;
  EXPECT_EQ(model_hash(folder), model);
}

// More steps would not help a run that patience ended.
TEST(Resume, AfterPatience) {
  const std::string folder = trained_run(
      "classify", {"--steps", "40", "--eval-every", "1", "--patience", "1", "--lr", "1e-12"});
  const Outcome outcome = run_heed({"train", "classify", "-o", folder, "-t", "1", "--resume"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "--patience with a larger number, or 0, goes on")) << outcome.err;
  const Outcome longer =
      run_heed({"train", "classify", "-o", folder, "-t", "1", "--resume", "--patience", "0"});
  EXPECT_EQ(longer.code, 0);
  EXPECT_EQ(run_json({"info", folder})["validations"].back()["step"], 40);
}

// The reader of the messages may go away; the run goes on, and is saved when it is interrupted.
TEST(Resume, WithoutAReaderOfMessages) {
  const auto shell = [](const std::string& arguments, const std::string& folder) {
    const std::string command =
        "(" HEED_PROGRAM " " + arguments + " & p=$!; while kill -0 $p && [ ! -e " + folder +
        "/state.safetensors ]; do sleep 0.05; done; kill -INT $p; wait $p; echo $? > " + folder +
        "/code) 2>&1 | true";
    return std::system(command.c_str());  // NOLINT(cert-env33-c)
  };
  const std::string folder = temporary("no-reader");
  std::string arguments;
  for (const std::string& word : train_arguments(
           "classify", folder, {"--steps", "1000000", "--eval-every", "5", "--patience", "0"})) {
    arguments += word + " ";
  }
  EXPECT_EQ(shell(arguments, folder), 0);
  EXPECT_EQ(file_text(folder + "/code"), "130\n");
  EXPECT_TRUE(std::filesystem::exists(folder + "/model.safetensors"));
}

TEST_F(ResumeTest, AFinishedRunCanBeMadeLonger) {
  EXPECT_EQ(again({"--resume", "--steps", "6"}).code, 0);
  EXPECT_EQ(run_json({"info", folder})["validations"].back()["step"], 6);
  // What was changed is remembered.
  EXPECT_TRUE(has(again({"--resume"}).err, "this run is finished: 6 steps"));
  EXPECT_EQ(again({"--resume", "--epochs", "9"}).code, 0);
  EXPECT_GT(run_json({"info", folder})["validations"].back()["step"], 6);
}

// A file that names epochs leaves the steps of the run behind, as the option does.
TEST_F(ResumeTest, EpochsFromAFile) {
  const Outcome outcome =
      again({"--resume", "--config", file_with("epochs.json", R"({"epochs": 9})")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(config_of(folder)["settings"]["epochs"], 9);
  EXPECT_EQ(config_of(folder)["settings"]["steps"], 0);
  EXPECT_GT(run_json({"info", folder})["validations"].back()["step"], 4);
}

TEST_F(ResumeTest, AFileWithStepsAndEpochs) {
  expect_refused({"--resume", "--config", file_with("both.json", R"({"steps": 9, "epochs": 9})")},
                 "both.json: steps and epochs exclude each other");
}

TEST_F(ResumeTest, TheSameCommandAgainWithResume) {
  Words arguments = train_arguments("lm", folder, {"--steps", "4"});
  arguments.emplace_back("--resume");
  EXPECT_TRUE(has(run_heed(arguments).err, "this run is finished"));
}

TEST_F(ResumeTest, ARunIsNotOverwrittenByAccident) {
  expect_refused({"--train", text_file(), "--steps", "2"}, "already holds a run");
  EXPECT_EQ(run_heed(train_arguments("lm", folder, {"--overwrite", "--seed", "3"})).code, 0);
  EXPECT_NE(model_hash(folder), model);
}

// An error in the new command must not cost the old run.
TEST_F(ResumeTest, OverwriteWaitsUntilTheNewRunCanBegin) {
  expect_refused({"--overwrite", "--train", temporary("no-such-file")}, "no-such-file");
  expect_refused({"--overwrite", "--train", text_file(), "--heads", "3", "--dim", "16"}, "3 heads");
  expect_refused({"--overwrite", "--resume"}, "exclude each other", 2);
  const std::string latin = file_with("caf\xe9.txt", file_text(text_file()));
  expect_refused({"--overwrite", "--train", latin}, "not UTF-8");
}

TEST_F(ResumeTest, ChangesThatCannotBeMade) {
  expect_refused({"--resume", "--beta1", "0.5"}, "--beta1 was 0.9, now 0.5");
  expect_refused({"--resume", "--dim", "32"},
                 "--dim was 16, now 32. Leave these out to go on as before, or begin anew in "
                 "another folder; --init-from " +
                     folder + " there begins with this model");
  expect_refused({"--resume", "--train", text_file(119)}, "data is not that of the checkpoint");
  expect_refused({"--resume", "--steps", "3"}, "--steps 3: this run has made 4 already");
  EXPECT_EQ(config_of(folder)["settings"]["steps"], 4);
  Words other{"train", "tag", "-o", folder, "--resume"};
  const Outcome outcome = run_heed(other);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "a run of the task lm, not tag")) << outcome.err;
}

TEST_F(ResumeTest, SaysWhatIsChanged) {
  const double lr = config_of(folder)["settings"]["lr"];
  EXPECT_FALSE(has(again({"--resume"}).err, "changed:"));
  const Outcome outcome = again({"--resume", "--lr", "0.0003", "--steps", "6"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.err, fmt::format("changed: lr {} -> 0.0003\n", lr))) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "changed: steps 4 -> 6\n")) << outcome.err;
  EXPECT_TRUE(has(again({"--resume", "--epochs", "9"}).err, "changed: epochs not set -> 9\n"));
}

TEST_F(ResumeTest, DataThatMoved) {
  const std::string moved = file_with("moved.txt", file_text(text_file()));
  EXPECT_EQ(again({"--resume", "--train", moved, "--steps", "6"}).code, 0);
  EXPECT_EQ(config_of(folder)["settings"]["train"][0], moved);
  EXPECT_EQ(again({"--resume", "--quiet"}).code, 0);
  // Without a checkpoint, nothing would tell other data, which the tokenizer is not of.
  model = model_hash(folder);
  std::filesystem::remove(folder + "/state.safetensors");
  expect_refused({"--resume", "--train", text_file(119)}, "--train was");
}

// The second training waits for nothing and changes nothing.
TEST_F(ResumeTest, OneTrainingAtATime) {
  const int held = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(held, 0);
  if (::flock(held, LOCK_EX | LOCK_NB) != 0) GTEST_SKIP() << "no locks in this file system";
  expect_refused({"--resume", "--steps", "9"}, "another process trains in this folder");
  ::close(held);
  EXPECT_EQ(again({"--resume", "--steps", "9"}).code, 0);
}

TEST_F(ResumeTest, ChangedDataIsNoticed) {
  const std::string text = file_text(text_file());
  file_with("text120.txt", text.substr(0, 100) + "cat" + text.substr(100));
  expect_refused({"--resume"}, "data is not that of the checkpoint");
  text_file();
}

TEST(Resume, ChangedValidationDataIsNoticed) {
  const std::string folder = temporary("valid-changes");
  const std::string valid = file_with("own-valid.txt", "the cat sees the dog\n");
  ASSERT_EQ(run_heed(train_arguments("lm", folder, {"--valid", valid})).code, 0);
  file_with("own-valid.txt", "the cat sees the tree\n");
  const Outcome outcome = run_heed({"train", "lm", "-o", folder, "--resume"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "data is not that of the checkpoint")) << outcome.err;
}

TEST_F(ResumeTest, WithoutACheckpointItBegins) {
  std::filesystem::remove(folder + "/state.safetensors");
  const Outcome outcome = again({"--resume"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "there is no checkpoint yet: training starts from the beginning"))
      << outcome.err;
  EXPECT_EQ(model_hash(folder), model);
}

// What no training made is not replaced by training.
TEST_F(ResumeTest, AModelThatIsNoRunIsLeftAlone) {
  const std::string small = folder + "-int8", mean = folder + "-mean";
  ASSERT_EQ(run_heed({"quantize", "-m", folder, "-o", small}).code, 0);
  ASSERT_EQ(run_heed({"average", folder, folder, "-o", mean}).code, 0);
  for (const auto& [other, reason] :
       {std::pair(small, "holds an int8 model"), std::pair(mean, "a model but no checkpoint")}) {
    const size_t before = model_hash(other);
    const Outcome outcome = run_heed({"train", "lm", "-o", other, "--resume", "-t", "1"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(has(outcome.err, reason)) << outcome.err;
    EXPECT_EQ(model_hash(other), before);
    EXPECT_EQ(run_heed({"info", other}).code, 0);
  }
}

TEST(Resume, WithoutARunItBegins) {
  const std::string folder = temporary("nothing-yet");
  Words arguments = train_arguments("lm", folder);
  arguments.emplace_back("--resume");
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "training starts from the beginning")) << outcome.err;
  const Outcome empty = run_heed({"train", "lm", "-o", temporary("nothing-at-all"), "--resume"});
  EXPECT_EQ(empty.code, 1);
  EXPECT_TRUE(has(empty.err, "there is no run in " + temporary("nothing-at-all"))) << empty.err;
  EXPECT_TRUE(has(empty.err, "--train is required")) << empty.err;
  EXPECT_FALSE(std::filesystem::exists(temporary("nothing-at-all")));
}

TEST_F(ResumeTest, DamagedFiles) {
  const auto damage = [&](const std::string& file, const std::string& text) {
    const std::string good = file_text(folder + "/" + file);
    std::ofstream(folder + "/" + file, std::ios::binary) << text;
    const Outcome outcome = again({"--resume", "--quiet"});
    EXPECT_EQ(outcome.code, 1) << file;
    EXPECT_TRUE(has(outcome.err, file)) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    std::ofstream(folder + "/" + file, std::ios::binary) << good;
  };
  const std::string state = file_text(folder + "/state.safetensors");
  damage("state.safetensors", state.substr(0, state.size() / 2));
  damage("state.safetensors", "");
  damage("state.safetensors", file_text(folder + "/model.safetensors"));
  damage("config.json", "{");
  damage("config.json", "");
  damage("tokenizer.json", "{}");
  // The checkpoint alone resumes a run: a damaged export is written again.
  std::filesystem::resize_file(folder + "/model.safetensors", 99);
  const Outcome repaired = again({"--resume", "--quiet"});
  EXPECT_EQ(repaired.code, 0) << repaired.err;
  EXPECT_EQ(model_hash(folder), model);
  std::filesystem::remove(folder + "/tokenizer.json");
  const Outcome outcome = again({"--resume"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(has(outcome.err, "has no tokenizer")) << outcome.err;
}

}  // namespace
}  // namespace heed::resume_test

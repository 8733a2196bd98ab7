#include "heed/train/training_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/io/safetensors.h"
#include "heed/run/run_folder.h"
#include "tests/train/small_run.h"

namespace heed {
namespace {

struct StopAfter final : RunEvents {
  explicit StopAfter(int64_t last_step) : last(last_step) {}
  void stepped(const StepReport& report) override { step = report.step; }
  bool stop_requested() override { return step >= last; }
  int64_t last, step = 0;
};

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

int64_t lines_of(const std::string& path) {
  const std::string text = file_text(path);
  return std::count(text.begin(), text.end(), '\n');
}

// One process of a run: trains in a folder until the end or until it is stopped.
struct Process {
  Process(const std::string& folder, int64_t steps, int64_t patience = 0, uint64_t fingerprint = 1)
      : model(small_config(), {.seed = 5}),
        corpus(reversal_corpus(40)),
        trainer(model, corpus, small_options(steps)),
        run(model, trainer,
            [this] {
              // A score that gets worse after the third validation.
              ++validations;
              const auto step = trainer.position().step;
              return Evaluation{.scores = {{"loss", std::abs(static_cast<double>(step) - 30)}}};
            },
            {.folder = folder,
             .eval_every = 10,
             .save_every = 7,
             .patience = patience,
             .fingerprint = fingerprint}) {}

  Transformer model;
  PairCorpus corpus;
  Trainer trainer;
  int64_t validations = 0;
  TrainingRun run;
};

TEST(TrainingRun, KeepsTheBestAndTheLast) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  Process process(folder.path, 60);
  RunEvents events;
  const RunResult result = process.run.go(events);
  EXPECT_EQ(result.end, RunEnd::all_steps);
  EXPECT_EQ(result.step, 60);
  EXPECT_EQ(result.best_step, 30);
  EXPECT_EQ(exported_step(folder.path), 30);
  EXPECT_EQ(process.validations, 6);
}

TEST(TrainingRun, PatienceEndsIt) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  Process process(folder.path, 100, 2);
  RunEvents events;
  const RunResult result = process.run.go(events);
  EXPECT_EQ(result.end, RunEnd::no_improvement);
  EXPECT_EQ(result.step, 50);
  Process again(folder.path, 100, 2);
  EXPECT_TRUE(again.run.resume());
  EXPECT_TRUE(again.run.was_finished());
}

// Interrupted at any step and resumed in a new process: weights, best model and log are the same.
TEST(TrainingRun, InterruptionsChangeNothing) {
  const ThreadScope scope(1);
  const TemporaryFolder whole;
  Process uninterrupted(whole.path, 45);
  RunEvents events;
  uninterrupted.run.go(events);
  for (const int64_t stop : {1, 9, 10, 21, 30, 44}) {
    const TemporaryFolder folder;
    Process first(folder.path, 45);
    StopAfter until(stop);
    const RunResult interrupted = first.run.go(until);
    EXPECT_EQ(interrupted.end, RunEnd::interrupted);
    EXPECT_EQ(interrupted.step, stop);
    Process second(folder.path, 45);
    ASSERT_TRUE(second.run.resume());
    EXPECT_FALSE(second.run.was_finished());
    const RunResult result = second.run.go(events);
    EXPECT_EQ(result.best_step, 30);
    EXPECT_TRUE(same_bits(weights_of(uninterrupted.model), weights_of(second.model)));
    EXPECT_EQ(file_text(whole.path + "/model.safetensors"),
              file_text(folder.path + "/model.safetensors"));
    EXPECT_EQ(lines_of(whole.path + "/log.jsonl"), lines_of(folder.path + "/log.jsonl"));
  }
}

TEST(TrainingRun, ResumeWithoutACheckpoint) {
  const TemporaryFolder folder;
  Process process(folder.path, 5);
  EXPECT_FALSE(process.run.resume());
}

TEST(TrainingRun, AFinishedRunIsFinished) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  RunEvents events;
  Process first(folder.path, 20);
  first.run.go(events);
  Process second(folder.path, 20);
  ASSERT_TRUE(second.run.resume());
  EXPECT_TRUE(second.run.was_finished());
  second.run.go(events);
  EXPECT_EQ(second.validations, 0);
  Process longer(folder.path, 25);
  ASSERT_TRUE(longer.run.resume());
  EXPECT_FALSE(longer.run.was_finished());
  EXPECT_EQ(longer.run.go(events).step, 25);
}

TEST(TrainingRun, OtherDataIsAnError) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  RunEvents events;
  Process first(folder.path, 5, 0, 1);
  first.run.go(events);
  Process second(folder.path, 5, 0, 2);
  EXPECT_THROW(second.run.resume(), Error);
}

TEST(TrainingRun, ADamagedCheckpointIsAnError) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  RunEvents events;
  Process first(folder.path, 5);
  first.run.go(events);
  const std::string path = folder.path + "/state.safetensors";
  const std::string good = file_text(path);
  std::ofstream(path, std::ios::binary) << good.substr(0, good.size() / 2);
  Process second(folder.path, 5);
  EXPECT_THROW(second.run.resume(), Error);
}

// The checkpoint of a folder, written anew with another number or without one of its tensors.
void rewrite(const std::string& folder, const std::string& number, const std::string& value,
             const std::string& dropped = {}) {
  const std::string path = folder + "/state.safetensors";
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;
  {
    const SafetensorsFile file = SafetensorsFile::open(path);
    for (const std::string& name : file.names()) {
      if (name != dropped) tensors.push_back({name, file.tensor(name).clone()});
    }
    metadata = file.metadata();
  }
  if (!number.empty()) metadata[number] = value;
  write_safetensors(path, tensors, metadata);
}

TEST(TrainingRun, AForgedCheckpointIsAnError) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  StopAfter stop(12);
  Process(folder.path, 60).run.go(stop);
  const std::string good = file_text(folder.path + "/state.safetensors");
  const auto expect_error = [&](const std::string& part) {
    try {
      Process(folder.path, 60).run.resume();
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
    std::ofstream(folder.path + "/state.safetensors", std::ios::binary) << good;
  };
  for (const char* number : {"step", "epoch", "batch", "stale"}) {
    rewrite(folder.path, number, "-5");
    expect_error(std::string("\"") + number + "\" must not be negative, got -5");
  }
  std::string best;
  for (const std::string& name :
       SafetensorsFile::open(folder.path + "/state.safetensors").names()) {
    if (name.starts_with("best.")) best = name;
  }
  ASSERT_FALSE(best.empty());
  rewrite(folder.path, "", "", best);
  expect_error("the best weights do not fit the model at " + best.substr(5));
  EXPECT_TRUE(Process(folder.path, 60).run.resume());
}

TEST(TrainingRun, ADamagedExportIsWrittenAgain) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  StopAfter stop(12);
  Process(folder.path, 60).run.go(stop);
  const std::string path = folder.path + "/model.safetensors", good = file_text(path);
  for (const std::string& damaged : {good.substr(0, good.size() / 2), std::string()}) {
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_EQ(exported_step(folder.path), -1);
    EXPECT_TRUE(Process(folder.path, 60).run.resume());
    EXPECT_EQ(file_text(path), good);
  }
}

TEST(TrainingRun, OfEqualScoresTheLowerLossIsBest) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  const Transformer model(small_config(), {.seed = 5});
  const PairCorpus corpus = reversal_corpus(40);
  Trainer trainer(model, corpus, small_options(4));
  const std::vector<Evaluation> evaluations = {
      {.scores = {{"loss", 0.9}, {"exact_match", 50}}},
      {.scores = {{"loss", 0.5}, {"exact_match", 100}}},
      {.scores = {{"loss", 0.2}, {"exact_match", 100}}},
      {.scores = {{"loss", 0.3}, {"exact_match", 100}}},
  };
  size_t next = 0;
  TrainingRun run(model, trainer, [&] { return evaluations.at(next++); },
                  {.folder = folder.path, .eval_every = 1, .metric = "exact_match"});
  RunEvents events;
  EXPECT_EQ(run.go(events).best_step, 3);
}

// A checkpoint that is due waits until a step has found its weights good, and a validation that has
// run away writes nothing.
TEST(TrainingRun, TheLastGoodCheckpointStays) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  Transformer model(small_config(), {.seed = 5});
  const PairCorpus corpus = reversal_corpus(40);
  Trainer trainer(model, corpus, small_options(60));
  struct Events : RunEvents {
    void saved(int64_t step) override { steps.push_back(step); }
    std::vector<int64_t> steps;
  } events;
  TrainingRun run(model, trainer,
                  [&] {
                    const bool is_late = trainer.position().step > 10;
                    return Evaluation{.scores = {{"loss", is_late ? 1e6 : 2.0}}};
                  },
                  {.folder = folder.path, .eval_every = 10, .save_every = 3});
  EXPECT_THROW(run.go(events), Diverged);
  EXPECT_EQ(trainer.position().step, 20);
  EXPECT_EQ(events.steps, (std::vector<int64_t>{3, 6, 9, 10, 12, 15, 18}));
  // It holds the weights of step 18: a run that goes on from it ends like one that never stopped.
  const TemporaryFolder elsewhere;
  Process second(folder.path, 60, 0, 0), straight(elsewhere.path, 60);
  ASSERT_TRUE(second.run.resume());
  EXPECT_EQ(second.trainer.position().step, 18);
  RunEvents quiet;
  second.run.go(quiet);
  straight.run.go(quiet);
  EXPECT_TRUE(same_bits(weights_of(straight.model), weights_of(second.model)));
}

TEST(TrainingRun, AnUnknownMetricIsAnError) {
  const ThreadScope scope(1);
  const TemporaryFolder folder;
  const Transformer model(small_config(), {.seed = 5});
  const PairCorpus corpus = reversal_corpus(40);
  Trainer trainer(model, corpus, small_options(2));
  TrainingRun run(model, trainer,
                  [] {
                    return Evaluation{.scores = {{"loss", 1.0}}};
                  },
                  {.folder = folder.path, .metric = "bleu"});
  RunEvents events;
  EXPECT_THROW(run.go(events), Error);
}

}  // namespace
}  // namespace heed

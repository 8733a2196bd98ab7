#include "heed/train/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/pipeline/pipeline.h"
#include "heed/run/run_folder.h"
#include "tests/train/small_run.h"

namespace heed::train_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

struct Recorder final : RunEvents {
  explicit Recorder(int64_t last_step = INT64_MAX) : last(last_step) {}

  void opened(const std::string& folder) override { folders.push_back(folder); }
  void noted(const std::string& text) override { notes.push_back(text); }
  void began(const RunStart& start) override { starts.push_back(start); }
  void stepped(const StepReport& report) override { step = report.step; }
  bool stop_requested() override { return step >= last; }

  int64_t last, step = 0;
  std::vector<std::string> folders, notes;
  std::vector<RunStart> starts;
};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Source and target in files, and the settings of a small translator of them.
struct Lesson {
  TemporaryFolder temporary;
  TrainSettings settings;

  Lesson() {
    const std::vector<std::string> words = {"red", "blue", "car", "house", "tree"};
    std::string source, target;
    for (size_t i = 0; i < 30; ++i) {
      source += words[i % 5] + " " + words[(i * 7 + 1) % 5] + "\n";
      target += words[(i * 7 + 1) % 5] + " " + words[i % 5] + "\n";
    }
    std::ofstream(path("a")) << source;
    std::ofstream(path("b")) << target;
    settings.task = Task::translate;
    settings.train = {path("a"), path("b")};
    settings.tokenizer = "word";
    settings.dim = 16;
    settings.heads = 2;
    settings.layers = 1;
    settings.steps = 12;
    settings.eval_every = 5;
    settings.save_every = 3;
  }

  std::string path(const std::string& name) const { return temporary.path + "/" + name; }

  std::string complaint(const GivenSettings& given, const std::string& folder,
                        const TrainOptions& options = {}) const {
    RunEvents silent;
    try {
      train(given, folder, silent, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

// What a user of the library does: train, load, use.
TEST(Train, MakesAFolderThatLoads) {
  const Lesson lesson;
  Recorder events;
  const RunResult result = train(lesson.settings, lesson.path("run"), events);
  EXPECT_EQ(result.end, RunEnd::all_steps);
  EXPECT_EQ(result.step, 12);
  EXPECT_EQ(result.metric, "loss");
  EXPECT_EQ(events.folders, std::vector<std::string>{lesson.path("run")});
  ASSERT_EQ(events.starts.size(), 1u);
  EXPECT_EQ(events.starts[0].task, Task::translate);
  EXPECT_EQ(events.starts[0].first_step, 0);
  EXPECT_EQ(events.starts[0].total_steps, 12);
  EXPECT_THAT(events.notes, Contains(HasSubstr("parameters")));
  EXPECT_NO_THROW(load(lesson.path("run")).translate("red car"));
  EXPECT_TRUE(std::filesystem::exists(lesson.path("run/probe.jsonl")));
}

TEST(Train, GoesOnWithTheSameBits) {
  const Lesson lesson;
  RunEvents silent;
  train(lesson.settings, lesson.path("whole"), silent);
  for (const int64_t stop : {2, 5, 9}) {
    const std::string folder = lesson.path("parts" + std::to_string(stop));
    Recorder interrupted(stop);
    EXPECT_EQ(train(lesson.settings, folder, interrupted, {.resume = true}).end,
              RunEnd::interrupted);
    Recorder again;
    train(lesson.settings, folder, again, {.resume = true});
    EXPECT_EQ(again.starts[0].first_step, stop);
    EXPECT_THAT(again.notes, Contains(HasSubstr("going on after step " + std::to_string(stop))));
    for (const char* name : {"/config.json", "/model.safetensors"}) {
      EXPECT_TRUE(bytes_of(folder + name) == bytes_of(lesson.path("whole") + name)) << stop << name;
    }
  }
}

TEST(Train, ReplacesARunOnlyIfAsked) {
  const Lesson lesson;
  const std::string run = lesson.path("run");
  RunEvents silent;
  train(lesson.settings, run, silent);
  const std::string before = bytes_of(run + "/model.safetensors");
  EXPECT_THAT(lesson.complaint(lesson.settings, run),
              AllOf(HasSubstr("already holds a run"), HasSubstr("`resume`")));
  EXPECT_TRUE(bytes_of(run + "/model.safetensors") == before);
  TrainSettings other = lesson.settings;
  other.seed = 2;
  train(other, run, silent, {.overwrite = true});
  EXPECT_FALSE(bytes_of(run + "/model.safetensors") == before);

  std::filesystem::create_directory(lesson.path("mine"));
  std::ofstream(lesson.path("mine/config.json.txt")) << "mine";
  std::ofstream(lesson.path("mine/log.jsonl")) << "mine";
  EXPECT_THAT(lesson.complaint(lesson.settings, lesson.path("mine")), HasSubstr("log.jsonl"));
  EXPECT_EQ(bytes_of(lesson.path("mine/log.jsonl")), "mine");
}

TEST(Train, LeavesNoFolderBehindAnError) {
  const Lesson lesson;
  TrainSettings none = lesson.settings;
  none.train = {lesson.path("not-there"), lesson.path("b")};
  EXPECT_THAT(lesson.complaint(none, lesson.path("run")), HasSubstr("not-there"));
  EXPECT_FALSE(std::filesystem::exists(lesson.path("run")));
  EXPECT_THAT(lesson.complaint(TrainSettings(), lesson.path("run")), HasSubstr("no task is named"));
  TrainSettings tuned = lesson.settings;
  tuned.lora = 4;
  EXPECT_THAT(lesson.complaint(tuned, lesson.path("run")), HasSubstr("lora is a setting of"));
}

// Options are checked where they are read; these numbers come from a program.
TEST(Train, RefusesNumbersOutOfRange) {
  const Lesson lesson;
  TrainSettings settings = lesson.settings;
  settings.log_every = 0;
  EXPECT_THAT(lesson.complaint(settings, lesson.path("run")), HasSubstr("`log-every` is 0"));
  settings = lesson.settings;
  settings.accumulate = 0;
  EXPECT_THAT(lesson.complaint(settings, lesson.path("run")), HasSubstr("`accumulate` is 0"));
  EXPECT_FALSE(std::filesystem::exists(lesson.path("run")));
}

TEST(Train, BeginsWithAnotherModel) {
  const Lesson lesson;
  RunEvents silent;
  TrainSettings first = lesson.settings;
  first.norm = NormPlace::post;
  first.positions = PositionKind::learned;
  train(first, lesson.path("base"), silent);
  TrainSettings second;
  second.task = Task::translate;
  second.train = lesson.settings.train;
  second.steps = 1;
  second.init_from = lesson.path("base");
  Recorder events;
  train(second, lesson.path("next"), events);
  EXPECT_THAT(events.notes, Contains(AllOf(HasSubstr("as in "), HasSubstr("norm post"))));
  const TrainSettings made = read_run_config(lesson.path("next")).settings;
  EXPECT_EQ(made.norm, NormPlace::post);
  EXPECT_EQ(made.positions, PositionKind::learned);
  EXPECT_EQ(made.dim, 16);
  EXPECT_THAT(lesson.complaint(second, lesson.path("base"), {.overwrite = true}),
              HasSubstr("would replace the model"));
}

// What is named by hand wins over a file, and both over the saved run.
TEST(GivenSettings, AreLaidUponEachOther) {
  const Lesson lesson;
  std::ofstream(lesson.path("some.json")) << R"({"steps": 7, "lr": 0.5, "norm": "post"})";
  GivenSettings given(lesson.settings);
  given.config = lesson.path("some.json");
  given.settings.lr = 0.25;
  given.named.push_back(
      &*std::find_if(settings_table().begin(), settings_table().end(),
                     [](const Setting& s) { return s.name == std::string("lr"); }));
  std::vector<std::string> notes;
  const TrainSettings made = new_settings(given, notes);
  EXPECT_EQ(made.lr, 0.25);
  EXPECT_EQ(made.norm, NormPlace::post);
  EXPECT_EQ(made.steps, 12);
  GivenSettings both = given;
  both.settings.epochs = 3;
  both = GivenSettings(both.settings);
  EXPECT_THROW(new_settings(both, notes), Error);
}

}  // namespace
}  // namespace heed::train_test

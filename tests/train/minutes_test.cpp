// heed::train with a time instead of a number of steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "heed/base/error.h"
#include "heed/run/run_folder.h"
#include "heed/train/train.h"
#include "tests/train/small_run.h"

namespace heed::minutes_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

struct Listener final : RunEvents {
  explicit Listener(int64_t last_step = INT64_MAX) : last(last_step) {}

  void noted(const std::string& text) override { notes.push_back(text); }
  void stepped(const StepReport& report) override { step = report.step; }
  bool stop_requested() override { return step >= last; }

  int64_t last, step = 0;
  std::vector<std::string> notes;
};

// A clock that goes on by a second whenever it is read: a step takes a second, as does a validation
// and a checkpoint. Ten are over when the steps are planned.
std::function<double()> second_at_each_look() {
  return [time = 100.0]() mutable { return time += 1; };
}

TrainOptions one_minute() { return {.minutes = 1, .clock = second_at_each_look()}; }

struct Exercise {
  TemporaryFolder temporary;
  TrainSettings settings;

  Exercise() {
    std::ofstream source(path("a")), target(path("b"));
    const std::vector<std::string> words = {"red", "blue", "car", "house", "tree"};
    for (size_t i = 0; i < 40; ++i) {
      source << words[i % 5] << ' ' << words[(i * 7 + 1) % 5] << '\n';
      target << words[(i * 7 + 1) % 5] << ' ' << words[i % 5] << '\n';
    }
    settings.task = Task::translate;
    settings.train = {path("a"), path("b")};
    settings.tokenizer = "word";
    settings.dim = 16;
    settings.heads = 2;
    settings.layers = 1;
    settings.batch = 8;
    settings.schedule = ScheduleKind::cosine;
    settings.eval_every = 20;
  }

  std::string path(const std::string& name) const { return temporary.path + "/" + name; }

  std::string file(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }

  void expect_same_run(const std::string& a, const std::string& b) const {
    for (const char* name : {"/config.json", "/model.safetensors"}) {
      EXPECT_FALSE(file(a + name).empty());
      EXPECT_TRUE(file(a + name) == file(b + name)) << a << name;
    }
  }

  std::string complaint(const GivenSettings& given, const TrainOptions& options) const {
    RunEvents silent;
    try {
      train(given, path("run"), silent, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST(Minutes, AreTheRunOfTheStepsThatFit) {
  const Exercise exercise;
  Listener events;
  const RunResult result = train(exercise.settings, exercise.path("timed"), events, one_minute());
  EXPECT_EQ(result.end, RunEnd::all_steps);
  EXPECT_EQ(result.step, 44);  // 50 s are left: 44 x 1 s, and 3 x (1 s + 1 s)
  EXPECT_THAT(events.notes, Contains("minutes: 44 steps of about 1 s, 3 validations of about 2 s"));
  EXPECT_THAT(events.notes, Not(Contains(HasSubstr("epochs"))));
  const TrainSettings made = read_run_config(exercise.path("timed")).settings;
  EXPECT_EQ(made.steps, 44);
  EXPECT_EQ(made.epochs, 0);
  EXPECT_EQ(made.patience, 0);
  EXPECT_EQ(made.warmup, 2);
  EXPECT_FALSE(std::filesystem::exists(exercise.path("timed/speed.safetensors")));

  TrainSettings asked = exercise.settings;
  asked.steps = 44;
  RunEvents silent;
  train(asked, exercise.path("asked"), silent);
  exercise.expect_same_run("timed", "asked");
}

TEST(Minutes, ValidateLessIfThatTakesTooLong) {
  Exercise exercise;
  exercise.settings.eval_every = 5;  // 7 validations would take 14 of 60 s
  Listener events;
  train(exercise.settings, exercise.path("timed"), events, one_minute());
  EXPECT_THAT(events.notes,
              AllOf(Contains("minutes: 38 steps of about 1 s, 6 validations of about 2 s"),
                    Contains(HasSubstr("a validation every 7 steps instead of every 5"))));
  TrainSettings asked = exercise.settings;
  asked.steps = 38;
  asked.eval_every = 7;
  RunEvents silent;
  train(asked, exercise.path("asked"), silent);
  exercise.expect_same_run("timed", "asked");
}

TEST(Minutes, GoOnWithThePlannedSteps) {
  const Exercise exercise;
  RunEvents silent;
  train(exercise.settings, exercise.path("whole"), silent, one_minute());
  Listener interrupted(17);
  TrainOptions begins = one_minute();
  begins.resume = true;  // there is no run yet
  EXPECT_EQ(train(exercise.settings, exercise.path("parts"), interrupted, begins).end,
            RunEnd::interrupted);
  EXPECT_EQ(train(exercise.settings, exercise.path("parts"), silent, {.resume = true}).step, 44);
  exercise.expect_same_run("parts", "whole");
}

TEST(Minutes, AreRefusedWhereStepsAreKnown) {
  const Exercise exercise;
  TrainSettings both = exercise.settings;
  both.steps = 10;
  EXPECT_THAT(exercise.complaint(both, one_minute()),
              HasSubstr("`minutes` and `steps` exclude each other"));
  both.steps = 0;
  both.epochs = 10;
  EXPECT_THAT(exercise.complaint(both, one_minute()),
              HasSubstr("`minutes` and `epochs` exclude each other"));
  for (const double minutes : {-1.0, 0.01, 1e5, std::nan("")}) {
    EXPECT_THAT(exercise.complaint(exercise.settings, {.minutes = minutes}),
                HasSubstr("expected a number from 0.05 to 10000"));
  }
  EXPECT_FALSE(std::filesystem::exists(exercise.path("run")));

  TrainSettings asked = exercise.settings;
  asked.steps = 2;
  RunEvents silent;
  train(asked, exercise.path("run"), silent);
  TrainOptions again = one_minute();
  again.resume = true;
  EXPECT_THAT(exercise.complaint(exercise.settings, again),
              AllOf(HasSubstr("`minutes` is for new runs"), HasSubstr("`steps` changes")));
}

// The config.json of another run names its steps.
TEST(Minutes, WinOverTheStepsOfAFile) {
  const Exercise exercise;
  std::ofstream(exercise.path("some.json")) << R"({"steps": 7})";
  GivenSettings given(exercise.settings);
  given.config = exercise.path("some.json");
  RunEvents silent;
  EXPECT_EQ(train(given, exercise.path("run"), silent, one_minute()).step, 44);
}

}  // namespace
}  // namespace heed::minutes_test

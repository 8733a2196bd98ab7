// heed tour, cut short: what it prints and leaves behind. That it learns, and how fast, is checked
// by scripts/check-tour.

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::tour_test {
namespace {

using Words = std::vector<std::string>;

const char* const kModels[] = {"transformer", "rnn-attention"};

struct ShortTour {
  std::string folder;
  Outcome outcome;
};

// A tour of three steps per lesson, the same for all tests.
const ShortTour& short_tour(const std::string& model) {
  static std::map<std::string, ShortTour> tours;
  const auto [at, is_new] = tours.try_emplace(model);
  ShortTour& tour = at->second;
  if (is_new) {
    tour.folder = temporary("tour-" + model);
    tour.outcome =
        run_heed({"tour", "--model", model, "-o", tour.folder, "--steps", "3", "-t", "1"});
  }
  return tour;
}

// The commands that the tour ends with. Left out are those that train on files of the user's own,
// which are not there, and those that start a server, which would not end.
std::vector<std::string> commands_to_run(const std::string& text) {
  std::vector<std::string> commands;
  std::istringstream lines(text);
  bool goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    goes_on = goes_on || line == "Go on:";
    if (!goes_on || !line.starts_with("  ")) continue;
    const auto is = [&](const std::string& command) {
      return line.find(HEED_PROGRAM " " + command + " ") != std::string::npos;
    };
    if (!is("train") && !is("serve")) commands.push_back(line.substr(2));
  }
  return commands;
}

TEST(Tour, LeavesModelsPicturesAndCommandsThatWork) {
  for (const char* model : kModels) {
    SCOPED_TRACE(model);
    const auto& [folder, outcome] = short_tour(model);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const char* name : {"dates", "phrases"}) {
      for (const char* file : {"config.json", "model.safetensors", "tokenizer.json", "log.jsonl",
                               "state.safetensors", "attention.svg"}) {
        EXPECT_TRUE(std::filesystem::exists(folder + "/" + name + "/" + file)) << name << file;
      }
      EXPECT_EQ(config_of(folder + "/" + name)["settings"]["model"], model);
    }
    for (const char* text :
         {"exactly right", "Cross-attention", "heed translate -m", "heed info -m",
          "heed attention -m", "heed train translate", "heed train lm"}) {
      EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
    }
    EXPECT_NE(outcome.err.find("step 3/3"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << "colors in a pipe";

    const std::string out = temporary("tour-out"), err = temporary("tour-err");
    const std::vector<std::string> commands = commands_to_run(outcome.out);
    EXPECT_GE(commands.size(), 4u) << outcome.out;
    for (const std::string& command : commands) {
      // As it was printed: it names the program by which it was started.
      EXPECT_NE(command.find(HEED_PROGRAM " "), std::string::npos) << command;
      const std::string line = command + " > '" + out + "' 2> '" + err + "'";
      EXPECT_EQ(std::system(line.c_str()), 0) << command << "\n" << file_text(err);
      EXPECT_FALSE(file_text(out).empty()) << command;
    }
  }
}

TEST(Tour, ItsPairsCanBeEvaluated) {
  const auto& [folder, outcome] = short_tour("transformer");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string valid = folder + "/data/dates.valid";
  const auto greedy =
      run_json({"eval", "-m", folder + "/dates", "--data", valid + ".source", valid + ".target"});
  const auto searched = run_json({"eval", "-m", folder + "/dates", "--data", valid + ".source",
                                  valid + ".target", "--beam", "3"});
  EXPECT_EQ(greedy["loss"], searched["loss"]);
  EXPECT_NE(greedy["chrf"], searched["chrf"]);
}

// A folder with a finished tour of its own, and the same command again with `more`.
struct FinishedTour : ::testing::Test {
  FinishedTour() {
    static int number = 0;
    folder = temporary("tour-again" + std::to_string(number++));
    std::filesystem::remove_all(folder);
    std::filesystem::copy(short_tour("transformer").folder, folder,
                          std::filesystem::copy_options::recursive);
    model = model_hash(folder + "/dates");
  }

  std::vector<std::string> command(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"tour", "-o", folder, "--only", "dates", "-t", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  void expect_untouched() const {
    EXPECT_EQ(model_hash(folder + "/dates"), model);
    EXPECT_FALSE(std::filesystem::exists(folder + "/.heed-tour-unfinished"));
  }

  std::string folder;
  size_t model = 0;
};

std::string line_with(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const size_t begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST_F(FinishedTour, IsShownAgain) {
  const Outcome outcome = run_heed(command({"--steps", "3"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("Already trained"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Cross-attention"), std::string::npos) << outcome.out;
  EXPECT_EQ(line_with(outcome.out, "exactly right"),
            line_with(short_tour("transformer").outcome.out, "dates it has never seen"));
  expect_untouched();
}

TEST_F(FinishedTour, WithOtherSettingsIsNotTakenForThem) {
  const Outcome outcome = run_heed(command({"--steps", "3", "--seed", "2"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("--steps 3 --seed 1, not --model transformer --steps 3 --seed 2; "
                             "--again trains it anew"),
            std::string::npos)
      << outcome.err;
  expect_untouched();
}

TEST_F(FinishedTour, StaysUntilANewOneIsThere) {
  const Outcome stopped = run_heed_until(folder + "/.heed-tour-unfinished/dates/log.jsonl", SIGINT,
                                         command({"--again", "--steps", "100000", "--seed", "2"}));
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("the model in " + folder + "/dates is as it was\n"), std::string::npos)
      << stopped.err;
  expect_untouched();
  EXPECT_EQ(run_heed(command({"--steps", "3"})).code, 0);

  const std::string source = folder + "/data/dates.train.source", before = file_text(source);
  const Outcome again = run_heed(command({"--again", "--steps", "4", "--seed", "2"}));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(model_hash(folder + "/dates"), model);
  EXPECT_NE(file_text(source), before);
  EXPECT_EQ(config_of(folder + "/dates")["settings"]["train"][0], source);
  EXPECT_FALSE(std::filesystem::exists(folder + "/.heed-tour-unfinished"));
  EXPECT_EQ(run_heed({"train", "translate", "-o", folder + "/dates", "--resume"}).code, 0);
}

TEST(Tour, AnInterruptedOneIsNotFinished) {
  const std::string folder = temporary("tour-interrupted");
  const std::vector<std::string> command{"tour",   "-o",    folder, "--steps", "100000",
                                         "--only", "dates", "-t",   "1"};
  for (const int signal : {SIGINT, SIGKILL}) {
    run_heed_until(folder + "/.heed-tour-unfinished/dates/log.jsonl", signal, command);
    EXPECT_FALSE(std::filesystem::exists(folder + "/dates"));
    EXPECT_EQ(std::filesystem::exists(folder + "/.heed-tour-unfinished"), signal == SIGKILL);
  }
  const Outcome outcome =
      run_heed({"tour", "-o", folder, "--steps", "3", "--only", "dates", "-t", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("step 3/3"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(folder + "/dates/model.safetensors"));
}

// What a tour has not made, it does not remove.
TEST_F(FinishedTour, FilesOfOthersStay) {
  const auto put = [&](const std::string& name) {
    const std::string path = folder + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "mine";
    return path;
  };
  const std::string notes = put("dates/NOTES"), thesis = put("unfinished/thesis.tex");
  const Outcome again = run_heed(command({"--again", "--steps", "2"}));
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.err.find("dates/NOTES would be lost"), std::string::npos) << again.err;
  expect_untouched();
  std::filesystem::remove(notes);
  EXPECT_EQ(run_heed(command({"--again", "--steps", "2"})).code, 0);
  EXPECT_EQ(file_text(thesis), "mine");

  // A folder, a run and a link of others.
  std::filesystem::remove_all(folder + "/dates");
  const std::string photo = put("dates/photo.jpg");
  const auto expect_refused = [&] {
    for (const Words& more : {Words{"--steps", "2"}, Words{"--again", "--steps", "2"}}) {
      const Outcome outcome = run_heed(command(more));
      EXPECT_EQ(outcome.code, 1);
      EXPECT_NE(outcome.err.find("dates is there already and is no lesson of the tour"),
                std::string::npos)
          << outcome.err;
    }
  };
  expect_refused();
  EXPECT_EQ(file_text(photo), "mine");
  std::filesystem::remove_all(folder + "/dates");
  std::filesystem::rename(folder + "/phrases", folder + "/dates");  // trained on other data
  expect_refused();
  std::filesystem::rename(folder + "/dates", folder + "/elsewhere");
  std::filesystem::create_directory_symlink(folder + "/elsewhere", folder + "/dates");
  expect_refused();
  EXPECT_TRUE(std::filesystem::exists(folder + "/elsewhere/model.safetensors"));
}

TEST_F(FinishedTour, AMissingPictureIsDrawn) {
  std::filesystem::remove(folder + "/dates/attention.svg");
  const Outcome outcome = run_heed(command({"--steps", "3"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Already trained"), std::string::npos) << outcome.out;
  EXPECT_TRUE(std::filesystem::exists(folder + "/dates/attention.svg"));
  expect_untouched();
  std::filesystem::remove(folder + "/dates/attention.svg");
  EXPECT_EQ(run_heed(command({"--steps", "3", "--model", "rnn-attention"})).code, 1);
  expect_untouched();
}

// The model is kept although nobody can read what it shows.
TEST(Tour, AModelThatCannotBeShownStays) {
  const std::string folder = temporary("tour-unseen");
  const std::string line = std::string(HEED_PROGRAM) + " tour -o '" + folder +
                           "' --steps 2 --only dates -t 1 > /dev/full 2> /dev/null";
  EXPECT_NE(std::system(line.c_str()), 0);
  EXPECT_TRUE(std::filesystem::exists(folder + "/dates/model.safetensors"));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

TEST(Tour, NoLineIsWiderThanATerminal) {
  for (const char* model : kModels) {
    SCOPED_TRACE(model);
    const auto& [folder, outcome] = short_tour(model);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    // As it reads after `make demo`.
    std::istringstream lines(replaced(replaced(outcome.out + outcome.err, folder, "heed-tour"),
                                      HEED_PROGRAM, "./build/heed"));
    for (std::string line; std::getline(lines, line);) {
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;  // not the rest of a character
      });
      EXPECT_LE(columns, 80) << line;
    }
  }
}

}  // namespace
}  // namespace heed::tour_test

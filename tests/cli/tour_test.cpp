// heed tour, cut short: what it prints and leaves behind. That it learns, and how fast, is checked
// by scripts/check-tour.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::tour_test {
namespace {

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

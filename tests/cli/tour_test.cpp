// heed tour, cut short: what it prints and leaves behind. That it learns is checked by
// scripts/check-tour.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/cli/program.h"

namespace heed::tour_test {
namespace {

TEST(Tour, LeavesModelsPicturesAndCommandsThatWork) {
  const std::string folder = temporary("tour");
  const Outcome outcome = run_heed({"tour", "-o", folder, "--steps", "3", "-t", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* name : {"dates", "phrases"}) {
    for (const char* file : {"config.json", "model.safetensors", "tokenizer.json", "log.jsonl",
                             "state.safetensors", "attention.svg"}) {
      EXPECT_TRUE(std::filesystem::exists(folder + "/" + name + "/" + file)) << name << file;
    }
  }
  for (const char* text : {"exactly right", "Cross-attention", "heed translate -m", "heed info -m",
                           "heed attention -m", "heed train translate", "heed train lm"}) {
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
  }
  EXPECT_NE(outcome.err.find("step 3/3"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out.find('\033'), std::string::npos) << "colors in a pipe";
  EXPECT_EQ(run_heed({"info", "-m", folder + "/phrases"}).code, 0);
  EXPECT_EQ(run_heed({"attention", "-m", folder + "/phrases", "-p", "the small red car"}).code, 0);
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
  const std::string folder = temporary("tour-narrow");
  const Outcome outcome = run_heed({"tour", "-o", folder, "--steps", "2", "-t", "1"});
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

}  // namespace
}  // namespace heed::tour_test

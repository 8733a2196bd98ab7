#include "apps/cli/console/progress_line.h"

#include <gtest/gtest.h>

#include <sstream>

namespace heed::progress_line_test {
namespace {

std::vector<cli::LinePart> parts() {
  return {{"step 1234/12000"},  {"loss 0.071"},       {"23456 tok/s", true},
          {"lr 2.0e-03", true}, {"norm 12.34", true}, {"ETA 1:21:00"}};
}

TEST(ProgressLine, TheBarStays) {
  EXPECT_EQ(cli::bar_line(0.5, parts(), 79),
            "[######.....] step 1234/12000  loss 0.071  23456 tok/s  lr 2.0e-03  ETA 1:21:00");
  EXPECT_EQ(cli::bar_line(0.5,
                          {{"step 550/1100"},
                           {"loss 0.071"},
                           {"23456 tok/s", true},
                           {"lr 2.0e-03", true},
                           {"norm 0.34", true},
                           {"ETA 12 s"}},
                          79),
            "[###..] step 550/1100  loss 0.071  23456 tok/s  lr 2.0e-03  norm 0.34  ETA 12 s");
  EXPECT_EQ(cli::bar_line(1, parts(), 60),
            "[#################] step 1234/12000  loss 0.071  ETA 1:21:00");
  EXPECT_EQ(cli::bar_line(0, parts(), 120).substr(0, 31), "[........................] step");
  EXPECT_EQ(cli::bar_line(0.5, parts(), 20), "step 1234/12000  los");
  EXPECT_EQ(cli::joined_line(parts(), 200),
            "step 1234/12000  loss 0.071  23456 tok/s  lr 2.0e-03  norm 12.34  ETA 1:21:00");
}

TEST(ProgressLine, ValidationsFitATerminal) {
  const Evaluation dates{.scores = {{"loss", 0.0007054},
                                    {"tokens", 2400},
                                    {"bleu", 99.84},
                                    {"chrf", 99.82},
                                    {"exact_match", 99.5}}};
  EXPECT_EQ(cli::validation_lines(1000, dates, true),
            "step 1000: valid  loss 0.0007054  bleu 99.84  chrf 99.82  exact_match 99.5  best");
  const Evaluation summaries{.scores = {{"loss", 0.0007054},
                                        {"rouge1", 99.84},
                                        {"rouge2", 99.82},
                                        {"rougeL", 99.84},
                                        {"exact_match", 99.55}}};
  EXPECT_EQ(cli::validation_lines(12000, summaries, false),
            "step 12000: valid  loss 0.0007054  rouge1 99.84  rouge2 99.82  rougeL 99.84\n"
            "    exact_match 99.55");
  std::istringstream lines(cli::validation_lines(1234567, dates, true));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace heed::progress_line_test

// heed train --minutes: a run that plans its steps by the clock.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::minutes_test {
namespace {

using Words = std::vector<std::string>;

void refuses(const Outcome& outcome, const std::string& text, int code = 2) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(text), std::string::npos)
      << "expected \"" << text << "\" in " << outcome.err;
}

TEST(Minutes, AreStepsThatAreKept) {
  const std::string folder = trained_run("lm", {"--minutes", "0.05", "--context", "16"});
  const auto settings = config_of(folder)["settings"];
  const int64_t steps = settings["steps"].get<int64_t>();
  EXPECT_GT(steps, 1);
  EXPECT_FALSE(settings.contains("minutes"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/speed.safetensors"));

  // The run is finished, and only other steps change that.
  const Words again{"train", "lm", "-o", folder, "-t", "1", "--resume"};
  const Outcome finished = run_heed(again);
  EXPECT_EQ(finished.code, 0);
  EXPECT_NE(finished.err.find("this run is finished: " + std::to_string(steps) + " steps"),
            std::string::npos)
      << finished.err;
  Words timed = again;
  timed.insert(timed.end(), {"--minutes", "0.05"});
  refuses(run_heed(timed), "--minutes is for new runs");
}

TEST(Minutes, AreToldWithThePlan) {
  const std::string folder = temporary("timed");
  const Outcome outcome =
      run_heed(train_arguments("classify", folder, {"--minutes", "0.05", "--resume"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("\nminutes: "), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("epochs"), std::string::npos) << outcome.err;
}

// Each way of tuning: the model of a timed run is that of the steps which were planned.
TEST(Minutes, FitTuningToo) {
  const std::string world = temporary("timed-world"), base = temporary("timed-base"),
                    judge = temporary("timed-judge");
  const auto done = [](const Words& arguments, const Words& more) {
    Words all = arguments;
    all.insert(all.end(), more.begin(), more.end());
    all.insert(all.end(), {"-t", "1", "--quiet"});
    const Outcome outcome = run_heed(all);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  };
  EXPECT_EQ(run_heed({"corpus", "world", "-n", "60", "-o", world}).code, 0);
  done({"train", "lm", "--train", world + ".txt", "--tokenizer", "word", "--dim", "16", "--heads",
        "2", "--layers", "1", "--context", "32", "--steps", "2", "-o", base},
       {});
  const Words tuned{"finetune", "-m", base, "--train", world + ".dialogues.jsonl"};
  done(tuned, {"--steps", "2", "-o", base + "-tuned"});
  const Words reward{"reward", "-m", base + "-tuned", "--train", world + ".rankings.jsonl"};
  done(reward, {"--steps", "2", "-o", judge});
  const Words align{"align",
                    "-m",
                    base + "-tuned",
                    "--method",
                    "ppo",
                    "--train",
                    world + ".prompts.jsonl",
                    "--reward",
                    judge,
                    "--batch",
                    "4",
                    "--answer-tokens",
                    "4"};
  int number = 0;
  for (const Words& command : {tuned, reward, align}) {
    SCOPED_TRACE(command[0]);
    const std::string timed = temporary("timed-run" + std::to_string(++number)),
                      asked = timed + "-asked";
    done(command, {"--minutes", "0.05", "-o", timed});
    const auto settings = config_of(timed)["settings"];
    const auto steps = settings["steps"].get<int64_t>();
    EXPECT_GE(steps, 1);
    done(command, {"--steps", std::to_string(steps), "--eval-every",
                   std::to_string(settings["eval-every"].get<int64_t>()), "-o", asked});
    EXPECT_EQ(config_of(asked)["settings"], settings);
    EXPECT_EQ(model_hash(asked), model_hash(timed));
    refuses(run_heed({command[0], "-o", timed, "--resume", "--minutes", "1"}),
            "--minutes is for new runs");
  }
}

TEST(Minutes, AreRefusedBesideWhatTheyReplace) {
  const std::string folder = temporary("untimed");
  const auto with = [&](Words more) {
    more.insert(more.begin(), {"train", "lm", "--train", text_file(), "-o", folder});
    return run_heed(more);
  };
  refuses(with({"--minutes", "1", "--steps", "2"}), "--minutes and --steps exclude each other");
  refuses(with({"--minutes", "1", "--epochs", "2"}), "--minutes and --epochs exclude each other");
  refuses(with({"--minutes", "1", "--dump-config"}), "--dump-config cannot tell the steps");
  for (const char* wrong : {"0", "-1", "0.01", "10001", "nan", "five"}) {
    refuses(with({"--minutes", wrong}), "--minutes");
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

}  // namespace
}  // namespace heed::minutes_test

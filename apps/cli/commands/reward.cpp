// heed reward: a model learns from rankings which answers people prefer.

#include "apps/cli/options/command.h"
#include "apps/cli/training/tuning_command.h"
#include "heed/tuning/tune.h"

namespace heed::cli {

void add_reward_command(CLI::App& app, Run& run) {
  add_tuning_command(
      app, run,
      {.name = "reward",
       .about = "Train a reward model on rankings of answers",
       .settings = {},
       .tune = train_reward,
       .footer = "Data: JSON lines (or one list), the best answer first, of\n"
                 "  {\"prompt\": \"..\", \"answers\": [\"..\", \"..\", ..]}\n"
                 "  {\"prompt\": \"..\", \"chosen\": \"..\", \"rejected\": \"..\"}\n"
                 "A validation tells the accuracy with its 95 % interval (low, high), the\n"
                 "calibration error, what preferring the longer answer would get (longer), how\n"
                 "often the model prefers the longer one (length_bias), and the correlation of\n"
                 "score and length (length_r).\n"
                 "Example:\n"
                 "  heed reward -m assistant --train rankings.jsonl -o judge"});
}

}  // namespace heed::cli

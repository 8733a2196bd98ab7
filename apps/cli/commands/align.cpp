// heed align: a model learns to answer as people prefer.

#include "apps/cli/options/command.h"
#include "apps/cli/options/option_checks.h"
#include "apps/cli/reports/align_figure.h"
#include "apps/cli/training/judges.h"
#include "apps/cli/training/tuning_command.h"
#include "heed/tuning/tune.h"

namespace heed::cli {

void add_align_command(CLI::App& app, Run& run) {
  add_tuning_command(
      app, run,
      {.name = "align",
       .about = "Align a model with a reward or with rankings",
       .settings = {"method", "reward", "judge", "beta", "samples", "passes", "answer-tokens",
                    "clip-range", "max-kl", "max-growth"},
       .tune =
           [](const GivenSettings& given, const std::string& folder, RunEvents& events,
              const TrainOptions& options) {
             return align(given, folder, events, options, judge_named);
           },
       .footer =
           "reinforce, ppo: --train has prompts ({\"prompt\": \"..\"}, or conversations, whose\n"
           "last answer is left out), --reward a reward model (heed reward). dpo: --train\n"
           "has rankings (see heed reward --help). A run stops by itself when the KL to the\n"
           "starting model or the length of the answers runs away.\n"
           "Example:\n"
           "  heed align -m assistant --method ppo --reward judge --train prompts.jsonl \\\n"
           "    -o aligned\n"
           "  heed align -m assistant --method dpo --train rankings.jsonl -o aligned",
       .check =
           [](const TrainSettings& settings) {
             if (settings.method == AlignMethod::none)
               wrong_usage("--method is required: reinforce, ppo or dpo");
           },
       .draw = write_align_figure});
}

}  // namespace heed::cli

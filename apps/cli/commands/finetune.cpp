// heed finetune: a language model learns to answer, from conversations.

#include "apps/cli/options/command.h"
#include "apps/cli/training/tuning_command.h"
#include "heed/tuning/tune.h"

namespace heed::cli {

void add_finetune_command(CLI::App& app, Run& run) {
  add_tuning_command(
      app, run,
      {.name = "finetune",
       .about = "Tune a language model on conversations",
       .settings = {},
       .tune = finetune,
       .footer = "Data: JSON lines (or one list) of\n"
                 "  {\"messages\": [{\"role\": \"user\", \"content\": \"..\"}, {\"role\": "
                 "\"assistant\", ..}]}\n"
                 "  {\"instruction\": \"..\", \"input\": \"..\", \"output\": \"..\"}\n"
                 "The loss is that of the answers alone. Example:\n"
                 "  heed finetune -m book --train dialogues.jsonl -o assistant\n"
                 "  heed chat -m assistant"});
}

}  // namespace heed::cli

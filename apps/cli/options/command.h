// The commands of the program. Each has a file of its own that adds it to the command line; what it
// does when it is chosen is left in `run`, so that everything is parsed before anything is
// computed.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace heed::cli {

using Run = std::function<void()>;

// Raised when a command was interrupted and has said so: the program ends with 130.
struct Interrupted {};

void add_attention_command(CLI::App& app, Run& run);
void add_regress_command(CLI::App& app, Run& run);
void add_vocab_command(CLI::App& app, Run& run);
void add_encode_command(CLI::App& app, Run& run);
void add_decode_command(CLI::App& app, Run& run);
void add_train_command(CLI::App& app, Run& run);
void add_finetune_command(CLI::App& app, Run& run);
void add_reward_command(CLI::App& app, Run& run);
void add_align_command(CLI::App& app, Run& run);
void add_chat_command(CLI::App& app, Run& run);
void add_rank_command(CLI::App& app, Run& run);
void add_average_command(CLI::App& app, Run& run);
void add_convert_command(CLI::App& app, Run& run);
void add_quantize_command(CLI::App& app, Run& run);
void add_eval_command(CLI::App& app, Run& run);
void add_info_command(CLI::App& app, Run& run);
void add_translate_commands(CLI::App& app, Run& run);
void add_generate_command(CLI::App& app, Run& run);
void add_classify_command(CLI::App& app, Run& run);
void add_tag_command(CLI::App& app, Run& run);
void add_score_command(CLI::App& app, Run& run);
void add_score_text_command(CLI::App& app, Run& run);
void add_embed_command(CLI::App& app, Run& run);
void add_probe_command(CLI::App& app, Run& run);
void add_serve_command(CLI::App& app, Run& run);
void add_tour_command(CLI::App& app, Run& run);
void add_check_command(CLI::App& app, Run& run);
void add_corpus_command(CLI::App& app, Run& run);
void add_bench_command(CLI::App& app, Run& run);
void add_db_command(CLI::App& app, Run& run);
void add_complexity_command(CLI::App& app, Run& run);
void add_demo_command(CLI::App& app, Run& run);

}  // namespace heed::cli

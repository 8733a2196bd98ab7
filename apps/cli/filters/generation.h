// The options of commands that write text, and the form of what was written.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command_line.h"
#include "heed/pipeline/pipeline.h"

namespace heed::cli {

struct GenerationArguments {
  GenerateTextOptions options;
  bool greedy = false;
  bool patient = false;
};

// --greedy, --temp, --top-k, --top-p, --min-p, the penalties and -s.
void add_sampling_options(Command& command, GenerationArguments& generation);

// --beam, --length-penalty, --n-best, --patient, --min-tokens, --no-repeat, --begin, --stop,
// --batch-tokens.
void add_search_options(Command& command, GenerationArguments& generation);

// To be called when the options are known: raises a UsageError.
void check_generation(const Command& command, GenerationArguments& generation);

// An empty line on stdout between texts, if each may have several results.
class BlankLines {
 public:
  BlankLines(const ModelFilter& filter, const GenerationArguments& generation)
      : wanted_(!filter.json && generation.options.beam.n_best > 1) {}

  void before_text();

 private:
  bool wanted_;
  bool first_ = true;
};

// Texts that reached the end of the model's context or went beyond it, told on stderr.
class ContextReport {
 public:
  explicit ContextReport(const Pipeline& pipeline);

  // `tokens`: read and written together; 0 if that does not count.
  void add(const GeneratedText& generated, int64_t tokens);
  void report() const;

 private:
  int64_t context_, window_ = 0;
  int64_t ended_ = 0, beyond_ = 0;
};

// Text, log-probability, why it ended, the tokens if `with_tokens`, and the same of the other ones
// of the n best.
nlohmann::ordered_json to_json(const GeneratedText& generated, const Tokenizer& tokenizer,
                               bool with_tokens);

}  // namespace heed::cli

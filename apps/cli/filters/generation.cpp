#include "apps/cli/filters/generation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/cli/options/option_checks.h"
#include "apps/message.h"
#include "heed/text/token_label.h"

namespace heed::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* ending_of(const Generation& generation) {
  switch (generation.ending) {
    case Ending::limit: return generation.at_context ? "context" : "limit";
    case Ending::end_token: return "end";
    case Ending::stopped: return "stop";
    case Ending::canceled: return "canceled";
  }
  return "";
}

Json tokens_json(const Generation& generation, const Tokenizer& tokenizer) {
  Json tokens = Json::array();
  for (size_t t = 0; t < generation.log_probabilities.size(); ++t) {
    const bool is_end = t >= generation.ids.size();
    const int32_t id = is_end ? tokenizer.specials().eos.value_or(-1) : generation.ids[t];
    Json token{{"id", id},
               {"token", token_label(tokenizer, id)},
               {"log_probability", generation.log_probabilities[t]}};
    if (t < generation.alternatives.size()) {
      Json others = Json::array();
      for (const TokenProbability& one : generation.alternatives[t]) {
        others.push_back({{"id", one.token},
                          {"token", token_label(tokenizer, one.token)},
                          {"log_probability", one.log_probability}});
      }
      token["alternatives"] = std::move(others);
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

Json result_json(const std::string& text, const Generation& generation, const Tokenizer& tokenizer,
                 bool with_tokens) {
  Json page{{"text", text},
            {"log_probability", generation.log_probability},
            {"score", generation.score},
            {"ending", ending_of(generation)}};
  if (with_tokens) page["tokens"] = tokens_json(generation, tokenizer);
  return page;
}

}  // namespace

void add_sampling_options(Command& command, GenerationArguments& generation) {
  constexpr const char* kGroup = "Random choice";
  SamplingOptions& sampling = generation.options.sampling;
  command.add_flag("--greedy", generation.greedy, "Always the likeliest token (default)")
      .group(kGroup);
  command
      .add_option("--temp", sampling.temperature,
                  "Draw tokens: 1 as likely as the model says, less is less random")
      .check(number(0, 100))
      .type_name("T")
      .group(kGroup);
  command.add_option("--top-k", sampling.top_k, "Draw from the K likeliest tokens")
      .check(whole_number(0, 1 << 30))
      .type_name("K")
      .group(kGroup);
  command
      .add_option("--top-p", sampling.top_p,
                  "Draw from the fewest tokens that hold the share P together")
      .check(number(1e-9, 1))
      .type_name("P")
      .group(kGroup);
  command
      .add_option("--min-p", sampling.min_p,
                  "Draw from tokens at least P times as likely as the likeliest")
      .check(number(0, 1))
      .type_name("P")
      .group(kGroup);
  command
      .add_option("--repetition-penalty", sampling.repetition_penalty,
                  "Divide the logits of tokens that came before (default: 1)")
      .check(number(1e-3, 1e3))
      .type_name("R")
      .group(kGroup);
  command
      .add_option("--frequency-penalty", sampling.frequency_penalty,
                  "Subtract this from a logit for each time the token came before")
      .check(number(-100, 100))
      .type_name("F")
      .group(kGroup);
  command.add_option("-s,--seed", sampling.seed, "The same seed draws the same text (default: 0)")
      .type_name("N")
      .group(kGroup);
}

void add_search_options(Command& command, GenerationArguments& generation) {
  constexpr const char* kGroup = "Search";
  GenerateTextOptions& options = generation.options;
  command.add_option("--beam", options.beam.width, "Hypotheses kept at once (default: 1)")
      .check(whole_number(1, 4096))
      .type_name("B")
      .group(kGroup);
  command
      .add_option("--length-penalty", options.beam.length_penalty,
                  "Hypotheses are compared by log p / length^A (default: 1)")
      .check(number(-10, 10))
      .type_name("A")
      .group(kGroup);
  command
      .add_option("--n-best", options.beam.n_best,
                  "Results per text, no two alike, at most B (default: 1); an empty line comes "
                  "between texts")
      .check(whole_number(1, 4096))
      .type_name("N")
      .group(kGroup);
  command
      .add_flag("--patient", generation.patient,
                "Search until no hypothesis can still get among the results (default: until B have "
                "ended)")
      .group(kGroup);
  command.add_option("--min-tokens", options.min_tokens, "Tokens before which a text does not end")
      .check(whole_number(0, 1 << 24))
      .type_name("N")
      .group(kGroup);
  command
      .add_option("--no-repeat", options.no_repeat,
                  "No run of N tokens is written twice (default: any may)")
      .check(whole_number(0, 1 << 16))
      .type_name("N")
      .group(kGroup);
  command.add_option("--begin", options.begin, "What the written text begins with")
      .type_name("TEXT")
      .may_be_empty()
      .group(kGroup);
  command
      .add_option("--stop", options.stop, "The written text ends before this; may be given again")
      .one_at_a_time()
      .type_name("TEXT")
      .group(kGroup);
  command
      .add_option("--batch-tokens", options.batch_tokens,
                  "Tokens read at once at most (default: those of 64 texts)")
      .check(whole_number(1, 1 << 30))
      .type_name("N")
      .group(kGroup);
}

void check_generation(const Command& command, GenerationArguments& generation) {
  SamplingOptions& sampling = generation.options.sampling;
  const bool draws = command.has("--temp") || command.has("--top-k") || command.has("--top-p") ||
                     command.has("--min-p");
  if (draws && !command.has("--temp")) sampling.temperature = 1;
  if (generation.greedy && draws) {
    wrong_usage("--greedy excludes --temp, --top-k, --top-p and --min-p");
  }
  BeamOptions& beam = generation.options.beam;
  if (generation.patient && beam.width == 1) wrong_usage("--patient needs --beam of 2 or more");
  beam.early_stopping = !generation.patient;
  if (beam.width > 1 && (generation.greedy || draws || sampling.has_penalty())) {
    wrong_usage("--beam excludes --greedy, --temp, --top-k, --top-p, --min-p and the penalties");
  }
  if (beam.length_penalty != BeamOptions{}.length_penalty && beam.width == 1) {
    wrong_usage("--length-penalty compares the hypotheses of --beam B, of which there is one here");
  }
  if (beam.n_best > beam.width) wrong_usage("--n-best must not be more than --beam");
  for (const std::string& stop : generation.options.stop) {
    if (stop.empty()) wrong_usage("--stop must not be empty");
  }
}

void BlankLines::before_text() {
  if (wanted_ && !first_) fmt::print("\n");
  first_ = false;
}

ContextReport::ContextReport(const Pipeline& pipeline) : context_(pipeline.context()) {
  const auto* config = std::get_if<TransformerConfig>(&pipeline.run().config.model);
  if (config != nullptr) window_ = config->window;
}

void ContextReport::add(const GeneratedText& generated, int64_t tokens) {
  if (generated.generation.at_context) {
    ++ended_;
  } else if (context_ > 0 && window_ == 0 && tokens > context_ + 1) {
    ++beyond_;
  }
}

void ContextReport::report() const {
  const auto texts = [](int64_t count, const char* one, const char* many) {
    return count == 1 ? fmt::format("1 text {}", one) : fmt::format("{} texts {}", count, many);
  };
  if (ended_ > 0) {
    say("heed: {} where the context of the model does, after {} tokens\n",
        texts(ended_, "ends", "end"), context_);
  }
  if (beyond_ > 0) {
    say("heed: {} longer than the context of the model, {} tokens; what comes after it is "
        "often worse\n",
        texts(beyond_, "is", "are"), context_);
  }
}

Json to_json(const GeneratedText& generated, const Tokenizer& tokenizer, bool with_tokens) {
  const Generation& generation = generated.generation;
  Json page = result_json(generated.text, generation, tokenizer, with_tokens);
  if (!generated.others.empty()) {
    Json others = Json::array();
    for (size_t i = 0; i < generated.others.size(); ++i) {
      const Generation& other = generation.others[i];
      others.push_back(result_json(generated.others[i], other, tokenizer, with_tokens));
    }
    page["others"] = std::move(others);
  }
  return page;
}

}  // namespace heed::cli

// heed score: how likely a model finds a text, or an answer to a text.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/console/result.h"
#include "apps/cli/filters/model_filter.h"
#include "apps/cli/options/command.h"
#include "apps/cli/options/command_line.h"
#include "apps/message.h"
#include "heed/train/choose_settings.h"

namespace heed::cli {
namespace {

std::vector<ScoredText> scores_of(const Pipeline& pipeline, std::span<const std::string> texts) {
  if (!is_pair_task(pipeline.task())) return pipeline.score(texts);
  std::vector<std::string> sources, targets;
  for (const std::string& text : texts) {
    const size_t tab = text.find('\t');
    sources.push_back(text.substr(0, tab));
    targets.push_back(text.substr(tab + 1));
  }
  return pipeline.score(sources, targets);
}

void score(const ModelFilter& filter) {
  const Pipeline pipeline = open_model(filter);
  const auto mistake = [is_pair = is_pair_task(pipeline.task())](const std::string& text) {
    return is_pair && text.find('\t') == std::string::npos
               ? "there is no tab; for this model a line is the source, a tab and the target"
               : "";
  };
  double total = 0;
  int64_t tokens = 0;
  const auto print_scores = [&](std::span<const std::string> texts) {
    const std::vector<ScoredText> scores = scores_of(pipeline, texts);
    tell_cut(pipeline, std::count_if(scores.begin(), scores.end(),
                                     [](const ScoredText& one) { return one.cut; }));
    for (size_t i = 0; i < texts.size(); ++i) {
      const auto count = static_cast<int64_t>(scores[i].log_probabilities.size());
      total += scores[i].log_probability;
      tokens += count;
      if (filter.json) {
        print_json({{"text", texts[i]},
                    {"log_probability", scores[i].log_probability},
                    {"tokens", count},
                    {"log_probabilities", scores[i].log_probabilities}});
      } else {
        print_result("{:.4f}\t{}\t{}\n", scores[i].log_probability, count, texts[i]);
      }
    }
  };
  for_each_group(filter, print_scores, mistake);
  if (tokens > 0) {
    say("heed: {} {}, perplexity {:.4f}\n", tokens, tokens == 1 ? "token" : "tokens",
        std::exp(-total / static_cast<double>(tokens)));
  }
}

}  // namespace

void add_score_command(CLI::App& app, Run& run) {
  Command command(app, "score", "How likely a model finds texts");
  auto filter = std::make_shared<ModelFilter>();
  add_filter_options(command, *filter, "One text instead of lines");
  command.footer(
      "Prints the natural logarithm of the probability, the number of tokens and the\n"
      "text. For translators a line is the source, a tab and the target. Example:\n"
      "  heed score -m run -p 'Once upon a time'");
  command.callback([&run, command, filter] {
    check_filter(command, *filter);
    run = [filter] { score(*filter); };
  });
}

}  // namespace heed::cli

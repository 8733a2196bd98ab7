#include "heed/tuning/answer_report.h"

#include <algorithm>
#include <numeric>

#include "heed/base/fail.h"
#include "heed/text/on_one_line.h"

namespace heed {
namespace {

constexpr uint64_t kSeed = 20220304;

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::string text_of(const AnswerMeter& meter, const GeneratedAnswer& answer) {
  const auto size = static_cast<std::ptrdiff_t>(answer.ids.size()) - (answer.ended ? 1 : 0);
  return meter.tokenizer->decode(std::span(answer.ids.begin(), answer.ids.begin() + size));
}

}  // namespace

double longest_allowed(double start, double growth, int64_t max_tokens) {
  constexpr double kMin = 4, kNearTheEnd = 0.9;
  const double grown = std::max(growth * start, start + kMin);
  return std::min(grown, start + kNearTheEnd * (static_cast<double>(max_tokens) - start));
}

AnswerReport measure_answers(const AnswerMeter& meter, const Model& model, int64_t samples) {
  AnswerReport report;
  if (meter.prompts.empty()) return report;
  std::vector<const ChatPrompt*> prompts;
  for (const ChatPrompt& prompt : meter.prompts) prompts.push_back(&prompt);
  const std::vector<GeneratedAnswer> answers = generate_answers(
      model, prompts, {.max_tokens = meter.max_tokens, .end = meter.end, .seed = kSeed});
  const Batch batch = answers_batch(prompts, answers, 1);
  const std::vector<double> p = log_probabilities(model, batch);
  const auto n = static_cast<double>(answers.size());
  const auto tokens = static_cast<double>(p.size());
  if (meter.reference) {
    const std::vector<double> q = log_probabilities(*meter.reference, batch);
    for (size_t t = 0; t < p.size(); ++t) report.kl += (p[t] - q[t]) / n;
  }
  report.entropy = -sum_of(p) / tokens;
  report.length = tokens / n;
  if (meter.reward) {
    report.reward = sum_of(score_answers(*meter.reward, prompts, answers, 1, meter.end)) / n;
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    report.ended += answers[i].ended ? 1 / n : 0;
    const std::string& question = meter.prompts[i].question;
    if (meter.judge) report.truth += meter.judge(question, text_of(meter, answers[i])) / n;
    if (static_cast<int64_t>(i) < samples) {
      report.samples.push_back(on_one_line(question + " | " + text_of(meter, answers[i])));
    }
  }
  return report;
}

void add_answers(const AnswerMeter& meter, const AnswerReport& report, Evaluation& evaluation) {
  if (meter.reward) {
    evaluation.scores.push_back({"objective", report.reward - meter.beta * report.kl});
    evaluation.scores.push_back({"reward", report.reward});
  }
  evaluation.scores.insert(evaluation.scores.end(), {{"kl", report.kl},
                                                     {"entropy", report.entropy},
                                                     {"length", report.length},
                                                     {"ended", report.ended}});
  if (meter.judge) evaluation.scores.push_back({"true", report.truth});
  evaluation.samples = report.samples;
  // log.jsonl keeps these texts, which name the options of heed align.
  if (meter.max_kl > 0 && report.kl > meter.max_kl) {
    evaluation.stop = fmt::format(
        "the KL to the starting model ran away: {:.1f} nats per answer, --max-kl is {:g}; a lower "
        "--lr or a higher --beta keeps it near",
        report.kl, meter.max_kl);
  } else if (meter.max_length > 0 && report.length > meter.max_length) {
    evaluation.stop = fmt::format(
        "the length ran away: {:.1f} tokens per answer, {:.1f} are allowed (--max-growth, and "
        "below --answer-tokens {}); the reward model may prefer long answers",
        report.length, meter.max_length, meter.max_tokens);
  }
}

}  // namespace heed

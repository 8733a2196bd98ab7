#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/fail.h"
#include "heed/generate/search_internal.h"

namespace heed {
namespace {

// Per hypothesis of the beam, where many tokens stop.
constexpr int64_t kMaxCandidates = 16;

size_t as_size(int64_t value) { return static_cast<size_t>(value); }

// Tokens that would complete a run of n tokens which was generated before.
void exclude_repeated(const std::vector<int32_t>& generated, int64_t n,
                      std::vector<int32_t>& excluded) {
  const size_t run = as_size(n);
  if (n == 0 || generated.size() + 1 < run) return;
  const auto last = generated.end() - static_cast<ptrdiff_t>(run - 1);
  for (size_t at = 0; at + run <= generated.size(); ++at) {
    const auto begin = generated.begin() + static_cast<ptrdiff_t>(at);
    if (std::equal(last, generated.end(), begin)) excluded.push_back(generated[at + run - 1]);
  }
}

bool is_better(const Generation& a, const Generation& b) {
  return a.score != b.score ? a.score > b.score : a.ids < b.ids;
}

}  // namespace

// A live hypothesis and a token after it.
struct Search::Extension {
  size_t parent;
  TokenProbability choice;
  std::optional<Ending> ending;
  double log_probability;  // of the whole
  BeamState state = BeamState::dropped;
  int64_t node = -1;
};

Search::Search(size_t index, const GenerationRequest& request, const GenerateOptions& options,
               int64_t slot)
    : index_(index),
      request_(request),
      options_(options),
      max_tokens_(request.max_tokens > 0 ? request.max_tokens : options.max_tokens) {
  live_.push_back({.slot = slot, .next = request.prompt, .stop = request.stop});
}

// Forced tokens count neither in the log-probability, of which this is the part that was chosen,
// nor in the length.
double Search::score_of(double chosen, int64_t length) const {
  const auto forced = static_cast<int64_t>(request_.forced.size());
  const auto n = static_cast<double>(std::max<int64_t>(length - forced, 1));
  return chosen / std::pow(n, options_.beam.length_penalty);
}

double Search::chosen_part(const Generation& generated) const {
  const std::vector<double>& all = generated.log_probabilities;
  const auto first = static_cast<ptrdiff_t>(std::min(request_.forced.size(), all.size()));
  return std::accumulate(all.begin() + first, all.end(), 0.0);
}

std::vector<int32_t> Search::excluded(const Generation& generated) const {
  std::vector<int32_t> result;
  if (options_.end >= 0 && static_cast<int64_t>(generated.ids.size()) < options_.min_tokens) {
    result.push_back(options_.end);
  }
  exclude_repeated(generated.ids, options_.no_repeat, result);
  return result;
}

Candidate Search::candidate(const Hypothesis& hypothesis, const TokenProbability& choice) const {
  Candidate result{.choice = choice};
  if (choice.token == options_.end) {
    result.ending = Ending::end_token;
  } else if (hypothesis.stop) {
    std::function<bool(int32_t)> stop = hypothesis.stop;
    if (stop(choice.token)) result.ending = Ending::stopped;
  }
  return result;
}

// The likeliest tokens, `width` that do not end among them.
std::vector<Candidate> Search::likeliest(const Hypothesis& hypothesis,
                                         std::span<const float> logits, double log_sum) const {
  const int64_t width = options_.beam.width;
  const std::vector<int32_t> without = excluded(hypothesis.generated);
  // One token may be the end; how many stop is not known before.
  for (int64_t count = width == 1 ? 1 : width + 1;; count *= 2) {
    std::vector<Candidate> found;
    for (const TokenProbability& one : likeliest_tokens(logits, log_sum, count, without)) {
      found.push_back(candidate(hypothesis, one));
    }
    const auto going =
        std::count_if(found.begin(), found.end(), [](const Candidate& one) { return !one.ending; });
    const bool are_all = static_cast<int64_t>(found.size()) < count;
    if (width == 1 || going >= width || are_all || count >= kMaxCandidates * width) return found;
  }
}

void Search::find_candidates(Hypothesis& hypothesis, std::span<const float> logits) const {
  const Generation& generated = hypothesis.generated;
  const double log_sum = log_sum_exp(logits);
  const auto probability = [&](int32_t token) {
    check(token >= 0 && as_size(token) < logits.size(),
          "generate: there is no token {}; the model has {}", token, logits.size());
    return TokenProbability{token, static_cast<double>(logits[as_size(token)]) - log_sum};
  };
  const auto only = [&](int32_t token) {
    return std::vector<Candidate>{candidate(hypothesis, probability(token))};
  };
  hypothesis.alternatives = likeliest_tokens(logits, log_sum, options_.alternatives);
  const size_t position = generated.ids.size();
  if (position < request_.forced.size()) {
    hypothesis.candidates = only(request_.forced[position]);
    return;
  }
  const SamplingOptions& sampling = options_.sampling;
  if (sampling.is_random() || sampling.has_penalty()) {
    std::vector<int32_t> before = request_.prompt;
    before.insert(before.end(), generated.ids.begin(), generated.ids.end());
    const int32_t token = sample_token(logits, before, excluded(generated), sampling,
                                       {.request = request_.id, .position = position});
    hypothesis.candidates = token >= 0 ? only(token) : std::vector<Candidate>();
    return;
  }
  hypothesis.candidates = likeliest(hypothesis, logits, log_sum);
}

// All extensions of all live hypotheses, likeliest first.
std::vector<Search::Extension> Search::ranked_extensions() const {
  std::vector<Extension> all;
  for (size_t parent = 0; parent < live_.size(); ++parent) {
    for (const auto& [choice, ending] : live_[parent].candidates) {
      all.push_back({parent, choice, ending,
                     live_[parent].generated.log_probability + choice.log_probability});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Extension& a, const Extension& b) {
    return a.log_probability > b.log_probability;
  });
  return all;
}

Generation Search::extended(const Extension& extension) const {
  const Hypothesis& parent = live_[extension.parent];
  Generation generated = parent.generated;
  generated.log_probability = extension.log_probability;
  generated.log_probabilities.push_back(extension.choice.log_probability);
  if (options_.alternatives > 0) generated.alternatives.push_back(parent.alternatives);
  if (extension.choice.token != options_.end) generated.ids.push_back(extension.choice.token);
  return generated;
}

void Search::finish(Generation generated, Ending ending) {
  generated.ending = ending;
  generated.score =
      score_of(chosen_part(generated), static_cast<int64_t>(generated.log_probabilities.size()));
  finished_.push_back(std::move(generated));
}

// Whether what lives may still get among the n best. A hypothesis only becomes less likely, so the
// length that its score would be best at decides.
bool Search::may_improve() const {
  const auto wanted = as_size(options_.beam.n_best);
  if (finished_.size() < wanted) return true;
  std::vector<double> scores;
  for (const Generation& one : finished_) scores.push_back(one.score);
  std::nth_element(scores.begin(), scores.begin() + static_cast<ptrdiff_t>(wanted - 1),
                   scores.end(), std::greater<>());
  const double worst = scores[wanted - 1];
  return std::any_of(live_.begin(), live_.end(), [&](const Hypothesis& one) {
    const bool is_long_best = options_.beam.length_penalty > 0;
    const auto now = static_cast<int64_t>(one.generated.ids.size());
    return score_of(chosen_part(one.generated), is_long_best ? max_tokens_ : now + 1) > worst;
  });
}

void Search::notify_beam(std::vector<Extension>& ranked) {
  BeamStep step{.request = index_, .step = steps_};
  for (Extension& one : ranked) {
    one.node = nodes_++;
    const Generation& before = live_[one.parent].generated;
    const bool is_forced = before.ids.size() < request_.forced.size();
    const double chosen = is_forced ? 0 : chosen_part(before) + one.choice.log_probability;
    const auto length = static_cast<int64_t>(before.ids.size()) + 1;
    step.nodes.push_back({.id = one.node,
                          .parent = live_[one.parent].node,
                          .token = one.choice.token,
                          .log_probability = one.choice.log_probability,
                          .total = one.log_probability,
                          .score = score_of(chosen, length),
                          .state = one.state});
  }
  options_.on_beam(step);
}

// The chosen ones take over the slots of their parents, and fork where a parent has several.
void Search::advance_survivors(const std::vector<Extension>& chosen, Decoding& decoding) {
  std::vector<Hypothesis> next;
  std::vector<bool> is_taken(live_.size(), false);
  for (const Extension& extension : chosen) {
    const Hypothesis& parent = live_[extension.parent];
    std::function<bool(int32_t)> stop = parent.stop;
    if (stop) stop(extension.choice.token);
    next.push_back({.slot = is_taken[extension.parent] ? decoding.fork(parent.slot) : parent.slot,
                    .next = {extension.choice.token},
                    .generated = extended(extension),
                    .stop = std::move(stop),
                    .node = extension.node});
    is_taken[extension.parent] = true;
  }
  for (size_t parent = 0; parent < live_.size(); ++parent) {
    if (!is_taken[parent]) decoding.remove(live_[parent].slot);
  }
  live_ = std::move(next);
}

void Search::give_up(Decoding& decoding) {
  for (const Hypothesis& one : live_) decoding.remove(one.slot);
  live_.clear();
}

// All live hypotheses have the same length.
void Search::apply_limits(Decoding& decoding) {
  if (live_.empty()) return;
  const int64_t limit = decoding.limit();
  const bool is_long = static_cast<int64_t>(live_[0].generated.ids.size()) >= max_tokens_;
  const bool is_full = limit > 0 && decoding.length(live_[0].slot) >= limit;
  if (is_long || is_full) {
    for (Hypothesis& one : live_) {
      one.generated.at_context = !is_long;
      finish(std::move(one.generated), Ending::limit);
    }
    give_up(decoding);
    return;
  }
  const bool is_enough =
      options_.beam.early_stopping && finished_.size() >= as_size(options_.beam.width);
  if (is_enough || !may_improve()) give_up(decoding);
}

// Whether more is wanted.
bool Search::notify_token(const Extension& extension) const {
  const Hypothesis& parent = live_[extension.parent];
  GeneratedToken token{index_, extension.choice.token, extension.choice.log_probability};
  token.alternatives = parent.alternatives;
  token.attention = parent.attention;
  return options_.on_token(token);
}

void Search::step(Decoding& decoding) {
  const auto width = as_size(options_.beam.width);
  std::vector<Extension> ranked = ranked_extensions();
  if (options_.on_token && !ranked.empty() && ranked[0].ending != Ending::end_token &&
      !notify_token(ranked[0])) {
    ranked[0].ending = Ending::stopped;
  }
  std::vector<size_t> living;
  for (size_t rank = 0; rank < ranked.size() && living.size() < width; ++rank) {
    if (!ranked[rank].ending) {
      ranked[rank].state = BeamState::live;
      living.push_back(rank);
    } else if (rank < width) {
      ranked[rank].state = BeamState::finished;
      finish(extended(ranked[rank]), *ranked[rank].ending);
    }
  }
  if (ranked.empty()) {  // every token is excluded
    for (Hypothesis& one : live_) finish(std::move(one.generated), Ending::limit);
  }
  if (options_.on_beam) notify_beam(ranked);
  ++steps_;
  std::vector<Extension> chosen;
  chosen.reserve(living.size());
  for (const size_t rank : living) chosen.push_back(ranked[rank]);
  advance_survivors(chosen, decoding);
  apply_limits(decoding);
}

void Search::cancel(Decoding& decoding) {
  for (Hypothesis& one : live_) finish(std::move(one.generated), Ending::canceled);
  give_up(decoding);
}

Generation Search::result() {
  std::stable_sort(finished_.begin(), finished_.end(), is_better);
  if (finished_.empty()) return {};
  Generation best = std::move(finished_[0]);
  for (size_t i = 1; i < finished_.size() && i < as_size(options_.beam.n_best); ++i) {
    best.others.push_back(std::move(finished_[i]));
  }
  return best;
}

}  // namespace heed

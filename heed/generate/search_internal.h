// The search for the continuation of one request. Greedy choice and sampling are searches with one
// hypothesis.
#pragma once

#include <optional>
#include <vector>

#include "heed/generate/generation.h"
#include "heed/models/model.h"

namespace heed {

// A token that a hypothesis may go on with, and how it ends if it does.
struct Candidate {
  TokenProbability choice;
  std::optional<Ending> ending = {};
};

// A continuation that is being generated.
struct Hypothesis {
  int64_t slot = -1;
  std::vector<int32_t> next = {};  // tokens to read: the prompt, then the last one generated
  Generation generated = {};
  std::function<bool(int32_t)> stop = {};  // has read what is generated
  // What find_candidates() found: the tokens to go on with, likeliest first, and the alternatives
  // to report.
  std::vector<Candidate> candidates = {};
  std::vector<TokenProbability> alternatives = {};
  Tensor attention = {};  // [S], if it is reported
  int64_t node = -1;      // of the tree, if it is reported
};

class Search {
 public:
  Search(size_t index, const GenerationRequest& request, const GenerateOptions& options,
         int64_t slot);

  std::vector<Hypothesis>& live() { return live_; }  // none: the search is over
  const GenerateOptions& options() const { return options_; }

  // Finds the candidates of a hypothesis from the logits after it. Other hypotheses may be searched
  // by other threads.
  void find_candidates(Hypothesis& hypothesis, std::span<const float> logits) const;

  // Goes on with the best candidates of all. Slots of what is given up are removed.
  void step(Decoding& decoding);

  void cancel(Decoding& decoding);
  Generation result();

 private:
  struct Extension;

  double score_of(double chosen, int64_t length) const;
  double chosen_part(const Generation& generated) const;  // of its log-probability
  std::vector<int32_t> excluded(const Generation& generated) const;
  Candidate candidate(const Hypothesis& hypothesis, const TokenProbability& choice) const;
  std::vector<Candidate> likeliest(const Hypothesis& hypothesis, std::span<const float> logits,
                                   double log_sum) const;
  std::vector<Extension> ranked_extensions() const;
  Generation extended(const Extension& extension) const;
  void finish(Generation generated, Ending ending);
  bool may_improve() const;
  void notify_beam(std::vector<Extension>& ranked);
  void advance_survivors(const std::vector<Extension>& chosen, Decoding& decoding);
  bool notify_token(const Extension& extension) const;
  void apply_limits(Decoding& decoding);
  void give_up(Decoding& decoding);

  size_t index_;
  const GenerationRequest& request_;
  const GenerateOptions& options_;
  int64_t max_tokens_;
  std::vector<Hypothesis> live_;
  std::vector<Generation> finished_;
  int64_t steps_ = 0, nodes_ = 0;
};

}  // namespace heed

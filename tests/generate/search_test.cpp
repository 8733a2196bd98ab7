// Sampling, limits and searches through the generator, on every kind of model.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stop_token>

#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/generate/token_probability.h"
#include "tests/generate/small_models.h"

namespace heed::search_test {
namespace {

constexpr int64_t kVocabulary = 19;
constexpr int32_t kEnd = 4;

std::vector<GenerationRequest> requests_for(const SmallModel& model, uint64_t count) {
  std::vector<GenerationRequest> requests;
  for (uint64_t i = 0; i < count; ++i) requests.push_back(small_request(model, kVocabulary, i));
  return requests;
}

void expect_same(const Generation& found, const Generation& expected) {
  EXPECT_EQ(found.ids, expected.ids);
  EXPECT_EQ(found.log_probabilities, expected.log_probabilities);
  EXPECT_EQ(found.log_probability, expected.log_probability);
  EXPECT_EQ(found.score, expected.score);
  EXPECT_EQ(found.ending, expected.ending);
  ASSERT_EQ(found.others.size(), expected.others.size());
  for (size_t i = 0; i < found.others.size(); ++i) {
    expect_same(found.others[i], expected.others[i]);
  }
}

// Alone or with others, on one thread or on three: the same bits.
void expect_independent(const GenerateOptions& options) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    SCOPED_TRACE(model.name);
    const auto requests = requests_for(model, 7);
    const auto together = Generator(*model.model).generate(requests, options);
    for (size_t i = 0; i < requests.size(); ++i) {
      const auto alone = Generator(*model.model).generate(std::span(&requests[i], 1), options);
      expect_same(alone[0], together[i]);
    }
    const ThreadScope scope(3);
    for (const int64_t sequences : {1, 3, 10}) {
      GenerateOptions few = options;
      few.sequences = sequences;
      few.tokens = 4 * sequences;
      const auto found = Generator(*model.model).generate(requests, few);
      for (size_t i = 0; i < requests.size(); ++i) expect_same(found[i], together[i]);
    }
  }
}

TEST(Search, SamplesDoNotDependOnCompany) {
  expect_independent({.max_tokens = 9, .end = kEnd, .sampling = {.temperature = 1, .seed = 5}});
  expect_independent({.max_tokens = 9,
                      .end = kEnd,
                      .sampling = {.temperature = 1.5,
                                   .top_k = 7,
                                   .top_p = 0.9,
                                   .min_p = 0.01,
                                   .repetition_penalty = 1.3,
                                   .frequency_penalty = 0.2}});
}

TEST(Search, BeamsDoNotDependOnCompany) {
  expect_independent({.max_tokens = 9, .end = kEnd, .beam = {.width = 3, .n_best = 3}});
  expect_independent(
      {.max_tokens = 6, .end = kEnd, .beam = {.width = 4, .n_best = 2, .early_stopping = false}});
}

TEST(Search, SeedsAndIdsChangeWhatIsDrawn) {
  const auto models = small_models(kVocabulary);
  const std::vector<GenerationRequest> requests = {
      {.prompt = {1, 2}, .id = 1}, {.prompt = {1, 2}, .id = 2}, {.prompt = {1, 2}, .id = 1}};
  const auto generate = [&](uint64_t seed) {
    return Generator(*models[0].model)
        .generate(requests, {.max_tokens = 20, .sampling = {.temperature = 1, .seed = seed}});
  };
  const auto one = generate(1), two = generate(2);
  EXPECT_NE(one[0].ids, one[1].ids);
  EXPECT_EQ(one[0].ids, one[2].ids);
  EXPECT_NE(one[0].ids, two[0].ids);
}

// Log-probabilities are those of the model on the whole sequence, without any cache.
TEST(Search, LogProbabilitiesAreTheModels) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    SCOPED_TRACE(model.name);
    const GenerationRequest request = small_request(model, kVocabulary, 3);
    for (const GenerateOptions& options :
         {GenerateOptions{.max_tokens = 6, .alternatives = 4},
          GenerateOptions{
              .max_tokens = 6, .sampling = {.temperature = 2, .top_k = 9}, .alternatives = 4},
          GenerateOptions{.max_tokens = 6, .beam = {.width = 3}, .alternatives = 4}}) {
      const Generation generated =
          Generator(*model.model).generate(std::span(&request, 1), options)[0];
      ASSERT_EQ(generated.log_probabilities.size(), 6u);
      ASSERT_EQ(generated.alternatives.size(), 6u);
      double sum = 0;
      for (size_t t = 0; t < 6; ++t) {
        const std::vector<int32_t> before(generated.ids.begin(),
                                          generated.ids.begin() + static_cast<ptrdiff_t>(t));
        const std::vector<float> logits = plain_logits(model, request, before);
        const double log_sum = log_sum_exp(logits);
        const auto token = static_cast<size_t>(generated.ids[t]);
        EXPECT_EQ(generated.log_probabilities[t], static_cast<double>(logits[token]) - log_sum);
        sum += generated.log_probabilities[t];
        const auto best = likeliest_tokens(logits, log_sum, 4);
        for (size_t i = 0; i < 4; ++i) {
          EXPECT_EQ(generated.alternatives[t][i].token, best[i].token);
          EXPECT_EQ(generated.alternatives[t][i].log_probability, best[i].log_probability);
        }
      }
      EXPECT_EQ(generated.log_probability, sum);
    }
  }
}

TEST(Search, BeamOfOneIsGreedy) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    const auto requests = requests_for(model, 5);
    for (const bool early : {true, false}) {
      const auto greedy =
          Generator(*model.model).generate(requests, {.max_tokens = 12, .end = kEnd});
      const auto beam = Generator(*model.model)
                            .generate(requests, {.max_tokens = 12,
                                                 .end = kEnd,
                                                 .beam = {.width = 1, .early_stopping = early}});
      for (size_t i = 0; i < requests.size(); ++i) expect_same(beam[i], greedy[i]);
    }
  }
}

bool ends_with(const std::vector<int32_t>& ids, const std::vector<int32_t>& last) {
  return ids.size() >= last.size() && std::equal(last.rbegin(), last.rend(), ids.rbegin());
}

// Ends a sequence after these tokens.
std::function<bool(int32_t)> stop_after(const std::vector<int32_t>& last) {
  return [last, seen = std::vector<int32_t>()](int32_t token) mutable {
    seen.push_back(token);
    return ends_with(seen, last);
  };
}

// Every sequence of up to `max` tokens, with its log-probability, by whole passes.
// After `stop`, if there are such tokens, a sequence does not go on.
void all_sequences(const SmallModel& model, const GenerationRequest& request, int64_t max,
                   int32_t end, const Generation& so_far, std::vector<Generation>& found,
                   const std::vector<int32_t>& stop = {}) {
  const std::vector<float> logits = plain_logits(model, request, so_far.ids);
  const double log_sum = log_sum_exp(logits);
  for (size_t v = 0; v < logits.size(); ++v) {
    Generation next = so_far;
    next.log_probabilities.push_back(static_cast<double>(logits[v]) - log_sum);
    next.log_probability += next.log_probabilities.back();
    if (static_cast<int32_t>(v) == end) {
      next.ending = Ending::end_token;
      found.push_back(next);
      continue;
    }
    next.ids.push_back(static_cast<int32_t>(v));
    if (!stop.empty() && ends_with(next.ids, stop)) {
      next.ending = Ending::stopped;
      found.push_back(next);
    } else if (static_cast<int64_t>(next.ids.size()) == max) {
      found.push_back(next);
    } else {
      all_sequences(model, request, max, end, next, found, stop);
    }
  }
}

// A beam that never has to give up anything finds what a search through all sequences finds.
void expect_brute_force(const std::vector<int32_t>& stop) {
  constexpr int64_t kFew = 4, kMax = 4;
  for (const SmallModel& model : small_models(kFew)) {
    SCOPED_TRACE(model.name);
    GenerationRequest request = small_request(model, kFew, 2);
    if (!stop.empty()) request.stop = stop_after(stop);
    for (const double alpha : {0.0, 1.0, 0.6, -0.5, 2.0}) {
      std::vector<Generation> all;
      all_sequences(model, request, kMax, 2, {}, all, stop);
      for (Generation& one : all) {
        one.score = one.log_probability /
                    std::pow(static_cast<double>(one.log_probabilities.size()), alpha);
      }
      std::sort(all.begin(), all.end(),
                [](const Generation& a, const Generation& b) { return a.score > b.score; });
      const Generation found =
          Generator(*model.model)
              .generate(std::span(&request, 1), {.max_tokens = kMax,
                                                 .end = 2,
                                                 .beam = {.width = 400,
                                                          .n_best = 10,
                                                          .length_penalty = alpha,
                                                          .early_stopping = false}})[0];
      ASSERT_EQ(found.others.size(), 9u);
      for (size_t i = 0; i < 10; ++i) {
        const Generation& one = i == 0 ? found : found.others[i - 1];
        EXPECT_EQ(one.ids, all[i].ids) << alpha << " " << i;
        EXPECT_EQ(one.score, all[i].score);
        EXPECT_EQ(one.ending, all[i].ending);
      }
    }
  }
}

TEST(Search, WideBeamIsBruteForce) { expect_brute_force({}); }

TEST(Search, WideBeamWithAStopIsBruteForce) {
  expect_brute_force({3});
  expect_brute_force({1, 3});
}

// Where most tokens stop, as many hypotheses go on as without a stop.
TEST(Search, StopsDoNotNarrowABeam) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    SCOPED_TRACE(model.name);
    GenerationRequest request = small_request(model, kVocabulary, 1);
    request.stop = [](int32_t token) { return token % 6 != 0; };
    int64_t live = 0;
    const GenerateOptions options{.max_tokens = 2,
                                  .beam = {.width = 3, .early_stopping = false},
                                  .on_beam = [&](const BeamStep& step) {
                                    if (step.step > 0) return;
                                    for (const BeamNode& node : step.nodes)
                                      live += node.state == BeamState::live ? 1 : 0;
                                  }};
    (void)Generator(*model.model).generate(std::span(&request, 1), options);
    EXPECT_EQ(live, 3);
  }
}

// The token that stops is generated and told.
TEST(Search, AStopEndsOneHypothesis) {
  const auto models = small_models(kVocabulary);
  GenerationRequest request = small_request(models[0], kVocabulary, 1);
  const auto generate = [&](const GenerateOptions& options) {
    return Generator(*models[0].model).generate(std::span(&request, 1), options)[0];
  };
  const Generation whole = generate({.max_tokens = 9});
  const std::vector<int32_t> last(whole.ids.begin() + 2, whole.ids.begin() + 5);
  request.stop = stop_after(last);
  std::vector<int32_t> told;
  const Generation stopped =
      generate({.max_tokens = 9, .on_token = [&](const GeneratedToken& token) {
                  told.push_back(token.token);
                  return true;
                }});
  EXPECT_EQ(stopped.ending, Ending::stopped);
  EXPECT_TRUE(ends_with(stopped.ids, last));
  EXPECT_EQ(stopped.log_probabilities.size(), stopped.ids.size());
  EXPECT_EQ(told, stopped.ids);
}

// What the generator does with caches and forks, done with whole passes and plain lists.
Generation plain_beam(const SmallModel& model, const GenerationRequest& request, int64_t max,
                      size_t width) {
  std::vector<Generation> live = {{}}, finished;
  while (!live.empty() && finished.size() < width) {
    std::vector<Generation> all;
    for (const Generation& one : live) {
      const std::vector<float> logits = plain_logits(model, request, one.ids);
      const double log_sum = log_sum_exp(logits);
      for (size_t v = 0; v < logits.size(); ++v) {
        Generation next = one;
        next.ids.push_back(static_cast<int32_t>(v));
        next.log_probability += static_cast<double>(logits[v]) - log_sum;
        all.push_back(next);
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Generation& a, const Generation& b) {
      return a.log_probability > b.log_probability;
    });
    live.clear();
    for (size_t rank = 0; live.size() < width; ++rank) {
      Generation& one = all[rank];
      one.score = one.log_probability / static_cast<double>(one.ids.size());
      if (one.ids.back() != kEnd) {
        live.push_back(one);
      } else if (rank < width) {
        one.ids.pop_back();
        finished.push_back(one);
      }
    }
    if (static_cast<int64_t>(live[0].ids.size()) == max) {
      finished.insert(finished.end(), live.begin(), live.end());
      live.clear();
    }
  }
  return *std::max_element(
      finished.begin(), finished.end(),
      [](const Generation& a, const Generation& b) { return a.score < b.score; });
}

TEST(Search, CachesAndForksChangeNothing) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    SCOPED_TRACE(model.name);
    for (uint64_t i = 0; i < 4; ++i) {
      GenerationRequest request = small_request(model, kVocabulary, i);
      // Across the border of a block of the cache.
      if (!model.has_encoder && i == 3) request.prompt = random_ids(124, kVocabulary, 9);
      const Generation found =
          Generator(*model.model)
              .generate(std::span(&request, 1),
                        {.max_tokens = 8, .end = kEnd, .beam = {.width = 3}})[0];
      const Generation expected = plain_beam(model, request, 8, 3);
      EXPECT_EQ(found.ids, expected.ids);
      EXPECT_EQ(found.score, expected.score);
    }
  }
}

TEST(Search, NBestAreSortedAndUnique) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    for (const Generation& found :
         Generator(*model.model)
             .generate(requests_for(model, 6),
                       {.max_tokens = 10, .end = kEnd, .beam = {.width = 8, .n_best = 8}})) {
      ASSERT_EQ(found.others.size(), 7u);
      std::set<std::vector<int32_t>> seen = {found.ids};
      double before = found.score;
      for (const Generation& one : found.others) {
        EXPECT_LE(one.score, before);
        EXPECT_TRUE(seen.insert(one.ids).second);
        before = one.score;
      }
    }
  }
}

TEST(Search, MinimumLength) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    const auto requests = requests_for(model, 6);
    for (const GenerateOptions& options :
         {GenerateOptions{.max_tokens = 30, .min_tokens = 7, .end = kEnd},
          GenerateOptions{
              .max_tokens = 30, .min_tokens = 7, .end = kEnd, .sampling = {.temperature = 3}},
          GenerateOptions{.max_tokens = 30, .min_tokens = 7, .end = kEnd, .beam = {.width = 4}}}) {
      for (const Generation& one : Generator(*model.model).generate(requests, options)) {
        EXPECT_GE(one.ids.size(), 7u);
      }
    }
  }
}

TEST(Search, NoRunIsRepeated) {
  const auto models = small_models(kVocabulary);
  const GenerationRequest request{.prompt = {1}};
  for (const int64_t n : {1, 2, 3}) {
    for (const int64_t width : {1, 3}) {
      const Generation generated =
          Generator(*models[0].model)
              .generate(std::span(&request, 1),
                        {.max_tokens = 60, .beam = {.width = width}, .no_repeat = n})[0];
      std::set<std::vector<int32_t>> runs;
      for (size_t at = 0; at + static_cast<size_t>(n) <= generated.ids.size(); ++at) {
        const auto begin = generated.ids.begin() + static_cast<ptrdiff_t>(at);
        EXPECT_TRUE(runs.insert({begin, begin + n}).second) << n;
      }
      // With every token once there is nothing left to write.
      if (n == 1) {
        EXPECT_EQ(generated.ids.size(), static_cast<size_t>(kVocabulary));
      }
    }
  }
}

TEST(Search, ForcedTokensComeFirst) {
  for (const SmallModel& model : small_models(kVocabulary)) {
    SCOPED_TRACE(model.name);
    GenerationRequest request = small_request(model, kVocabulary, 1);
    request.forced = {3, 9, 9};
    for (const int64_t width : {1, 3}) {
      const Generation generated =
          Generator(*model.model)
              .generate(std::span(&request, 1),
                        {.max_tokens = 6, .beam = {.width = width, .n_best = width}})[0];
      ASSERT_EQ(generated.ids.size(), 6u);
      for (size_t t = 0; t < 3; ++t) EXPECT_EQ(generated.ids[t], request.forced[t]);
      EXPECT_EQ(static_cast<int64_t>(generated.others.size()), width - 1);
      const std::vector<float> logits = plain_logits(model, request, {3, 9});
      EXPECT_EQ(generated.log_probabilities[2],
                static_cast<double>(logits[9]) - log_sum_exp(logits));
    }
  }
  const auto models = small_models(kVocabulary);
  const GenerationRequest wrong{.prompt = {1}, .forced = {kVocabulary}};
  EXPECT_THROW(Generator(*models[0].model).generate(std::span(&wrong, 1)), Error);
}

// A beginning that is forced is no achievement of a hypothesis: what is generated after it has the
// scores, and the order, that it has after a prompt which ends with these tokens.
TEST(Search, ForcedTokensHaveNoScore) {
  const std::vector<int32_t> forced = {3, 9, 9, 0, 7};
  for (const SmallModel& model : small_models(kVocabulary)) {
    if (model.is_prefix) continue;  // it reads a prompt with other eyes than what it wrote
    SCOPED_TRACE(model.name);
    for (uint64_t i = 0; i < 8; ++i) {
      const GenerationRequest plain = small_request(model, kVocabulary, i);
      GenerationRequest begun = plain, prompted = plain;
      begun.forced = forced;
      begun.max_tokens = 12;
      prompted.prompt.insert(prompted.prompt.end(), forced.begin(), forced.end());
      prompted.max_tokens = 7;
      for (const double alpha : {0.0, 1.0, 2.0, -0.5}) {
        for (const bool early : {true, false}) {
          const GenerateOptions options{
              .end = kEnd,
              .beam = {.width = 4, .n_best = 4, .length_penalty = alpha, .early_stopping = early}};
          const Generator generator(*model.model);
          Generation found = generator.generate(std::span(&begun, 1), options)[0];
          Generation expected = generator.generate(std::span(&prompted, 1), options)[0];
          ASSERT_EQ(found.others.size(), expected.others.size());
          for (size_t n = 0; n <= expected.others.size(); ++n) {
            const Generation& one = n == 0 ? found : found.others[n - 1];
            const Generation& same = n == 0 ? expected : expected.others[n - 1];
            EXPECT_EQ(std::vector<int32_t>(one.ids.begin() + 5, one.ids.end()), same.ids);
            EXPECT_EQ(one.score, same.score) << alpha << " " << n;
            EXPECT_EQ(one.ending, same.ending);
          }
        }
      }
    }
  }
}

// The tree tells the same scores.
TEST(Search, ForcedTokensHaveNoScoreInTheTree) {
  const auto models = small_models(kVocabulary);
  GenerationRequest request = small_request(models[0], kVocabulary, 1);
  request.forced = {3, 9};
  std::vector<BeamNode> nodes;
  const GenerateOptions options{
      .max_tokens = 5, .beam = {.width = 2}, .on_beam = [&](const BeamStep& step) {
        nodes.insert(nodes.end(), step.nodes.begin(), step.nodes.end());
      }};
  const Generation best = Generator(*models[0].model).generate(std::span(&request, 1), options)[0];
  double sum = 0;
  for (size_t t = 2; t < 5; ++t) sum += best.log_probabilities[t];
  EXPECT_EQ(best.score, sum / 3);
  ASSERT_GT(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].score, 0);
  EXPECT_EQ(nodes[1].score, 0);
  EXPECT_LT(nodes[1].total, 0);
  EXPECT_EQ(nodes[2].score, nodes[2].log_probability);
  EXPECT_TRUE(std::any_of(nodes.begin(), nodes.end(),
                          [&](const BeamNode& node) { return node.score == best.score; }));
}

TEST(Search, TokensAreToldAndMayBeStopped) {
  const auto models = small_models(kVocabulary);
  const auto requests = requests_for(models[0], 3);
  std::vector<std::vector<int32_t>> told(3);
  const GenerateOptions options{.max_tokens = 9,
                                .sampling = {.temperature = 1},
                                .on_token = [&](const GeneratedToken& generated) {
                                  told[generated.request].push_back(generated.token);
                                  return generated.request != 1 || told[1].size() < 4;
                                }};
  const auto found = Generator(*models[0].model).generate(requests, options);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(found[i].ids, told[i]);
  EXPECT_EQ(found[1].ids.size(), 4u);
  EXPECT_EQ(found[1].ending, Ending::stopped);
  EXPECT_EQ(found[2].ids.size(), 9u);
  EXPECT_EQ(found[2].ending, Ending::limit);
}

TEST(Search, Cancel) {
  const auto models = small_models(kVocabulary);
  const auto requests = requests_for(models[1], 4);
  std::stop_source source;
  int64_t count = 0;
  const GenerateOptions options{.max_tokens = 100,
                                .sequences = 2,
                                .on_token =
                                    [&](const GeneratedToken&) {
                                      if (++count == 10) source.request_stop();
                                      return true;
                                    },
                                .cancel = source.get_token()};
  const auto found = Generator(*models[1].model).generate(requests, options);
  size_t generated = 0;
  for (const Generation& one : found) {
    EXPECT_EQ(one.ending, Ending::canceled);
    generated += one.ids.size();
  }
  EXPECT_EQ(generated, 10u);
}

TEST(Search, Mistakes) {
  const auto models = small_models(kVocabulary);
  const GenerationRequest request{.prompt = {1}};
  const auto refuse = [&](const GenerateOptions& options) {
    EXPECT_THROW(Generator(*models[0].model).generate(std::span(&request, 1), options), Error);
  };
  refuse({.beam = {.width = 0}});
  refuse({.beam = {.width = 2, .n_best = 3}});
  refuse({.sampling = {.temperature = 1}, .beam = {.width = 2}});
  refuse({.beam = {.width = 2}, .on_token = [](const GeneratedToken&) { return true; }});
  refuse({.max_tokens = -1});
  refuse({.no_repeat = -1});
  refuse({.sequences = 0});
  TransformerConfig config{.vocabulary = kVocabulary,
                           .decoder_layers = 1,
                           .width = 8,
                           .hidden = 8,
                           .context = 4,
                           .positions = PositionKind::learned};
  const Transformer model(config);
  const GenerationRequest full{.prompt = {1, 2, 3, 4}}, longer{.prompt = {1, 2, 3, 4, 5}};
  EXPECT_EQ(Generator(model).generate(std::span(&full, 1))[0].ids.size(), 1u);
  EXPECT_THROW(Generator(model).generate(std::span(&longer, 1)), Error);
}

}  // namespace
}  // namespace heed::search_test

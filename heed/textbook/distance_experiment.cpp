#include "heed/textbook/distance_experiment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "heed/base/fail.h"
#include "heed/base/random.h"
#include "heed/nn/conv1d.h"
#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/multi_head_attention.h"
#include "heed/nn/norm.h"
#include "heed/nn/position_dense.h"
#include "heed/ops/add.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/gather.h"
#include "heed/optim/adamw.h"
#include "heed/optim/schedule.h"

namespace heed {
namespace {

constexpr const char* kNouns[] = {"baker", "singer", "nurse", "king",  "aunt",   "boy",
                                  "dog",   "horse",  "cat",   "bird",  "wolf",   "cow",
                                  "glass", "plate",  "chair", "clock", "mirror", "bottle"};
constexpr const char* kVerbs[] = {"sings", "grazes", "breaks"};
constexpr const char* kOthers[] = {"and",   "there", "today", "often", "near", "under",
                                   "quite", "very",  "blue",  "old",   "late", "again"};
constexpr int64_t kNounCount = std::size(kNouns), kGroups = std::size(kVerbs),
                  kOfGroup = kNounCount / kGroups, kOtherCount = std::size(kOthers),
                  kVocabulary = kNounCount + kGroups + kOtherCount;
constexpr int64_t kRowsOfBatch = 64, kHeads = 2;
constexpr double kPeakRate = 3e-3;

struct Rolls {
  RandomKey key;
  uint32_t next = 0;
  int64_t below(int64_t n) {
    return static_cast<int64_t>((uint64_t{random_bits(key, next++)} * static_cast<uint64_t>(n)) >>
                                32);
  }
};

// The layer that is compared.
struct Mix {
  MixKind kind;
  PositionDense dense;
  Conv1d conv;
  Linear conv_output;
  MultiHeadAttention attention;

  Mix(const ParameterScope& scope, MixKind mix, const DistanceExperimentOptions& options)
      : kind(mix) {
    const int64_t C = options.width, K = options.kernel;
    if (kind == MixKind::dense) {
      dense = PositionDense(scope, 2 * C);
    } else if (kind == MixKind::convolution) {
      const double hidden = static_cast<double>(4 * C * C + 3 * C) /
                            static_cast<double>((K + 1) * C + 1);  // as many as attention
      const int64_t H = std::max<int64_t>(1, std::llround(hidden));
      conv = Conv1d(scope.in("inner"), C, H, K, {.activation = Activation::relu});
      conv_output = Linear(scope.in("outer"), H, C);
    } else {
      attention = MultiHeadAttention(scope, C, {.heads = kHeads});
    }
  }

  Variable operator()(const Variable& x, const Rows& rows) const {
    if (kind == MixKind::dense) return dense(x, rows);
    if (kind == MixKind::convolution) return conv_output(conv(x, rows));
    return attention.self(x, rows, {}, {});
  }
};

struct MixBlock {
  Norm mix_norm, feed_forward_norm;
  Mix mix;
  FeedForward feed_forward;

  MixBlock(const ParameterScope& scope, MixKind kind, const DistanceExperimentOptions& options)
      : mix_norm(scope.in("mix_norm"), options.width),
        feed_forward_norm(scope.in("feed_forward_norm"), options.width),
        mix(scope.in("mix"), kind, options),
        feed_forward(scope.in("feed_forward"), options.width, 2 * options.width) {}

  Variable operator()(const Variable& x, const Rows& rows) const {
    const Variable y = add(x, mix(mix_norm(x), rows));
    return add(y, feed_forward(feed_forward_norm(y)));
  }
};

struct DistanceModel {
  Parameters parameters;
  Embedding words;
  std::vector<MixBlock> blocks;
  Norm norm;
  Linear output;

  DistanceModel(MixKind kind, const DistanceExperimentOptions& options)
      : parameters({.seed = options.seed}) {
    const ParameterScope root(parameters);
    words = Embedding(root.in("words"), kVocabulary, options.width, {.deviation = 0.5});
    for (int64_t b = 0; b < options.blocks; ++b) {
      blocks.emplace_back(root.in("block", b), kind, options);
    }
    norm = Norm(root.in("norm"), options.width);
    output = Linear(root.in("output"), options.width, kNounCount);
  }

  // Logits of the verb of each row, [B, 18].
  Variable operator()(const Tensor& ids, const Rows& rows) const {
    Variable x = words(ids);
    for (const MixBlock& block : blocks) x = block(x, rows);
    std::vector<int64_t> last;
    for (int64_t b = 0; b < rows.count(); ++b) last.push_back(rows.end(b) - 1);
    return output(norm(gather(x, Tensor::from(last, {rows.count()}))));
  }
};

struct DistanceBatch {
  Tensor ids, answers;
  Rows rows;
};

DistanceBatch batch_of(const std::vector<DistanceRow>& all) {
  std::vector<int32_t> ids, answers;
  std::vector<int64_t> lengths;
  for (const DistanceRow& row : all) {
    ids.insert(ids.end(), row.words.begin(), row.words.end());
    answers.push_back(row.answer);
    lengths.push_back(static_cast<int64_t>(row.words.size()));
  }
  return {Tensor::from(ids, {static_cast<int64_t>(ids.size())}),
          Tensor::from(answers, {static_cast<int64_t>(answers.size())}),
          Rows::from_lengths(lengths)};
}

void train_distances(DistanceModel& model, const DistanceExperimentOptions& options) {
  const int64_t length = 2 * options.width;
  std::vector<int64_t> distances;
  for (int64_t d = 1; d < length; ++d) {
    if (is_trained_distance(d, length)) distances.push_back(d);
  }
  std::vector<OptimizedParameter> optimized;
  for (const NamedParameter& p : model.parameters.list()) optimized.push_back({p.name, p.variable});
  AdamW optimizer(optimized, {});
  const Schedule schedule{.kind = ScheduleKind::cosine,
                          .peak = kPeakRate,
                          .warmup = std::min<int64_t>(50, options.steps),
                          .total_steps = options.steps};
  for (int64_t step = 0; step < options.steps; ++step) {
    std::vector<DistanceRow> rows;
    for (int64_t i = 0; i < kRowsOfBatch; ++i) {
      const int64_t index = step * kRowsOfBatch + i;
      const auto which = static_cast<size_t>(index) % distances.size();
      rows.push_back(distance_row(options.seed, 0, index, length, distances[which]));
    }
    const DistanceBatch batch = batch_of(rows);
    const Gradients gradients =
        backward(cross_entropy(model(batch.ids, batch.rows), batch.answers));
    std::vector<Tensor> all;
    all.reserve(optimized.size());
    for (const OptimizedParameter& p : optimized) all.push_back(gradients.of(p.variable));
    optimizer.step(all, {.rate = learning_rate(schedule, step)});
  }
}

double accuracy_at(const DistanceModel& model, const DistanceExperimentOptions& options,
                   int64_t distance) {
  const NoGrad no_gradients;
  std::vector<DistanceRow> rows;
  for (int64_t i = 0; i < options.tested; ++i) {
    rows.push_back(distance_row(options.seed, static_cast<uint64_t>(distance), i, 2 * options.width,
                                distance));
  }
  const DistanceBatch batch = batch_of(rows);
  const Tensor logits = model(batch.ids, batch.rows).value();
  int64_t right = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const float* row = logits.data<float>() + static_cast<int64_t>(i) * kNounCount;
    right += std::max_element(row, row + kNounCount) - row == rows[i].answer ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(options.tested);
}

}  // namespace

// Words are numbered: nouns by group, then verbs, then the others.
DistanceRow distance_row(uint64_t seed, uint64_t set, int64_t index, int64_t length,
                         int64_t distance) {
  check(length > kGroups && distance >= 1 && distance < length,
        "distance_row: a row of {} words has distances from 1 to {} and more than {} words, got {}",
        length, length - 1, kGroups, distance);
  Rolls rolls{random_key({.seed = seed, .step = static_cast<uint64_t>(index), .site = set})};
  DistanceRow row;
  for (int64_t i = 0; i < length; ++i) {
    row.words.push_back(static_cast<int32_t>(kNounCount + kGroups + rolls.below(kOtherCount)));
  }
  const int64_t group = rolls.below(kGroups);
  const auto noun_of = [&](int64_t g) {
    return static_cast<int32_t>(g * kOfGroup + rolls.below(kOfGroup));
  };
  row.words.back() = static_cast<int32_t>(kNounCount + group);
  row.answer = noun_of(group);
  row.words[length - 1 - distance] = row.answer;
  for (int64_t g = 0; g < kGroups; ++g) {
    if (g == group) continue;
    const int32_t noun = noun_of(g);
    size_t place = 0;
    do {
      place = static_cast<size_t>(rolls.below(length - 1));
    } while (row.words[place] < kNounCount);  // a noun is there
    row.words[place] = noun;
  }
  return row;
}

std::string distance_word(int32_t word) {
  check(word >= 0 && word < kVocabulary, "distance_word: {} is not from 0 to {}", word,
        kVocabulary - 1);
  if (word < kNounCount) return kNouns[word];
  if (word < kNounCount + kGroups) return kVerbs[word - kNounCount];
  return kOthers[word - kNounCount - kGroups];
}

std::string distance_noun(int32_t answer) {
  check(answer >= 0 && answer < kNounCount, "distance_noun: {} is not from 0 to {}", answer,
        kNounCount - 1);
  return kNouns[answer];
}

bool is_trained_distance(int64_t distance, int64_t length) {
  return distance >= 1 && distance % 4 != 0 && 3 * distance <= 2 * length;
}

DistanceResult distance_experiment(MixKind kind, const DistanceExperimentOptions& options) {
  check(options.width >= 4 && options.width % kHeads == 0,
        "distance experiment: the width must be even and at least 4, got {}", options.width);
  check(options.blocks >= 1 && options.steps >= 1 && options.tested >= 1,
        "distance experiment: blocks {}, steps {} and tested {} must be 1 or more", options.blocks,
        options.steps, options.tested);
  DistanceModel model(kind, options);
  train_distances(model, options);
  DistanceResult result{model.parameters.count(), {}};
  for (int64_t d = 1; d < 2 * options.width; ++d) {
    result.accuracy.push_back(accuracy_at(model, options, d));
  }
  return result;
}

}  // namespace heed

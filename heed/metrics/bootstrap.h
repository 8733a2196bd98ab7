// How much the score of a corpus varies with the choice of its sentences (Efron 1979, Koehn 2004).
//
//   a resample: n of the n sentences, drawn with replacement; s_b is the score of the b-th of B
//   interval:   s_1 .. s_B sorted, without the B / 40 smallest and the B / 40 largest: 95 %
//
// Two systems on the same sentences, always resampled together:
//
//   d   = score of the first - score of the second, d_b the same in resample b
//   p   = (1 + number of b with |d_b - d| >= |d|) / (1 + B)
//
// p is about how often a difference as large as d would come about by chance if the systems were
// equally good. Equal answers give p = 1.
//
// Sentence i of resample b is a function of the seed, b and i, so that results depend neither on
// threads nor on the score.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "heed/base/export.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/interval.h"

namespace heed {

struct BootstrapOptions {
  int64_t resamples = 1000;  // B, at least 40
  uint64_t seed = 0;
};

// The score of the corpus that consists of these sentences, some of them several times. Called by
// several threads at once.
using SentencesScore = std::function<double(std::span<const int64_t> sentences)>;

HEED_API Interval bootstrap_interval(int64_t sentences, const SentencesScore& score,
                                     const BootstrapOptions& options = {});

struct PairedBootstrap {
  double difference = 0;  // d
  Interval interval;      // of d
  double p = 1;
};

HEED_API PairedBootstrap paired_bootstrap(int64_t sentences, const SentencesScore& first,
                                          const SentencesScore& second,
                                          const BootstrapOptions& options = {});

// The interval of corpus BLEU, from the counts of its sentences.
HEED_API Interval bleu_interval(std::span<const BleuCounts> sentences,
                                const BleuOptions& bleu_options = {},
                                const BootstrapOptions& options = {});

}  // namespace heed

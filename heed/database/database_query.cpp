// Queries that read every key: attention on parts of fixed size, joined in order.

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/attention.h"
#include "heed/attention/weights.h"
#include "heed/base/fail.h"
#include "heed/base/parallel.h"
#include "heed/database/database_internal.h"

namespace heed {
namespace {

constexpr int64_t kChunk = 4096;   // keys of one task: their packed form stays in cache
constexpr int64_t kQueries = 256;  // queries that are answered together

struct Chunk {
  const Database::Part* part;
  int64_t begin, end;
};

std::vector<Chunk> chunks_of(std::span<const std::shared_ptr<const Database::Part>> parts) {
  std::vector<Chunk> chunks;
  for (const auto& part : parts) {
    for (int64_t begin = 0; begin < part->size(); begin += kChunk) {
      chunks.push_back({part.get(), begin, std::min(begin + kChunk, part->size())});
    }
  }
  return chunks;
}

AttentionOptions attention_options(const DatabaseQuery& options) {
  return {.score = options.score,
          .normalizer = options.normalizer,
          .allow_negative = options.allow_negative};
}

// Outputs and statistics of all chunks for some queries.
struct Pieces {
  std::vector<AttentionResult> results;
  std::vector<TopWeights> tops;
};

// w = exp(s - m) / l within a chunk becomes exp(s - M) / L over all of them: times this factor.
std::vector<double> chunk_factors(const Pieces& pieces, Normalizer normalizer, int64_t row) {
  const size_t n = pieces.results.size();
  std::vector<double> factors(n, 0);
  const auto number = [&](const Tensor& of) -> double { return of.data<float>()[row]; };
  switch (normalizer) {
    case Normalizer::none: std::fill(factors.begin(), factors.end(), 1.0); break;
    case Normalizer::one_hot: {
      size_t best = 0;
      for (size_t i = 1; i < n; ++i) {
        if (number(pieces.results[i].statistics.max) >
            number(pieces.results[best].statistics.max)) {
          best = i;
        }
      }
      factors[best] = 1;
      break;
    }
    case Normalizer::sum: {
      double total = 0;
      for (size_t i = 0; i < n; ++i) {
        factors[i] = number(pieces.results[i].statistics.sum);
        total += factors[i];
      }
      for (double& factor : factors) factor = total != 0 ? factor / total : 0;
      break;
    }
    case Normalizer::softmax: {
      double highest = -std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < n; ++i) {
        highest = std::max(highest, number(pieces.results[i].statistics.max));
      }
      double total = 0;
      for (size_t i = 0; i < n; ++i) {
        const double m = number(pieces.results[i].statistics.max);
        // Scores that are all -inf weigh nothing.
        factors[i] = std::isinf(m) && m < 0
                         ? 0
                         : std::exp(m - highest) * number(pieces.results[i].statistics.sum);
        total += factors[i];
      }
      for (double& factor : factors) factor = total != 0 ? factor / total : 0;
      break;
    }
  }
  return factors;
}

struct Weighted {
  double weight;
  int64_t entry;
};

}  // namespace

DatabaseAnswer Database::query(const Tensor& queries, const DatabaseQuery& options) const {
  require_query(queries);
  check(options.max_error >= 0, "database: max_error must not be negative, got {}",
        options.max_error);
  if (options.max_error > 0) {
    check(options.top == 0, "database: the largest weights are known only to an exact query");
    return approximate_query(parts_, queries, options);
  }
  const NoGrad no_gradients;
  const Tensor q = queries.to(DType::f32).contiguous();
  const int64_t N = q.dim(0);
  const int64_t Dv = shape_.value_width;
  const std::vector<Chunk> chunks = chunks_of(parts_);
  const AttentionOptions attend = attention_options(options);
  DatabaseAnswer answer;
  answer.value = Tensor::zeros({N, Dv});
  answer.error = Tensor::zeros({N}, DType::f64);
  answer.keys_read = N * size_;
  if (options.top > 0) {
    answer.top_entries = Tensor::empty({N, options.top}, DType::i64);
    answer.top_weights = Tensor::zeros({N, options.top});
    for (int64_t i = 0; i < answer.top_entries.size(); ++i) {
      answer.top_entries.data<int64_t>()[i] = -1;
    }
  }
  for (int64_t first = 0; first < N; first += kQueries) {
    const int64_t rows = std::min(kQueries, N - first);
    const Tensor some = q.slice(0, first, first + rows);
    const Rows asked = Rows::single(rows);
    Pieces pieces;
    pieces.results.resize(chunks.size());
    pieces.tops.resize(options.top > 0 ? chunks.size() : 0);
    const double work = static_cast<double>(rows * size_) * static_cast<double>(q.dim(1)) / 16;
    parallel_for(static_cast<int64_t>(chunks.size()), work, [&](int64_t i) {
      const NoGrad inside;  // recording is a matter of the thread
      const Chunk& chunk = chunks[i];
      const Tensor keys = chunk.part->keys.slice(0, chunk.begin, chunk.end);
      const Rows seen = Rows::single(chunk.end - chunk.begin);
      pieces.results[i] = attention_with_statistics(
          some, keys, chunk.part->values.slice(0, chunk.begin, chunk.end), asked, seen, attend);
      if (options.top > 0) {
        pieces.tops[i] = top_attention_weights(some, keys, asked, seen, options.top, attend);
      }
    });
    for (int64_t row = 0; row < rows; ++row) {
      const std::vector<double> factors = chunk_factors(pieces, options.normalizer, row);
      if (std::all_of(factors.begin(), factors.end(), [](double f) { return f == 0; })) {
        answer.unreached.push_back(first + row);
      }
      std::vector<double> y(static_cast<size_t>(Dv), 0);
      std::vector<Weighted> best;
      for (size_t i = 0; i < chunks.size(); ++i) {
        if (factors[i] == 0) continue;
        const Tensor& output = pieces.results[i].output.value();
        for (int64_t d = 0; d < Dv; ++d) {
          y[d] += factors[i] * output.data<float>()[row * Dv + d];
        }
        for (int64_t k = 0; k < options.top; ++k) {
          const int64_t key =
              std::as_const(pieces.tops[i].keys).data<int64_t>()[row * options.top + k];
          if (key < 0) break;
          best.push_back(
              {factors[i] *
                   std::as_const(pieces.tops[i].weights).data<float>()[row * options.top + k],
               chunks[i].part->first + chunks[i].begin + key});
        }
      }
      for (int64_t d = 0; d < Dv; ++d) {
        answer.value.data<float>()[(first + row) * Dv + d] = static_cast<float>(y[d]);
      }
      if (options.top == 0) continue;
      std::stable_sort(best.begin(), best.end(),
                       [](const Weighted& a, const Weighted& b) { return a.weight > b.weight; });
      for (int64_t k = 0; k < std::min<int64_t>(options.top, static_cast<int64_t>(best.size()));
           ++k) {
        const int64_t at = (first + row) * options.top + k;
        answer.top_entries.data<int64_t>()[at] = best[k].entry;
        answer.top_weights.data<float>()[at] = static_cast<float>(best[k].weight);
      }
    }
  }
  return answer;
}

Tensor Database::weights(const Tensor& queries, const DatabaseQuery& options) const {
  require_query(queries);
  const NoGrad no_gradients;
  const Tensor q = queries.to(DType::f32).contiguous();
  const int64_t N = q.dim(0);
  const std::vector<Chunk> chunks = chunks_of(parts_);
  const AttentionOptions attend = attention_options(options);
  const Rows asked = Rows::single(N);
  Pieces pieces;
  std::vector<Tensor> parts;
  for (const Chunk& chunk : chunks) {
    const Tensor keys = chunk.part->keys.slice(0, chunk.begin, chunk.end);
    const Rows seen = Rows::single(chunk.end - chunk.begin);
    pieces.results.push_back(attention_with_statistics(
        q, keys, Tensor::zeros({chunk.end - chunk.begin, 1}), asked, seen, attend));
    parts.push_back(attention_weights(q, keys, asked, seen, attend));
  }
  Tensor result = Tensor::zeros({N, size_});
  for (int64_t row = 0; row < N; ++row) {
    const std::vector<double> factors = chunk_factors(pieces, options.normalizer, row);
    for (size_t i = 0; i < chunks.size(); ++i) {
      const int64_t count = chunks[i].end - chunks[i].begin;
      const int64_t begin = chunks[i].part->first + chunks[i].begin;
      for (int64_t j = 0; j < count; ++j) {
        result.data<float>()[row * size_ + begin + j] =
            static_cast<float>(factors[i] * std::as_const(parts[i]).data<float>()[row * count + j]);
      }
    }
  }
  return result;
}

}  // namespace heed

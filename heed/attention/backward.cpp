// Backward: a task owns one sequence, one key/value head and a chunk of its keys. It loops over the
// blocks of the chunk and, for each, over the query heads of the group and their tiles, in a fixed
// order. dk and dv belong to the task alone; so does dq unless the keys have several chunks, which
// then add to copies of their own, summed in a fixed tree.

#include <algorithm>
#include <vector>

#include "heed/attention/engine_internal.h"
#include "heed/attention/tile_gradient_internal.h"
#include "heed/attention/tile_products_internal.h"
#include "heed/base/divide_up.h"
#include "heed/base/parallel.h"
#include "heed/kernels/pack.h"

namespace heed::engine {
namespace {

constexpr double kBackwardFlopsPerNanosecond = 70;
constexpr int64_t kChunkBlocks = 32;  // 4096 keys
constexpr int64_t kMaxChunks = 4;     // bounds the memory: at most three copies of dq

int64_t chunk_blocks(int64_t blocks) {
  return std::max(kChunkBlocks, divide_up(blocks, kMaxChunks));
}
int64_t chunk_count(int64_t blocks) { return divide_up(blocks, chunk_blocks(blocks)); }

struct Place {
  int64_t sequence, kv_head, chunk;
};

template <typename T>
class ChunkTask {
 public:
  ChunkTask(const Problem<T>& problem, const BackwardTask<T>& task, const T* delta,
            const Place& place, HeadView<T> dq, T* parameters)
      : p_(problem),
        task_(task),
        delta_(delta),
        place_(place),
        dq_(dq),
        parameters_(parameters),
        memory_(Tensor::empty(
            {BackwardBlock<T>::elements(problem) + kBlock * (problem.width + problem.value_width)},
            dtype_of<T>())),
        block_(memory_.data<T>()),
        dk_(memory_.data<T>() + BackwardBlock<T>::elements(problem)),
        dv_(dk_ + kBlock * problem.width),
        gradient_(problem) {}

  void run() {
    if (place_.chunk == 0 && task_.dq.data != nullptr) clear_queries();
    const int64_t blocks = block_count(p_.key_rows.length(place_.sequence));
    const int64_t step = chunk_blocks(blocks);
    const int64_t end = std::min(blocks, (place_.chunk + 1) * step);
    for (int64_t j = place_.chunk * step; j < end; ++j) run_block(j);
  }

 private:
  // The other chunks have copies of zeros.
  void clear_queries() const {
    const int64_t length = p_.query_rows.length(place_.sequence);
    const int64_t first = place_.kv_head * p_.group();
    for (int64_t i = 0; i < length; ++i) {
      for (int64_t head = first; head < first + p_.group(); ++head) {
        std::fill_n(dq_.at(i, head), p_.width, T{0});
      }
    }
  }

  void run_block(int64_t j) {
    block_.load(p_, place_.sequence, place_.kv_head, j);
    std::fill_n(dk_, block_.stride * p_.width, T{0});
    std::fill_n(dv_, block_.stride * p_.value_width, T{0});
    const int64_t length = p_.query_rows.length(place_.sequence);
    for (int64_t head = place_.kv_head * p_.group(); head < (place_.kv_head + 1) * p_.group();
         ++head) {
      for (int64_t first = 0; first < length; first += kTileRows) {
        const QueryTile<T> tile(p_, place_.sequence, head, first,
                                std::min(kTileRows, length - first));
        if (tile.sees(j)) run_tile(tile, head, first);
      }
    }
    store(j);
  }

  void run_tile(const QueryTile<T>& tile, int64_t head, int64_t first) {
    TileGradient<T>& g = gradient_;
    g.compute(tile, head, block_, task_, delta_);
    if (task_.dv.data != nullptr) {
      add_transposed_product(g.dy(), tile.rows(), p_.value_width, g.weights(), g.columns(),
                             g.finite_dy(), dv_, block_.stride);
    }
    if (p_.normalizer == Normalizer::one_hot || task_.dk.data == nullptr) return;
    g.through_cap(tile.rows());
    p_.score->backward({.rows = tile.rows(),
                        .columns = g.columns(),
                        .width = p_.width,
                        .queries = g.queries(),
                        .keys = block_.keys,
                        .key_rows = block_.key_rows,
                        .key_stride = block_.stride,
                        .finite = g.finite_queries() && block_.finite_keys},
                       g.score_gradient(),
                       {.queries = dq_.at(first, head),
                        .query_stride = dq_.row_stride,
                        .keys = dk_,
                        .parameters = parameters_});
  }

  void store(int64_t j) const {
    const int64_t count = keys_of_block(p_.key_rows.length(place_.sequence), j);
    const int64_t row = p_.key_rows.begin(place_.sequence) + j * kBlock;
    if (task_.dk.data != nullptr) {
      kernels::pack_block<T>({dk_, 1, block_.stride}, count, p_.width,
                             task_.dk.at(row, place_.kv_head), task_.dk.row_stride, p_.width);
    }
    if (task_.dv.data != nullptr) {
      kernels::pack_block<T>({dv_, 1, block_.stride}, count, p_.value_width,
                             task_.dv.at(row, place_.kv_head), task_.dv.row_stride, p_.value_width);
    }
  }

  const Problem<T>& p_;
  const BackwardTask<T>& task_;
  const T* delta_;
  Place place_;
  HeadView<T> dq_;  // of this sequence and chunk
  T* parameters_;
  Tensor memory_;
  BackwardBlock<T> block_;
  T *dk_, *dv_;  // [D, stride of the block], [Dv, stride]
  TileGradient<T> gradient_;
};

// delta [N, H] = dy . y; zero where the normalizer has no sum to differentiate.
template <typename T>
Tensor row_deltas(const Problem<T>& p, const BackwardTask<T>& task) {
  const int64_t rows = p.query_rows.total();
  Tensor result = Tensor::zeros({rows, p.heads}, dtype_of<T>());
  if (p.normalizer == Normalizer::none || p.normalizer == Normalizer::one_hot) return result;
  T* delta = result.data<T>();
  constexpr int64_t kRows = 64;
  parallel_for(divide_up(rows, kRows), static_cast<double>(rows * p.heads * p.value_width),
               [&](int64_t part) {
                 for (int64_t i = part * kRows; i < std::min(rows, (part + 1) * kRows); ++i) {
                   for (int64_t h = 0; h < p.heads; ++h) {
                     delta[i * p.heads + h] = dot(task.dy.at(i, h), task.y.at(i, h), p.value_width);
                   }
                 }
               });
  return result;
}

// The copies of dq for the second and further chunks of a sequence's keys.
template <typename T>
class QueryGradientParts {
 public:
  QueryGradientParts(const Problem<T>& p, HeadView<T> dq) : p_(p), dq_(dq) {
    int64_t rows = 0;
    for (int64_t b = 0; b < p.query_rows.count(); ++b) {
      first_.push_back(rows);
      if (dq.data != nullptr) rows += (chunks(b) - 1) * p.query_rows.length(b);
    }
    copies_ = Tensor::zeros({rows, p.heads, p.width}, dtype_of<T>());
  }

  int64_t chunks(int64_t b) const {
    return std::max<int64_t>(1, chunk_count(block_count(p_.key_rows.length(b))));
  }

  // Indexed by the row inside the sequence.
  HeadView<T> part(int64_t b, int64_t chunk) {
    if (chunk == 0) {
      return {dq_.at(p_.query_rows.begin(b), 0), dq_.row_stride, dq_.head_stride};
    }
    const int64_t row = first_[b] + (chunk - 1) * p_.query_rows.length(b);
    const int64_t stride = p_.heads * p_.width;
    return {copies_.data<T>() + row * stride, stride, p_.width};
  }

  void sum() {
    for (int64_t b = 0; b < p_.query_rows.count(); ++b) {
      for (int64_t step = 1; step < chunks(b); step *= 2) {
        for (int64_t c = 0; c + step < chunks(b); c += 2 * step) {
          add(b, part(b, c), part(b, c + step));
        }
      }
    }
  }

 private:
  void add(int64_t b, HeadView<T> to, HeadView<T> from) const {
    for (int64_t i = 0; i < p_.query_rows.length(b); ++i) {
      for (int64_t h = 0; h < p_.heads; ++h) {
        for (int64_t d = 0; d < p_.width; ++d) to.at(i, h)[d] += from.at(i, h)[d];
      }
    }
  }

  const Problem<T>& p_;
  HeadView<T> dq_;
  std::vector<int64_t> first_;  // row of the second chunk's copy, per sequence
  Tensor copies_;
};

// Sums the rows of parts [count, width] into `to` in a fixed tree; destroys parts.
template <typename T>
void sum_tree(T* parts, int64_t count, int64_t width, T* to) {
  for (int64_t step = 1; step < count; step *= 2) {
    for (int64_t i = 0; i + step < count; i += 2 * step) {
      for (int64_t j = 0; j < width; ++j) parts[i * width + j] += parts[(i + step) * width + j];
    }
  }
  for (int64_t j = 0; j < width && count > 0; ++j) to[j] += parts[j];
}

template <typename T>
double backward_nanoseconds(const Problem<T>& p) {
  double pairs = 0;
  for (int64_t b = 0; b < p.query_rows.count(); ++b) {
    pairs +=
        static_cast<double>(p.query_rows.length(b)) * static_cast<double>(p.key_rows.length(b));
  }
  return 2 * pairs * static_cast<double>(p.heads * (3 * p.width + 2 * p.value_width)) /
         kBackwardFlopsPerNanosecond;
}

// The bias may be shared by sequences, heads or queries, so it has a pass of its own: a task owns
// one slice of it (and one block of keys, unless all keys share a number) and goes through
// everything that the slice was added to, in order.
template <typename T>
void bias_backward(const Problem<T>& p, const BackwardTask<T>& task, const T* delta) {
  const Table<T>& dbias = task.dbias;
  const bool own_sequence = dbias.strides[0] != 0;
  const bool own_head = dbias.strides[1] != 0;
  const int64_t sequences = own_sequence ? p.query_rows.count() : 1;
  const int64_t heads = own_head ? p.heads : 1;
  const int64_t blocks = dbias.step() == 0 ? 1 : block_count(p.key_rows.max_length());
  parallel_for(sequences * heads * blocks, backward_nanoseconds(p), [&](int64_t i) {
    const int64_t block_of_task = i % blocks;
    const int64_t head_of_task = i / blocks % heads;
    const int64_t sequence_of_task = i / blocks / heads;
    Tensor memory = Tensor::empty({BackwardBlock<T>::elements(p)}, dtype_of<T>());
    BackwardBlock<T> block(memory.data<T>());
    TileGradient<T> gradient(p);
    const auto run = [&](int64_t b, int64_t head, int64_t j) {
      block.load(p, b, head / p.group(), j);
      const int64_t length = p.query_rows.length(b);
      for (int64_t first = 0; first < length; first += kTileRows) {
        const QueryTile<T> tile(p, b, head, first, std::min(kTileRows, length - first));
        if (!tile.sees(j)) continue;
        gradient.compute(tile, head, block, task, delta);
        for (int64_t t = 0; t < tile.rows(); ++t) {
          T* to = dbias.row(b, head, first + t) + j * kBlock * dbias.step();
          const T* from = gradient.score_gradient() + t * kBlock;
          for (int64_t c = 0; c < gradient.columns(); ++c) to[c * dbias.step()] += from[c];
        }
      }
    };
    for (int64_t b = 0; b < p.query_rows.count(); ++b) {
      if (own_sequence && b != sequence_of_task) continue;
      const int64_t end = block_count(p.key_rows.length(b));
      for (int64_t head = 0; head < p.heads; ++head) {
        if (own_head && head != head_of_task) continue;
        if (dbias.step() != 0) {
          if (block_of_task < end) run(b, head, block_of_task);
        } else {
          for (int64_t j = 0; j < end; ++j) run(b, head, j);
        }
      }
    }
  });
}

}  // namespace

template <typename T>
void attention_backward(const Problem<T>& p, const BackwardTask<T>& task) {
  const Tensor deltas = row_deltas(p, task);
  const T* delta = deltas.data<T>();
  QueryGradientParts<T> parts(p, task.dq);
  std::vector<Place> places;
  for (int64_t b = 0; b < p.key_rows.count(); ++b) {
    for (int64_t head = 0; head < p.kv_heads; ++head) {
      for (int64_t chunk = 0; chunk < parts.chunks(b); ++chunk) places.push_back({b, head, chunk});
    }
  }
  const auto count = static_cast<int64_t>(places.size());
  const int64_t width = p.score->parameter_count();
  Tensor parameters = Tensor::zeros({count, width}, dtype_of<T>());
  T* parameter_parts = parameters.data<T>();
  parallel_for(count, backward_nanoseconds(p), [&](int64_t i) {
    const Place& place = places[i];
    ChunkTask<T>(p, task, delta, place, parts.part(place.sequence, place.chunk),
                 parameter_parts + i * width)
        .run();
  });
  if (task.dq.data != nullptr) parts.sum();
  if (task.parameters != nullptr) sum_tree(parameter_parts, count, width, task.parameters);
  if (task.dbias.defined()) bias_backward(p, task, delta);
}

template void attention_backward<float>(const Problem<float>&, const BackwardTask<float>&);
template void attention_backward<double>(const Problem<double>&, const BackwardTask<double>&);

}  // namespace heed::engine

// Operations whose speed is that of memory. Each row counts the bytes that have to be read and
// written once, n being those of x, effort.data_bytes:
//
//   layer_norm, rms_norm, gelu, silu    forward  x -> y, 2n         backward  x, dy -> dx, 3n
//   softmax                             forward  x -> y, 2n         backward  y, dy -> dx, 3n
//   dropout, rotary                     forward  x -> y, 2n         backward  dy -> dx, 2n
//   add (two tensors like x)            forward  a, b -> y, 3n      backward passes dy on: no row
//   add_row (a row added to each of x)  forward  x -> y, 2n         backward  dy, n
//   cross_entropy (x: the logits)       forward  x, n               backward  x -> dx, 2n
//   embedding (x: the rows picked)      forward  x -> y, 2n         backward  dy, n, and the table
//
// And what a training step does to all parameters, n being their bytes:
//
//   adamw                               p, m, v, g -> p, m, v, 7n
//   gradient_norm                       g, n
//
// What is proportional to rows or columns only is not counted. Backward is timed alone: the graph
// is recorded before the clock starts.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "bench/ceilings.h"
#include "bench/loss_with_gradient.h"
#include "bench/random_data.h"
#include "bench/suite.h"
#include "heed/autograd/gradient_sum.h"
#include "heed/ops/activations.h"
#include "heed/ops/add.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/dropout.h"
#include "heed/ops/embedding.h"
#include "heed/ops/layer_norm.h"
#include "heed/ops/rms_norm.h"
#include "heed/ops/rotary.h"
#include "heed/ops/softmax.h"
#include "heed/optim/adamw.h"

namespace heed::bench {
namespace {

constexpr int64_t kWidth = 768;         // C
constexpr int64_t kVocabulary = 50257;  // V
constexpr int64_t kHeads = 12;          // H, of rotary
constexpr int64_t kSequence = 1024;     // tokens of a sequence, where that matters

// An operation on data of its own, and what its passes have to move.
struct Operation {
  std::function<Variable()> apply;
  double forward_bytes;
  double backward_bytes = 0;
};

Row bound_by_memory(const Task& task, double bytes, const Effort& effort) {
  const BesideReading measured = measure_beside_reading({timed(task)}, effort);
  return {.timing = measured.times[0], .bytes = bytes, .read_gbs = measured.read_gbs};
}

double bytes_of(const Tensor& x) { return 4 * static_cast<double>(x.size()); }

Tensor rows_of(int64_t width, const Effort& effort) {
  return random_data({effort.data_bytes / 4 / width, width}, 1);
}

// x -> y, and x or y, dy -> dx.
template <typename F>
Operation map_of(const Tensor& x, F f) {
  return {[x = Variable::parameter(x), f] { return f(x); }, 2 * bytes_of(x), 3 * bytes_of(x)};
}

Variable parameter_of(int64_t size, uint64_t seed) {
  return Variable::parameter(random_data({size}, seed));
}

Operation make_layer_norm(const Effort& effort) {
  return map_of(rows_of(kWidth, effort),
                [gamma = parameter_of(kWidth, 2), beta = parameter_of(kWidth, 3)](
                    const Variable& x) { return layer_norm(x, gamma, beta); });
}

Operation make_rms_norm(const Effort& effort) {
  return map_of(rows_of(kWidth, effort), [gamma = parameter_of(kWidth, 2)](const Variable& x) {
    return rms_norm(x, gamma);
  });
}

Operation make_softmax(const Effort& effort) {
  return map_of(rows_of(1024, effort), [](const Variable& x) { return softmax(x); });
}

Operation make_gelu_tanh(const Effort& effort) {
  return map_of(rows_of(kWidth, effort), [](const Variable& x) { return gelu(x, Gelu::tanh); });
}

Operation make_gelu_exact(const Effort& effort) {
  return map_of(rows_of(kWidth, effort), [](const Variable& x) { return gelu(x, Gelu::exact); });
}

Operation make_silu(const Effort& effort) {
  return map_of(rows_of(kWidth, effort), [](const Variable& x) { return silu(x); });
}

// N rows in sequences of kSequence; the last one may be shorter.
Rows sequences_of(int64_t N) {
  std::vector<int64_t> lengths;
  for (int64_t left = N; left > 0; left -= lengths.back()) {
    lengths.push_back(std::min(left, kSequence));
  }
  return Rows::from_lengths(lengths);
}

Operation make_rotary(const Effort& effort) {
  const Tensor x = rows_of(kWidth, effort).split_heads(kHeads);  // [N, H, D]
  return {[x = Variable::parameter(x), rows = sequences_of(x.dim(0))] { return rotary(x, rows); },
          2 * bytes_of(x), 2 * bytes_of(x)};
}

Operation make_dropout(const Effort& effort) {
  const Tensor x = rows_of(kWidth, effort);
  return {[x = Variable::parameter(x), rows = sequences_of(x.dim(0))] {
            return dropout(x, rows, {.p = 0.1});
          },
          2 * bytes_of(x), 2 * bytes_of(x)};
}

Operation make_add(const Effort& effort) {
  const Tensor a = rows_of(kWidth, effort);
  const Tensor b = random_data(a.shape(), 2);
  return {[a = Variable::parameter(a), b = Variable::parameter(b)] { return add(a, b); },
          3 * bytes_of(a)};
}

Operation make_add_row(const Effort& effort) {
  const Tensor x = rows_of(kWidth, effort);
  return {[x = Variable::parameter(x), b = parameter_of(kWidth, 2)] { return add(x, b); },
          2 * bytes_of(x), bytes_of(x)};
}

Operation make_cross_entropy(const Effort& effort) {
  const Tensor x = rows_of(kVocabulary, effort);  // [N, V]
  return {[x = Variable::parameter(x), targets = random_ids(x.dim(0), kVocabulary, 2)] {
            return cross_entropy(x, targets);
          },
          bytes_of(x), 2 * bytes_of(x)};
}

Operation make_embedding(const Effort& effort) {
  const int64_t N = effort.data_bytes / 4 / kWidth;
  const Tensor table = random_data({kVocabulary, kWidth}, 1);
  const auto bytes = static_cast<double>(N * kWidth * 4);
  return {[table = Variable::parameter(table), ids = random_ids(N, kVocabulary, 2)] {
            return embedding(table, ids);
          },
          2 * bytes, bytes + bytes_of(table)};
}

enum class Passes : uint8_t { forward, both };

struct NamedOperation {
  const char* name;
  Operation (*make)(const Effort&);
  Passes passes = Passes::both;
};

constexpr NamedOperation kOperations[] = {
    {"layer_norm", make_layer_norm},
    {"rms_norm", make_rms_norm},
    {"softmax", make_softmax},
    {"gelu_tanh", make_gelu_tanh},
    {"gelu_exact", make_gelu_exact},
    {"silu", make_silu},
    {"dropout", make_dropout},
    {"rotary", make_rotary},
    {"add", make_add, Passes::forward},
    {"add_row", make_add_row},
    {"cross_entropy", make_cross_entropy},
    {"embedding", make_embedding},
};

Row run_forward(const Operation& operation, const Effort& effort) {
  const NoGrad no_grad;
  return bound_by_memory({.work = [&] { operation.apply(); }}, operation.forward_bytes, effort);
}

Row run_backward(const Operation& operation, const Effort& effort) {
  Variable loss;
  Tensor dy;
  const auto prepare = [&] {
    const Variable y = operation.apply();
    if (!dy.defined()) dy = random_data(y.shape(), 9);
    loss = loss_with_gradient(y, dy);
  };
  const Task task{.prepare = prepare, .work = [&] { backward(loss); }};
  return bound_by_memory(task, operation.backward_bytes, effort);
}

Row run_adamw(const Effort& effort) {
  const int64_t N = effort.data_bytes / 4 / kWidth;
  AdamW optimizer({{"p", Variable::parameter(random_data({N, kWidth}, 1))}});
  const std::vector<Tensor> gradients = {random_data({N, kWidth}, 2)};
  return bound_by_memory({.work = [&] { optimizer.step(gradients, {.rate = 1e-3}); }},
                         7 * bytes_of(gradients[0]), effort);
}

Row run_gradient_norm(const Effort& effort) {
  const std::vector<Tensor> gradients = {rows_of(kWidth, effort)};
  return bound_by_memory({.work = [&] { euclidean_norm(gradients); }}, bytes_of(gradients[0]),
                         effort);
}

}  // namespace

Suite ops_suite() {
  Suite suite;
  for (const NamedOperation& one : kOperations) {
    suite.push_back({fmt::format("{}-forward", one.name), [make = one.make](const Effort& effort) {
                       return run_forward(make(effort), effort);
                     }});
    if (one.passes == Passes::forward) continue;
    suite.push_back({fmt::format("{}-backward", one.name), [make = one.make](const Effort& effort) {
                       return run_backward(make(effort), effort);
                     }});
  }
  suite.push_back({"adamw", run_adamw});
  suite.push_back({"gradient_norm", run_gradient_norm});
  return suite;
}

}  // namespace heed::bench

// Attention, forward and forward with backward.
//
//   full-*, causal-*   one sequence of L tokens, H = 8, D = 64. Counted as 4 H L L D operations
//                      forward, 3.5 times that with backward, half of it with the causal mask
//   decode-*           one more token for each sequence of 1024, on a cache: reads its keys and
//                      values, which come from memory
//   uncached-decode-*  the same from tensors, which are packed anew each time
//   additive-*         the additive score with h = 64 hidden units
//   regression-*       Gaussian kernel regression in the plane
#include <fmt/format.h>

#include <array>
#include <deque>
#include <vector>

#include "bench/attention_flops.h"
#include "bench/attention_run.h"
#include "bench/decode_run.h"
#include "bench/random_data.h"
#include "bench/suite.h"
#include "heed/regression/kernel_regression.h"

namespace heed::bench {
namespace {

constexpr int64_t kLengths[] = {128, 512, 2048, 8192};

struct SelfAttention {
  int64_t length;
  bool causal;
  bool backward;
};

Task task_of(const AttentionRun& run, bool backward) {
  if (backward) return {.work = [&run] { run.forward_backward(); }};
  return {.work = [&run] { run.forward(); }};
}

Row run_self_attention(const SelfAttention& what, const Effort& effort) {
  const AttentionShape shape{.T = what.length, .S = what.length};
  AttentionOptions options;
  options.mask.is_causal = what.causal;
  const AttentionRun run(shape, options);
  Row row{.flops = attention_flops(shape, what.causal, what.backward),
          .length = what.length,
          .causal = what.causal,
          .backward = what.backward,
          .extra_bytes = run.extra_bytes(what.backward)};
  if (!what.causal) {
    row.timing = measure(task_of(run, what.backward), effort.timing);
    return row;
  }
  const AttentionRun full(shape);
  const std::array<Task, 2> tasks{task_of(run, what.backward), task_of(full, what.backward)};
  const std::vector<Timing> times = measure_alternating(tasks, effort.timing);
  row.timing = times[0];
  row.full = times[1];
  return row;
}

// One run goes through as many layers, each with keys and values of its own, as make up
// effort.data_bytes.
template <typename Layer>
Row run_layers(const AttentionShape& shape, const Effort& effort) {
  const int64_t bytes = 2 * shape.B * shape.S * shape.H * shape.D * 4;
  const int64_t count = (effort.data_bytes + bytes - 1) / bytes;
  std::deque<Layer> layers;
  for (int64_t i = 0; i < count; ++i) layers.emplace_back(shape);
  Task task{.work = [&] {
    for (Layer& layer : layers) layer.forward();
  }};
  if constexpr (requires(Layer layer) { layer.rewind(); }) {
    task.prepare = [&] {
      for (Layer& layer : layers) layer.rewind();
    };
  }
  return {.timing = measure(task, effort.timing),
          .flops = attention_flops(shape, false, false) * static_cast<double>(count),
          .bytes = static_cast<double>(bytes * count)};
}

Row run_attention_decode(int64_t sequences, bool cached, const Effort& effort) {
  const AttentionShape shape{.B = sequences, .T = 1, .S = 1024};
  return cached ? run_layers<DecodeRun>(shape, effort) : run_layers<AttentionRun>(shape, effort);
}

Row run_additive(bool backward, const Effort& effort) {
  const AttentionShape shape{.T = 512, .S = 512};
  const int64_t h = 64;
  const auto parameter = [](const Shape& of, uint64_t seed) {
    return Variable::parameter(random_data(of, seed));
  };
  AttentionOptions options;
  options.score =
      Additive{parameter({h, shape.D}, 5), parameter({h, shape.D}, 6), parameter({h}, 7)};
  const AttentionRun run(shape, options);
  return {.timing = measure(task_of(run, backward), effort.timing),
          .pairs = static_cast<double>(shape.H * shape.T * shape.S),
          .backward = backward,
          .extra_bytes = run.extra_bytes(backward)};
}

Row run_regression(int64_t keys, int64_t queries, const Effort& effort) {
  const Tensor x_query = random_data({queries, 2}, 1);
  const Tensor x_seen = random_data({keys, 2}, 2);
  const Tensor y_seen = random_data({keys, 1}, 3);
  const RegressionOptions options{.kernel = Gaussian{Tensor::full({1}, 0.1)}};
  const Timing timing =
      measure([&] { kernel_regression(x_query, x_seen, y_seen, options); }, effort.timing);
  return {.timing = timing, .pairs = static_cast<double>(keys) * static_cast<double>(queries)};
}

}  // namespace

Suite attention_suite() {
  Suite suite;
  for (const bool backward : {false, true}) {
    for (const int64_t L : kLengths) {
      for (const bool causal : {false, true}) {
        const SelfAttention what{L, causal, backward};
        suite.push_back(
            {fmt::format("{}-forward{}-{}", causal ? "causal" : "full", backward ? "-backward" : "",
                         L),
             [what](const Effort& effort) { return run_self_attention(what, effort); }});
      }
    }
  }
  for (const bool cached : {true, false}) {
    for (const int64_t B : {1, 16}) {
      suite.push_back(
          {fmt::format("{}decode-{}x1024", cached ? "" : "uncached-", B),
           [B, cached](const Effort& effort) { return run_attention_decode(B, cached, effort); }});
    }
  }
  for (const bool backward : {false, true}) {
    suite.push_back({fmt::format("additive-forward{}-512", backward ? "-backward" : ""),
                     [backward](const Effort& effort) { return run_additive(backward, effort); }});
  }
  suite.push_back({"regression-gaussian-100000x5000",
                   [](const Effort& effort) { return run_regression(100'000, 5'000, effort); }});
  return suite;
}

}  // namespace heed::bench

#include "bench/ceilings.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "bench/random_data.h"
#include "heed/base/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/bandwidth.cpp"
#include "heed/kernels/targets.h"

#include "hwy/foreach_target.h"
// After foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace heed::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The bits of x, folded, from kStreams places at once with kUnroll vectors side by side in each.
// Every piece must be a whole number of steps; what is left over is not read.
template <int kStreams, int kUnroll>
HWY_INLINE uint32_t read_bits(const uint32_t* x, int64_t n) {
  const hn::ScalableTag<uint32_t> d;
  using V = hn::Vec<decltype(d)>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t step = kUnroll * lanes;
  const int64_t length = n / kStreams / step * step;
  V folded[kStreams * kUnroll];
  HWY_UNROLL(16)
  for (V& v : folded) v = hn::Zero(d);
  for (int64_t i = 0; i < length; i += step) {
    HWY_UNROLL(4)
    for (int s = 0; s < kStreams; ++s) {
      HWY_UNROLL(16)
      for (int u = 0; u < kUnroll; ++u) {
        V& v = folded[s * kUnroll + u];
        v = hn::Xor(v, hn::LoadU(d, x + s * length + i + u * lanes));
      }
    }
  }
  V all = hn::Zero(d);
  for (const V& v : folded) all = hn::Xor(all, v);
  HWY_ALIGN uint32_t lane[hn::MaxLanes(d)];
  hn::Store(all, d, lane);
  uint32_t result = 0;
  for (int64_t i = 0; i < lanes; ++i) result ^= lane[i];
  return result;
}

uint32_t read_four_vectors(const uint32_t* x, int64_t n) { return read_bits<1, 4>(x, n); }
uint32_t read_sixteen_vectors(const uint32_t* x, int64_t n) { return read_bits<1, 16>(x, n); }
uint32_t read_four_streams(const uint32_t* x, int64_t n) { return read_bits<4, 4>(x, n); }

}  // namespace heed::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::bench {
namespace {

HWY_EXPORT(read_four_vectors);
HWY_EXPORT(read_sixteen_vectors);
HWY_EXPORT(read_four_streams);

using Read = uint32_t (*)(const uint32_t* x, int64_t n);

std::atomic<uint32_t> sink;  // somebody must want the result

// Memory to read, and ways to do it.
class Reading {
 public:
  explicit Reading(const Effort& effort)
      : data_(random_data({std::max(effort.data_bytes / 4, kPiece)}, 1)) {}

  std::vector<TimedRun> runs() const {
    std::vector<TimedRun> result;
    for (const Read read :
         {HWY_DYNAMIC_DISPATCH(read_four_vectors), HWY_DYNAMIC_DISPATCH(read_sixteen_vectors),
          HWY_DYNAMIC_DISPATCH(read_four_streams)}) {
      result.push_back(timed({.work = [this, read] { read_all(read); }}));
    }
    return result;
  }

  // 10^9 bytes per second.
  double best(std::span<const Timing> times) const {
    double ms = times[0].best_ms;
    for (const Timing& time : times) ms = std::min(ms, time.best_ms);
    return bytes() / ms / 1e6;
  }

 private:
  static constexpr int64_t kPiece = 1 << 20;  // numbers; a multiple of every step

  int64_t pieces() const { return data_.size() / kPiece; }
  double bytes() const { return static_cast<double>(pieces() * kPiece * 4); }

  void read_all(Read read) const {
    const auto* x = reinterpret_cast<const uint32_t*>(data_.data<float>());
    parallel_for(pieces(), bytes(), [&](int64_t piece) {
      sink.fetch_xor(read(x + piece * kPiece, kPiece), std::memory_order_relaxed);
    });
  }

  Tensor data_;
};

}  // namespace

double measure_bandwidth(const Effort& effort) {
  const Reading reading(effort);
  return reading.best(measure_alternating(reading.runs(), effort.timing));
}

BesideReading measure_beside_reading(std::vector<TimedRun> runs, const Effort& effort) {
  if (!effort.reads_beside) return {measure_alternating(runs, effort.timing)};
  const size_t count = runs.size();
  const Reading reading(effort);
  for (TimedRun& run : reading.runs()) runs.push_back(std::move(run));
  BesideReading result{measure_alternating(runs, effort.timing)};
  result.read_gbs = reading.best(std::span(result.times).subspan(count));
  result.times.resize(count);
  return result;
}

}  // namespace heed::bench
#endif

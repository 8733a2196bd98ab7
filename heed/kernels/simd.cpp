#include "heed/kernels/simd.h"

#include <cstdint>
#include <cstdlib>

#include "heed/base/fail.h"
#include "heed/kernels/targets.h"

#include "hwy/highway.h"
#include "hwy/targets.h"

namespace heed::kernels {
namespace {

// A name for HEED_MAX_ISA, and the best set that it allows; in Highway a smaller bit is a better
// one.
struct Limit {
  const char* name;
  int64_t best;
};

// Those of this architecture.
constexpr Limit kLimits[] = {
#if HWY_ARCH_X86
    {"sse4", HWY_SSE4},
    {"avx2", HWY_AVX2},
    {"avx512", HWY_AVX3},
#elif HWY_ARCH_ARM
    {"neon", HWY_NEON},
#else
    {"any", 1},  // limits nothing
#endif
};

int64_t best_allowed(const std::string& name) {
  std::string known;
  for (const Limit& limit : kLimits) {
    if (name == limit.name) return limit.best;
    known += (known.empty() ? "" : " or ") + std::string(limit.name);
  }
  fail("instruction set: expected {}, got '{}'", known, name);
}

}  // namespace

std::vector<std::string> isa_limits() {
  std::vector<std::string> names;
  for (const Limit& limit : kLimits) names.emplace_back(limit.name);
  return names;
}

std::string isa_name() {
  // The least set needs no more than SSE4.2; Highway wants AES too before it names it.
  const int64_t usable = (hwy::SupportedTargets() & HWY_TARGETS) | HWY_STATIC_TARGET;
  const int64_t best = usable & -usable;
  if (best == HWY_AVX3) return "AVX-512";
  return HWY_ARCH_ARM ? "NEON" : hwy::TargetName(best);  // some versions of Highway know several
}

void limit_isa(const std::string& name) {
  const int64_t best = name.empty() ? 1 : best_allowed(name);
  hwy::SetSupportedTargetsForTest(0);  // what the processor has
  if (best > 1) hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & ~(best - 1));
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void apply_isa_environment() {
  const char* name = std::getenv("HEED_MAX_ISA");
  if (name != nullptr) limit_isa(name);
}

bool start_isa() {
  static const bool done = [] {
    try {
      apply_isa_environment();
    } catch (const Error&) {  // nobody could catch it before main()
    }
    return true;
  }();
  return done;
}

}  // namespace heed::kernels

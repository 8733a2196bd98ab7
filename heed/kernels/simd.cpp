#include "heed/kernels/simd.h"

#include <cstdint>
#include <cstdlib>

#include "heed/base/fail_internal.h"
#include "heed/kernels/targets.h"

#include "hwy/highway.h"
#include "hwy/targets.h"

namespace heed::kernels {
namespace {

// The best set that `name` allows. In Highway a smaller bit is a better set.
int64_t best_allowed(const std::string& name) {
  if (name.empty() || name == "avx512") return HWY_AVX3;
  if (name == "avx2") return HWY_AVX2;
  if (name == "sse4") return HWY_SSE4;
  fail("instruction set: expected sse4, avx2 or avx512, got '{}'", name);
}

}  // namespace

std::string isa_name() {
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  const int64_t best = usable & -usable;
  return best == HWY_AVX3 ? "AVX-512" : hwy::TargetName(best);
}

void limit_isa(const std::string& name) {
  const int64_t best = best_allowed(name);
  hwy::SetSupportedTargetsForTest(0);  // what the processor has
  if (HWY_ARCH_X86 && !name.empty()) {
    hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & ~(best - 1));
  }
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

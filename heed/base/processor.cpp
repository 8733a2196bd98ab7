#include "heed/base/fail.h"
#include "heed/base/processor.h"

namespace heed {

ProcessorFeatures processor_features() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return {.ssse3 = __builtin_cpu_supports("ssse3") != 0,
          .sse41 = __builtin_cpu_supports("sse4.1") != 0,
          .sse42 = __builtin_cpu_supports("sse4.2") != 0};
#else
  return {};
#endif
}

std::string processor_fault(const ProcessorFeatures& features) {
  std::string missing;
  const auto require = [&](bool is_there, const char* name) {
    if (!is_there) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  require(features.ssse3, "SSSE3");
  require(features.sse41, "SSE4.1");
  require(features.sse42, "SSE4.2");
  if (missing.empty()) return {};
  return fmt::format(
      "this processor lacks {}, which heed needs; in a virtual machine, give it the processor of "
      "the host (qemu: -cpu host) or a newer model than the default",
      missing);
}

void require_processor() {
  static const std::string fault = processor_fault(processor_features());
  if (!fault.empty()) [[unlikely]]
    throw Error(fault);
}

}  // namespace heed

#include "bench/resident.h"

#include <malloc.h>

#include <fstream>
#include <string>

#include "heed/base/fail.h"

namespace heed::bench {

// The line "VmHWM:   12345 kB" of /proc/self/status.
int64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    int64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  fail("bench: /proc/self/status does not say VmHWM; this needs Linux");
}

void reset_peak_resident() {
#ifdef __GLIBC__
  ::malloc_trim(0);  // what was freed may still be resident
#endif
  std::ofstream("/proc/self/clear_refs") << "5";
}

}  // namespace heed::bench

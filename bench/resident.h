// The memory of this process as the operating system sees it: its resident size.
#pragma once

#include <cstdint>

namespace heed::bench {

// The highest resident size of this process so far, or since the last reset. An Error where the
// operating system does not say.
int64_t peak_resident_bytes();

// Begins a new peak, from what is resident now; where that cannot be done (it needs Linux 4.0), the
// old one goes on.
void reset_peak_resident();

}  // namespace heed::bench

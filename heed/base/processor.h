// Whether the processor can run the fast loops at all.
#pragma once

#include <string>

namespace heed {

// What the loops are compiled for at least, on x86-64; on other processors all are true.
struct ProcessorFeatures {
  bool ssse3 = true, sse41 = true, sse42 = true;
};

ProcessorFeatures processor_features();

// What is missing and what to do, or nothing if nothing is missing.
std::string processor_fault(const ProcessorFeatures& features);

// An Error instead of the signal SIGILL that the first fast loop would end in. Costs nothing.
void require_processor();

}  // namespace heed

// How many threads to use unless somebody says otherwise.
#pragma once

namespace heed {

inline constexpr int kMaxThreads = 1024;

// What HEED_THREADS asks for, else OMP_NUM_THREADS (of a list like "4,2" the first number), else
// `cores`; at most kMaxThreads. Each may be null. What is not a number from 1 on asks for nothing.
int default_threads(const char* heed_threads, const char* omp_num_threads, int cores);

// The cores that this process may run on.
int usable_cores();

}  // namespace heed

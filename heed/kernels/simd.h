// Instruction sets. Every fast loop is compiled for SSE4, AVX2 and AVX-512 (NEON on Arm) and chosen
// at run time, so that one binary runs everywhere.
//
// HEED_MAX_ISA=sse4|avx2|avx512 (neon on Arm) in the environment, or limit_isa(), caps the choice:
// tests use it to prove the same promises on older processors.
#pragma once

#include <string>
#include <vector>

#include "heed/base/export.h"

namespace heed::kernels {

HEED_API std::string isa_name();  // what is in use: "AVX-512", "AVX2", "SSE4", "NEON", ...

HEED_API std::vector<std::string> isa_limits();    // the names of this architecture, least first
HEED_API void limit_isa(const std::string& name);  // one of them; "" lifts the limit

// Applies HEED_MAX_ISA. Runs by itself before main(), where an unknown name is ignored; a program
// may call it again to have an Error about that name.
HEED_API void apply_isa_environment();

}  // namespace heed::kernels

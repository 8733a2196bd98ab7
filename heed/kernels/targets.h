// Which instruction sets the fast loops are compiled for. Every file with such loops includes this
// header before hwy/foreach_target.h; heed/kernels/accumulate.cpp is the pattern to copy.
//
// On x86-64: SSE4 as the baseline, AVX2 and AVX-512. Highway's other sets (scalar, SSSE3 and the
// newer AVX-512 groups) would only repeat the same loops and lengthen the build. A file that
// defines HEED_WITH_VNNI gets one more, AVX-512 with products of bytes, called AVX3_DL.
//
// On 64-bit Arm: NEON. The vectors of SVE have no size that the compiler knows, so they may not be
// members of structs or elements of arrays, as they are here.
#pragma once

#if defined(__x86_64__) && !defined(__AVX2__)
#define HWY_BASELINE_TARGETS HWY_SSE4
// AVX3_SPR, AVX3_ZEN4 and AVX3_DL as numbers, for some versions of Highway lack the names.
#ifdef HEED_FEW_TARGETS  // builds with sanitizers, which take long: without AVX-512
#define HWY_DISABLED_TARGETS ((1LL << 4) | (1LL << 6) | (1LL << 7) | (1LL << 8))
#elif defined(HEED_WITH_VNNI)
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS ((1LL << 4) | (1LL << 6))
#else
#define HWY_DISABLED_TARGETS ((1LL << 4) | (1LL << 6) | (1LL << 7))
#endif
#elif defined(__aarch64__)
// NEON with bfloat16 as a number, for some versions of Highway lack the name.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | (1LL << 26))
#endif

namespace heed::kernels {

bool start_isa();  // applies HEED_MAX_ISA; see simd.h

// Every file with fast loops pulls in simd.cpp through this line, also from a static library, and
// the environment is obeyed before main() begins.
inline const bool isa_started = start_isa();

}  // namespace heed::kernels

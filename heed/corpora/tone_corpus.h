// Recordings of tones, and their names as text: speech recognition in small.
//
//   a row of tones between silences, of different lengths     ->  "sol do do mi"
//
// Two to five of seven tones, 523 to 988 Hz, each for 3 to 6 frames of 16 ms, loud or soft, with 1
// to 3 frames of silence between, up to 6 before and up to 4 after, and noise over all. So nothing
// but the sound says which frames belong to which word. A frame is the logarithm of the energy at
// 16 frequencies from 480 to 1080 Hz, centred and scaled to about -1 to 1.
//
// No text of `test` is in `train`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"
#include "heed/corpora/corpus_part.h"
#include "heed/tensor/tensor.h"

namespace heed {

inline constexpr int64_t kToneBands = 16;

struct ToneRecording {
  Tensor frames;               // [T, 16], float32
  std::string text;            // "sol do do mi"
  std::vector<int64_t> tones;  // which tone sounds in each frame, counted from 1; 0: none
};

// A function of (part, seed, index).
HEED_API ToneRecording record_tones(CorpusPart part, uint64_t seed, int64_t index);

}  // namespace heed

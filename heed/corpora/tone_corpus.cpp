#include "heed/corpora/tone_corpus.h"

#include <array>
#include <cmath>
#include <iterator>

#include "heed/base/draw.h"
#include "heed/corpora/corpus_part_internal.h"

namespace heed {
namespace {

constexpr uint64_t kToneSite = 0x746f6e65;  // "tone"
constexpr const char* kToneNames[] = {"do", "re", "mi", "fa", "sol", "la", "si"};
constexpr double kPitches[] = {523.25, 587.33, 659.26, 698.46, 783.99, 880, 987.77};
constexpr int64_t kFrameSamples = 128;               // samples
constexpr double kSampleRate = 8000, kNoise = 0.05;  // of its deviation
constexpr double kLowest = 480, kSpacing = 40;       // of the bands, in Hz
constexpr double kMiddle = -9, kSpread = 3;          // of the logarithms of energies
constexpr double kTurn = 6.283185307179586;          // 2 pi

using Samples = std::array<double, kFrameSamples>;

// cos and sin of every band at every sample.
struct Waves {
  std::array<Samples, kToneBands> cosine, sine;
  Waves() {
    for (int64_t band = 0; band < kToneBands; ++band) {
      const auto b = static_cast<size_t>(band);
      const double step = kTurn * (kLowest + kSpacing * static_cast<double>(band)) / kSampleRate;
      for (size_t i = 0; i < kFrameSamples; ++i) {
        cosine[b][i] = std::cos(step * static_cast<double>(i));
        sine[b][i] = std::sin(step * static_cast<double>(i));
      }
    }
  }
};

// The logarithms of the energies of a frame.
void analyze_frame(const Samples& samples, float* bands) {
  static const Waves waves;
  for (size_t b = 0; b < kToneBands; ++b) {
    double real = 0, imaginary = 0;
    for (size_t i = 0; i < kFrameSamples; ++i) {
      real += samples[i] * waves.cosine[b][i];
      imaginary += samples[i] * waves.sine[b][i];
    }
    const double energy = (real * real + imaginary * imaginary) / (kFrameSamples * kFrameSamples);
    bands[b] = static_cast<float>((std::log(energy + 1e-6) - kMiddle) / kSpread);
  }
}

struct SoundedTone {
  size_t pitch;
  int64_t silence, frames;  // before it, and of it
  double loudness, phase;
};

double uniform_draw(Draw& draw) { return static_cast<double>(draw.below(1 << 24)) * 0x1p-24; }

std::vector<SoundedTone> draw_tones(Draw& draw) {
  std::vector<SoundedTone> tones(2 + draw.below(4));
  for (SoundedTone& tone : tones) {
    tone.pitch = draw.below(std::size(kPitches));
    tone.silence = static_cast<int64_t>(1 + draw.below(3));
    tone.frames = static_cast<int64_t>(3 + draw.below(4));
    tone.loudness = 0.3 + 0.7 * uniform_draw(draw);
    tone.phase = kTurn * uniform_draw(draw);
  }
  tones.front().silence = static_cast<int64_t>(draw.below(7));
  return tones;
}

std::string tones_text(const std::vector<SoundedTone>& tones) {
  std::string text;
  for (const SoundedTone& tone : tones)
    text += (text.empty() ? "" : " ") + std::string(kToneNames[tone.pitch]);
  return text;
}

// Noise between -1 and 1 times sqrt(3), which has deviation 1.
double noise_draw(Draw& draw) { return kNoise * 1.7320508 * (2 * uniform_draw(draw) - 1); }

}  // namespace

ToneRecording record_tones(CorpusPart part, uint64_t seed, int64_t index) {
  Draw draw{kToneSite, static_cast<uint64_t>(part), seed, static_cast<uint64_t>(index)};
  std::vector<SoundedTone> tones = draw_tones(draw);
  while (part_of(hash_text(tones_text(tones))) != part) tones = draw_tones(draw);
  ToneRecording recording{{}, tones_text(tones), {}};
  for (size_t t = 0; t < tones.size(); ++t) {
    recording.tones.insert(recording.tones.end(), static_cast<size_t>(tones[t].silence), 0);
    recording.tones.insert(recording.tones.end(), static_cast<size_t>(tones[t].frames),
                           static_cast<int64_t>(t) + 1);
  }
  recording.tones.insert(recording.tones.end(), draw.below(5), 0);
  const auto count = static_cast<int64_t>(recording.tones.size());
  recording.frames = Tensor::empty({count, kToneBands}, DType::f32);
  for (int64_t f = 0; f < count; ++f) {
    Samples samples{};
    const int64_t which = recording.tones[f];
    for (int64_t i = 0; i < kFrameSamples; ++i) {
      double& sample = samples[i];
      sample = noise_draw(draw);
      if (which == 0) continue;
      const SoundedTone& tone = tones[which - 1];
      const double time = static_cast<double>(f * kFrameSamples + i) / kSampleRate;
      sample += tone.loudness * std::sin(kTurn * kPitches[tone.pitch] * time + tone.phase);
    }
    analyze_frame(samples, recording.frames.data<float>() + f * kToneBands);
  }
  return recording;
}

}  // namespace heed

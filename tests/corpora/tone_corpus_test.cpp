#include "heed/corpora/tone_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace heed::tone_corpus_test {
namespace {

TEST(ToneCorpus, IsAFunctionOfPartSeedAndIndex) {
  const ToneRecording a = record_tones(CorpusPart::train, 5, 17);
  const ToneRecording b = record_tones(CorpusPart::train, 5, 17);
  EXPECT_EQ(a.text, b.text);
  ASSERT_EQ(a.frames.size(), b.frames.size());
  EXPECT_TRUE(std::equal(a.frames.data<float>(), a.frames.data<float>() + a.frames.size(),
                         b.frames.data<float>()));
}

// The loudest band of a frame is near the pitch of its tone, and silence is quieter.
TEST(ToneCorpus, FramesSoundLikeTheirTones) {
  const std::vector<std::string> names = {"do", "re", "mi", "fa", "sol", "la", "si"};
  const double pitches[] = {523.25, 587.33, 659.26, 698.46, 783.99, 880, 987.77};
  int64_t near = 0, sounding = 0;
  for (int64_t i = 0; i < 200; ++i) {
    const ToneRecording recording = record_tones(CorpusPart::train, 1, i);
    std::istringstream text(recording.text);
    std::vector<std::string> words;
    for (std::string word; text >> word;) words.push_back(word);
    ASSERT_GE(words.size(), 2u);
    ASSERT_LE(words.size(), 5u);
    ASSERT_EQ(static_cast<int64_t>(recording.tones.size()), recording.frames.dim(0));
    EXPECT_EQ(*std::max_element(recording.tones.begin(), recording.tones.end()),
              static_cast<int64_t>(words.size()));
    for (size_t f = 0; f < recording.tones.size(); ++f) {
      if (recording.tones[f] == 0) continue;
      const std::string& word = words[recording.tones[f] - 1];
      const auto pitch = std::find(names.begin(), names.end(), word) - names.begin();
      const float* bands = recording.frames.data<float>() + static_cast<int64_t>(f) * kToneBands;
      const auto band = std::max_element(bands, bands + kToneBands) - bands;
      ++sounding;
      near += std::abs(480 + 40.0 * static_cast<double>(band) - pitches[pitch]) <= 40 ? 1 : 0;
    }
  }
  EXPECT_GT(near, sounding * 98 / 100);
}

TEST(ToneCorpus, NoTextOfTestIsTrained) {
  std::set<std::string> train;
  for (int64_t i = 0; i < 1000; ++i) train.insert(record_tones(CorpusPart::train, 1, i).text);
  for (int64_t i = 0; i < 100; ++i) {
    EXPECT_FALSE(train.contains(record_tones(CorpusPart::test, 1, i).text));
  }
}

}  // namespace
}  // namespace heed::tone_corpus_test

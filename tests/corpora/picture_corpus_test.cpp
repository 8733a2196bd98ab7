#include "heed/corpora/picture_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heed/base/error.h"

namespace heed::picture_corpus_test {
namespace {

TEST(PictureCorpus, IsAFunctionOfItsNumbers) {
  const Picture a = draw_picture(CorpusPart::train, 3, 5),
                b = draw_picture(CorpusPart::train, 3, 5);
  EXPECT_EQ(a.sentence, b.sentence);
  EXPECT_EQ(a.shapes, b.shapes);
  for (int64_t i = 0; i < a.pixels.size(); ++i) {
    ASSERT_EQ(a.pixels.data<float>()[i], b.pixels.data<float>()[i]);
  }
  EXPECT_NE(draw_picture(CorpusPart::train, 4, 5).shapes, a.shapes);
}

TEST(PictureCorpus, SentencesOfTestAreNeverTrained) {
  std::set<std::string> train, test;
  for (int64_t i = 0; i < 3000; ++i) {
    train.insert(draw_picture(CorpusPart::train, 1, i).sentence);
    test.insert(draw_picture(CorpusPart::test, 2, i).sentence);
    test.insert(draw_picture(CorpusPart::valid, 2, i).sentence);
  }
  EXPECT_EQ(train.size() + test.size(), 264u);
  EXPECT_GT(test.size(), 15u);
  for (const std::string& sentence : test) EXPECT_FALSE(train.contains(sentence)) << sentence;
}

// The first shape is left of the second, or above it; both are there, and apart.
TEST(PictureCorpus, SentencesAreTrue) {
  for (int64_t i = 0; i < 200; ++i) {
    const Picture picture = draw_picture(CorpusPart::train, 7, i);
    int64_t last = -1, first = kPictureSize, counts[3] = {};
    const bool is_row = picture.sentence.find("left of") != std::string::npos;
    for (int64_t y = 0; y < kPictureSize; ++y) {
      for (int64_t x = 0; x < kPictureSize; ++x) {
        const int shape = picture.shapes[y * kPictureSize + x];
        const int64_t at = is_row ? x : y;
        ++counts[shape];
        if (shape == 1) last = std::max(last, at);
        if (shape == 2) first = std::min(first, at);
      }
    }
    EXPECT_GT(counts[1], 30);
    EXPECT_GT(counts[2], 30);
    EXPECT_LT(last, first) << picture.sentence;
  }
}

TEST(PictureCorpus, PatchesHoldEveryPixel) {
  const Picture picture = draw_picture(CorpusPart::train, 1, 0);
  const Tensor patches = picture_patches(picture.pixels, 4);
  EXPECT_EQ(patches.shape(), Shape({64, 48}));
  // Pixel (y, x) = (9, 6) is in row 1, column 2 of patch 2 * 8 + 1.
  const float pixel = picture.pixels.data<float>()[(9 * 32 + 6) * 3 + 1];
  EXPECT_EQ(patches.data<float>()[17 * 48 + (1 * 4 + 2) * 3 + 1], 2 * pixel - 1);
  EXPECT_THROW(picture_patches(picture.pixels, 5), Error);
}

}  // namespace
}  // namespace heed::picture_corpus_test

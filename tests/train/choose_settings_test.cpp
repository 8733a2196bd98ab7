#include "heed/train/choose_settings.h"

#include <gtest/gtest.h>

namespace heed::choose_settings_test {
namespace {

int64_t chosen_size(const std::string& tokenizer, int64_t given, int64_t bytes) {
  TrainSettings settings;
  settings.task = Task::lm;
  settings.tokenizer = tokenizer;
  settings.vocab_size = given;
  choose_text_settings(settings, bytes);
  return settings.vocab_size;
}

TEST(ChooseTextSettings, SizeOfTheVocabulary) {
  for (const char* tokenizer : {"", "bpe", "word", "spm"}) {
    EXPECT_EQ(chosen_size(tokenizer, 0, 1'000), 500) << tokenizer;
    EXPECT_EQ(chosen_size(tokenizer, 0, 400'000), 2000) << tokenizer;
    EXPECT_EQ(chosen_size(tokenizer, 0, 1'000'000'000), 4000) << tokenizer;
    EXPECT_EQ(chosen_size(tokenizer, 300, 1'000), 300) << tokenizer;
  }
  // No character is left out because the text is small.
  EXPECT_EQ(chosen_size("char", 0, 1'000), 65'536);
  EXPECT_EQ(chosen_size("char", 0, 1'000'000'000), 65'536);
  EXPECT_EQ(chosen_size("char", 300, 1'000), 300);
}

}  // namespace
}  // namespace heed::choose_settings_test

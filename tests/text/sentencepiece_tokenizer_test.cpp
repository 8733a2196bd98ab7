#include "heed/text/sentencepiece_tokenizer_internal.h"

#include "tests/text/samples.h"

namespace heed {
namespace {

class Pieces : public testing::TestWithParam<TokenizerKind> {
 protected:
  std::shared_ptr<const Tokenizer> tokenizer_ = trained(GetParam(), 380);
};
INSTANTIATE_TEST_SUITE_P(SentencePieceTokenizer, Pieces,
                         testing::Values(TokenizerKind::unigram, TokenizerKind::sentencepiece_bpe),
                         [](const auto& kind) {
                           return kind.param == TokenizerKind::unigram ? "unigram" : "bpe";
                         });

TEST_P(Pieces, TextComesBack) {
  for (const std::string& text :
       {kSampleText, std::string("a"), std::string(" a  b "), std::string("new\nlines\n\n"),
        std::string("\U0001f680 unseen ж"), std::string("nul\0byte", 8),
        std::string("<s> </s> <unk> <sep>")}) {
    EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text)), text);
  }
  EXPECT_EQ(tokenizer_->decode(tokenizer_->encode("\xff!")), "\ufffd!");
}

TEST_P(Pieces, SpecialPieces) {
  const SpecialIds& ids = tokenizer_->specials();
  EXPECT_EQ(ids.unknown, 0);
  EXPECT_EQ(ids.bos, 1);
  EXPECT_EQ(ids.eos, 2);
  EXPECT_EQ(ids.separator, 3);
  EXPECT_EQ(ids.cls, 4);
  EXPECT_EQ(tokenizer_->decode(std::vector<int32_t>{1, 2, 3, 4}), "");
}

TEST_P(Pieces, NothingIsPrinted) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  trained(GetParam(), 380);
  error_in([&] { trained(GetParam(), 300); });
  error_in([&] { parse_tokenizer("garbage", "spm.model"); });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST_P(Pieces, TooSmallAVocabulary) {
  const std::string message = error_in([&] { trained(GetParam(), 270); });
  EXPECT_NE(message.find("of 270: the bytes, characters and special pieces alone are 3"),
            std::string::npos)
      << message;
}

TEST_P(Pieces, LongLinesAreNotLost) {
  std::string text;
  while (text.size() < 20'000) text += "uncommonword and others ";
  const auto pieces = trained(GetParam(), 300, text);
  EXPECT_LT(pieces->encode("uncommonword").size(), 8u);
}

// Damaged files are refused or work; they never crash.
TEST_P(Pieces, DamagedFiles) {
  const std::string good = tokenizer_->file_contents();
  for (size_t size = 0; size < good.size(); size += 7) {
    error_in([&] { parse_tokenizer(good.substr(0, size), "spm.model")->encode("cat"); });
  }
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::string bad = good;
    for (int n = 0; n < 3; ++n) bad[random() % bad.size()] = static_cast<char>(random());
    error_in([&] {
      const auto tokenizer = parse_tokenizer(bad, "spm.model");
      (void)tokenizer->decode(tokenizer->encode(kSampleText));
    });
  }
}

// The rules are a trie that SentencePiece follows without looking.
TEST(SentencePieceModel, NormalizationRulesThatLeadAstray) {
  const auto message = [](const std::string& bytes, char number) {
    return std::string{static_cast<char>(number * 8 + 2),
                       static_cast<char>((bytes.size() & 127) | 128),
                       static_cast<char>(bytes.size() >> 7)} +
           bytes;
  };
  const std::string pieces =
      message(message("<unk>", 1) + std::string("\x18\x02", 2), 1) + message(message("a", 1), 1);
  const auto with_rules = [&](const std::vector<uint32_t>& units, const std::string& strings) {
    std::string table(4, '\0');
    for (const uint32_t unit : units) {
      for (int i = 0; i < 4; ++i) table += static_cast<char>(unit >> (8 * i));
    }
    const auto size = static_cast<uint32_t>(4 * units.size());
    for (size_t i = 0; i < 4; ++i) table[i] = static_cast<char>(size >> (8 * i));
    return pieces + message(message(table + strings, 2), 3);
  };
  const auto problem = [&](const std::string& model) {
    return error_in([&] { parse_tokenizer(model, "spm.model")->encode("a"); });
  };
  std::vector<uint32_t> units(256, 0x80000000u);  // the root and nothing else
  units[0] = 0;
  EXPECT_EQ(problem(with_rules(units, std::string(1, '\0'))), "no error");
  EXPECT_NE(problem(with_rules(units, "x")).find("damaged"), std::string::npos);
  units['a'] = 'a' | (9u << 20);  // a link far behind the end
  EXPECT_NE(problem(with_rules(units, std::string(1, '\0'))).find("out of their table"),
            std::string::npos);
  units['a'] = 'a' | 0x100;  // a value that is no place in the strings
  EXPECT_NE(problem(with_rules(units, std::string(1, '\0'))), "no error");
  EXPECT_NE(problem(pieces + message(message(std::string("\xff\xff\xff\xff", 4), 2), 3)),
            "no error");
}

}  // namespace
}  // namespace heed

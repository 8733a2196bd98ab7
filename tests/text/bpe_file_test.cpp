#include <fmt/format.h>

#include "tests/text/samples.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

// A tokenizer.json with a few tokens; `rest` comes before the model.
std::string file(const std::string& rest, const std::string& vocab, const std::string& merges,
                 const std::string& model = "") {
  return fmt::format(R"({{{} "model": {{"type": "BPE", {} "vocab": {{{}}}, "merges": [{}]}}}})",
                     rest, model, vocab, merges);
}

const std::string kByteLevel =
    R"("pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},)";
const std::string kVocab = R"("a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4, "1": 5)";
const std::string kMerges = R"("a b", "Ġ a")";

std::shared_ptr<const Tokenizer> parsed(const std::string& text) {
  return parse_tokenizer(text, "t.json");
}

TEST(BpeFile, ReadsWhatOthersWrite) {
  const auto plain = parsed(file(kByteLevel, kVocab, kMerges));
  EXPECT_EQ(plain->encode("ab ab"), (Ids{2, 3, 2}));
  EXPECT_EQ(plain->encode(" a"), Ids{4});
  EXPECT_EQ(plain->decode(Ids{2, 3, 2, 4}), "ab ab a");
  const auto pairs = parsed(file(kByteLevel, kVocab, R"(["a", "b"], ["Ġ", "a"])"));
  EXPECT_EQ(pairs->encode("ab ab"), (Ids{2, 3, 2}));
  const auto whole = parsed(file(kByteLevel, kVocab, R"("Ġ a")", R"("ignore_merges": true,)"));
  EXPECT_EQ(whole->encode("ab"), Ids{2});
  EXPECT_EQ(parsed(file(kByteLevel, kVocab, R"("Ġ a")"))->encode("ab"), (Ids{0, 1}));
}

TEST(BpeFile, PreTokenizers) {
  const auto with = [](const std::string& step) {
    return parsed(file(R"("pre_tokenizer": )" + step + ",", kVocab, kMerges));
  };
  const auto prefixed = with(R"({"type": "ByteLevel"})");
  EXPECT_EQ(prefixed->encode("ab"), (Ids{3, 2}));
  EXPECT_EQ(prefixed->encode(" ab"), (Ids{3, 2}));
  const std::string bytes =
      R"({"type": "ByteLevel", "add_prefix_space": false, "use_regex": false})";
  const auto sequence = [&](const std::string& first) {
    return with(R"({"type": "Sequence", "pretokenizers": [)" + first + ", " + bytes + "]}");
  };
  const auto cut = sequence(
      R"({"type": "Split", "pattern": {"Regex": "a(?!b)|1"}, "behavior": "Isolated", "invert": false})");
  EXPECT_EQ(cut->encode("ab a1ab"), (Ids{2, 3, 0, 5, 2}));
  const auto literal = sequence(
      R"({"type": "Split", "pattern": {"String": " "}, "behavior": "Isolated", "invert": false})");
  EXPECT_EQ(literal->encode("a ab"), (Ids{0, 3, 2}));
  const auto dropped = sequence(
      R"({"type": "Split", "pattern": {"Regex": "\\p{L}+"}, "behavior": "Removed", "invert": true})");
  EXPECT_EQ(dropped->encode("ab 1 a"), (Ids{2, 0}));
  const auto digits = sequence(R"({"type": "Digits", "individual_digits": true})");
  EXPECT_EQ(digits->encode("a11"), (Ids{0, 5, 5}));
  for (const auto& tokenizer : {prefixed, cut, literal, dropped, digits}) {
    const auto again = parsed(tokenizer->file_contents());
    EXPECT_EQ(again->encode("ab 1 a1ab"), tokenizer->encode("ab 1 a1ab"));
    EXPECT_EQ(again->file_contents(), tokenizer->file_contents());
  }
}

TEST(BpeFile, AddedTokens) {
  const auto token = [](const char* text, int id, const char* more) {
    return fmt::format(R"({{"content": "{}", "id": {}{}}})", text, id, more);
  };
  const auto tokenizer =
      parsed(file(kByteLevel + "\"added_tokens\": [" + token("<s>", 6, "") + "," +
                      token("<s>b", 7, R"(, "lstrip": true)") + "," +
                      token("[SEP]", 8, R"(, "rstrip": true)") + "," + token("ab", 2, "") + "],",
                  kVocab, kMerges));
  EXPECT_EQ(tokenizer->size(), 9);
  EXPECT_EQ(tokenizer->encode("a<s>a"), (Ids{0, 6, 0}));
  EXPECT_EQ(tokenizer->encode("a  <s>ba"), (Ids{0, 7, 0}));  // the longest, with the spaces
  EXPECT_EQ(tokenizer->encode("a[SEP] \n\u2003b"), (Ids{0, 8, 1}));
  EXPECT_EQ(tokenizer->decode(Ids{0, 6, 0}), "a<s>a");
  EXPECT_EQ(tokenizer->specials().bos, 6);
  EXPECT_EQ(tokenizer->specials().separator, 8);
  EXPECT_FALSE(tokenizer->specials().eos.has_value());
}

TEST(BpeFile, MissingBytes) {
  const auto none = parsed(file(kByteLevel, kVocab, kMerges));
  EXPECT_NE(error_in([&] { none->encode("axb"); }).find("byte 0x78 is not in the vocabulary"),
            std::string::npos);
  const auto unknown = parsed(file(kByteLevel, kVocab, kMerges, R"("unk_token": "1",)"));
  EXPECT_EQ(unknown->encode("axb"), (Ids{0, 5, 1}));
}

TEST(BpeFile, Gpt2Files) {
  const std::string vocab = "{" + kVocab + R"(, "<|endoftext|>": 6})";
  const auto tokenizer = parse_bpe(vocab, "#version: 0.2\na b\r\n\xc4\xa0 a\n", "vocab.json");
  EXPECT_EQ(tokenizer->encode("ab ab<|endoftext|>"), (Ids{2, 3, 2, 6}));
  EXPECT_NE(error_in([&] { parse_bpe(vocab, "a b c\n", "v"); }).find("merge 0"), std::string::npos);
  EXPECT_NE(error_in([&] { parse_bpe(vocab, "a\n", "v"); }).find("merge 0"), std::string::npos);
  EXPECT_NE(error_in([&] { parse_bpe(vocab, "b a\n", "v"); }).find("not in the vocabulary"),
            std::string::npos);
  EXPECT_NE(error_in([&] { parse_bpe("[1]", "", "v"); }), "no error");
}

TEST(BpeFile, RefusesWhatIsWrong) {
  const auto bad = [](const std::string& text) { return error_in([&] { parsed(text); }); };
  const auto says = [&](const std::string& text, const std::string& what) {
    EXPECT_NE(bad(text).find(what), std::string::npos) << bad(text);
    EXPECT_EQ(bad(text).find('\n'), std::string::npos) << bad(text);
  };
  says("", "empty");
  says("{", "not valid JSON");
  says("{}", "not a tokenizer");
  says("{\"model\": \xff}", "not valid JSON");
  says(R"({"model": 1})", "expected an object");
  says(R"({"model": {"type": "Unigram"}})", "byte-level BPE");
  says(R"({"model": 1e999999})", "not valid JSON");
  says(std::string(1'000'000, '[') + "}", "SentencePiece");
  says("{\"model\": " + std::string(1'000'000, '['), "nested deeper than 64 levels");
  const auto model = [](const std::string& vocab, const std::string& merges) {
    return file(kByteLevel, vocab, merges);
  };
  says(model("", ""), "vocabulary must be an object");
  says(model(R"("a": 0, "b": 0)", ""), "both have id 0");
  says(model(R"("a": 0, "b": 2)", ""), "ids must be 0 to 1");
  says(model(R"("a": 0, "b": -1)", ""), "whole number");
  says(model(R"("a": 0, "b": 4294967296)", ""), "whole number");
  says(model(R"("a": 0, "b": 99999999999999999999999)", ""), "whole number");
  says(model(R"("a": 0, "b": 1.5)", ""), "whole number");
  says(model(R"("a": 0, "b": "1")", ""), "whole number");
  says(model(R"("a": 0, "": 1)", ""), "empty");
  says(model(kVocab, R"("a c")"), "\"c\" is not in the vocabulary");
  says(model(kVocab, R"("b a")"), "\"ba\" is not in the vocabulary");
  says(model(kVocab, R"("ab ")"), "not two tokens");
  says(model(kVocab, R"("a  b")"), "not two tokens");
  says(model(kVocab, R"(["a"])"), "not two tokens");
  says(model(kVocab, R"([1, 2])"), "expected a string");
  says(model(kVocab, "7"), "not two tokens");
  says(file("", kVocab, kMerges), "pre_tokenizer");
  says(file(R"("pre_tokenizer": {"type": "Whitespace"},)", kVocab, kMerges), "Whitespace");
  says(file(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": []},)", kVocab, kMerges),
       "no ByteLevel");
  says(file(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Split",
            "pattern": {"Regex": "(("}, "behavior": "Isolated"}, {"type": "ByteLevel"}]},)",
            kVocab, kMerges),
       "split pattern is wrong");
  says(file(kByteLevel + R"("normalizer": {"type": "NFC"},)", kVocab, kMerges), "normalizer");
  says(file(kByteLevel, kVocab, kMerges, R"("end_of_word_suffix": "</w>",)"), "end_of_word_suffix");
  const auto added = [](const std::string& list) {
    return file(kByteLevel + "\"added_tokens\": [" + list + "],", kVocab, kMerges);
  };
  says(added(R"({"content": "x", "id": 99})"), "ids must be 0 to 6");
  says(added(R"({"content": "x", "id": 2147483648})"), "not possible");
  says(added(R"({"content": "x", "id": 3})"), "both have id 3");
  says(added(R"({"content": "a", "id": 3})"), "where it is added");
  says(added(R"({"content": "x", "id": 6}, {"content": "x", "id": 7})"), "are the same");
  says(added(R"({"content": "", "id": 6})"), "empty");
  says(added("1"), "expected an object");
}

TEST(BpeFile, APatternThatExplodes) {
  const auto slow = parsed(file(R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type":
      "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated"}, {"type": "ByteLevel",
      "use_regex": false, "add_prefix_space": false}]},)",
                                kVocab, kMerges));
  EXPECT_NE(error_in([&] { slow->encode(std::string(100, 'a') + "b"); }).find("splitting"),
            std::string::npos);
}

}  // namespace
}  // namespace heed

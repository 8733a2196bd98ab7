#include <sentencepiece_trainer.h>

#include <algorithm>
#include <unordered_map>

#include "heed/base/fail.h"
#include "heed/text/sentencepiece_tokenizer_internal.h"
#include "heed/text/utf8.h"

namespace heed {
namespace {

// SentencePiece keeps all sentences in memory, seven times over; of more text than this, every n-th
// line is taken.
constexpr size_t kMaxBytes = 64 << 20;
// Longer lines are cut at a space, because SentencePiece would leave them out.
constexpr size_t kLongestLine = 4000;

// A line of text without its end, cut where it is too long.
std::string_view next_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  if (line.size() > kLongestLine) {
    size_t cut = line.rfind(' ', kLongestLine);
    if (cut == std::string_view::npos || cut == 0) {
      cut = kLongestLine;
      while (cut > kLongestLine - 4 && (static_cast<unsigned char>(line[cut]) & 0xc0) == 0x80)
        --cut;
    }
    text.remove_prefix(cut);
    return line.substr(0, cut);
  }
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

class Lines : public sentencepiece::SentenceIterator {
 public:
  explicit Lines(std::span<const std::string_view> texts) : texts_(texts) {
    size_t bytes = 0;
    for (const std::string_view text : texts) bytes += text.size();
    stride_ = std::max<size_t>(1, (bytes + kMaxBytes - 1) / kMaxBytes);
    Next();
  }

  bool done() const override { return done_; }
  const std::string& value() const override { return line_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    while (true) {
      while (rest_.empty() && next_text_ < texts_.size()) rest_ = texts_[next_text_++];
      if (rest_.empty()) break;
      const std::string_view line = next_line(rest_);
      const bool usable = !line.empty() && line.find('\0') == std::string_view::npos &&
                          valid_utf8_bytes(line) == line.size();
      if (!usable || number_++ % stride_ != 0) continue;
      line_ = line;
      return;
    }
    done_ = true;
  }

 private:
  std::span<const std::string_view> texts_;
  size_t next_text_ = 0;
  std::string_view rest_;
  size_t stride_ = 1;
  size_t number_ = 0;
  std::string line_;
  bool done_ = false;
};

// SentencePiece's messages begin with the place in its source, "a.cc(580) [x <= y] text", and the
// usual one advises options of its own program: "Vocabulary size is smaller than required_chars.
// 300 vs 325. Increase ...".
std::string translated(const std::string& message) {
  const size_t needed = message.find(" vs ");
  if (message.find("required_chars") != std::string::npos && needed != std::string::npos) {
    const size_t end = message.find('.', needed);
    return fmt::format("the bytes, characters and special pieces alone are {}; ask for more tokens",
                       message.substr(needed + 4, end - needed - 4));
  }
  const size_t end = message.rfind("] ");
  return end == std::string::npos ? message : message.substr(end + 2);
}

}  // namespace

void silence_sentencepiece() {
  // The only way to the log level is through the arguments of a training; this one has no input.
  static const bool once = [] {
    const std::unordered_map<std::string, std::string> level{{"minloglevel", "3"}};
    sentencepiece::SentencePieceTrainer::Train(level).IgnoreError();
    return true;
  }();
  (void)once;
}

std::shared_ptr<const Tokenizer> train_sentencepiece(std::span<const std::string_view> texts,
                                                     TokenizerKind kind, int64_t size) {
  Lines lines(texts);
  check(!lines.done(), "tokenizer: there is no text to train on (no line of UTF-8)");
  const bool is_unigram = kind == TokenizerKind::unigram;
  const std::unordered_map<std::string, std::string> arguments{
      {"minloglevel", "3"},
      {"model_type", is_unigram ? "unigram" : "bpe"},
      {"vocab_size", std::to_string(size)},
      {"hard_vocab_limit", "false"},  // fewer pieces, if the text has no more
      {"character_coverage", "0.9995"},
      {"byte_fallback", "true"},
      {"normalization_rule_name", "identity"},
      {"remove_extra_whitespaces", "false"},
      {"control_symbols", "<sep>,<cls>"},
      {"max_sentence_length", std::to_string(2 * kLongestLine)},
      // Sums of probabilities depend on the number of threads, and so would the model.
      {"num_threads", "1"},
  };
  silence_sentencepiece();
  std::string contents;
  std::string problem;
  try {
    const auto status = sentencepiece::SentencePieceTrainer::Train(arguments, &lines, &contents);
    if (!status.ok()) problem = translated(status.message());
  } catch (const std::exception& error) {
    problem = error.what();
  }
  check(problem.empty() && !contents.empty(),
        "tokenizer: SentencePiece cannot train a vocabulary of {}: {}", size, problem);
  return load_sentencepiece(std::move(contents), "SentencePiece");
}

}  // namespace heed

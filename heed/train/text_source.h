// What the tasks share in reading text: samples to learn a vocabulary from, encoding, cutting.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/line_reader.h"
#include "heed/data/read_options.h"
#include "heed/run/settings.h"
#include "heed/text/tokenizer.h"

namespace heed {

ReadOptions read_options(const TrainSettings& settings);
DataFormat format_of(const TrainSettings& settings);

// A vocabulary is learned from the first part of the data.
inline constexpr size_t kSampleBytes = 32 << 20;

// The beginning of a text, to learn a vocabulary from.
class Sample {
 public:
  explicit Sample(size_t max = kSampleBytes) : max_(max) {}

  void add(std::string_view line);
  void cut(size_t max);  // leaves the whole characters of the first `max` bytes
  std::string_view text() const { return text_; }
  int64_t bytes() const { return bytes_; }  // of all that was added

 private:
  size_t max_;
  std::string text_;
  int64_t bytes_ = 0;
};

// The beginnings of several texts, together no longer than that of one may be: short texts are
// whole, and of the others about equally much is there.
class Samples {
 public:
  explicit Samples(size_t max = kSampleBytes) : max_(max) {}

  Sample& next();  // of one more text, until the next call
  std::vector<std::string_view> texts();
  int64_t bytes() const;  // of all that was added

 private:
  size_t held() const;
  void fit();

  size_t max_;
  std::vector<Sample> samples_;
};

// Learns the tokenizer that the settings name from the samples, or loads the one they point to.
std::shared_ptr<const Tokenizer> make_tokenizer(const TrainSettings& settings,
                                                const std::vector<std::string_view>& samples);

// Encodes texts and cuts them after `max` tokens (0: never); counts what was cut.
class Encoder {
 public:
  Encoder(const Tokenizer& tokenizer, int64_t max) : tokenizer_(tokenizer), max_(max) {}

  std::vector<int32_t> operator()(std::string_view text);
  const Tokenizer& tokenizer() const { return tokenizer_; }
  int64_t cut() const { return cut_; }

  // "warning: 3 texts were longer than .."
  void note(std::vector<std::string>& notes) const;

 private:
  const Tokenizer& tokenizer_;
  int64_t max_;
  int64_t cut_ = 0;
};

// How many of the ids stand for what the vocabulary does not have.
int64_t count_unknown(const Tokenizer& tokenizer, std::span<const int32_t> ids);
// "unknown tokens in training: 12 of 3456, .."; nothing if there are none.
void note_unknown_tokens(int64_t unknown, int64_t tokens, std::vector<std::string>& notes);

// "no --valid: 1450 pairs of the training data are held out for validation"; `what` is the
// singular.
void note_held_out(int64_t held_out, const char* what, std::vector<std::string>& notes);
void note_findings(const std::vector<Finding>& findings, std::vector<std::string>& notes);

}  // namespace heed

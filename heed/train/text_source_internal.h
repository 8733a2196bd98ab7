// What the tasks share in reading text: samples to learn a vocabulary from, encoding, cutting.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/line_reader.h"
#include "heed/data/read_options.h"
#include "heed/text/tokenizer.h"
#include "heed/train/settings.h"

namespace heed {

Encoding encoding_of(const TrainSettings& settings);
ReadOptions read_options(const TrainSettings& settings);
DataFormat format_of(const TrainSettings& settings);

// The beginning of a text, to learn a vocabulary from.
class Sample {
 public:
  void add(std::string_view line);
  std::string_view text() const { return text_; }
  int64_t bytes() const { return bytes_; }  // of all that was added

 private:
  std::string text_;
  int64_t bytes_ = 0;
};

// Learns the tokenizer that the settings name from the samples, or loads the one they point to.
std::shared_ptr<const Tokenizer> make_tokenizer(const TrainSettings& settings,
                                                const std::vector<std::string_view>& samples);

// Encodes texts and cuts them after `most` tokens (0: never); counts what was cut.
class Encoder {
 public:
  Encoder(const Tokenizer& tokenizer, int64_t most) : tokenizer_(tokenizer), most_(most) {}

  std::vector<int32_t> operator()(std::string_view text);
  int64_t cut() const { return cut_; }

  // "warning: 3 texts were longer than .."
  void note(std::vector<std::string>& notes) const;

 private:
  const Tokenizer& tokenizer_;
  int64_t most_;
  int64_t cut_ = 0;
};

// "no --valid: 1450 pairs of the training data are held out for validation"; `what` is the
// singular.
void note_held_out(int64_t held_out, const char* what, std::vector<std::string>& notes);
void note_findings(const std::vector<Finding>& findings, std::vector<std::string>& notes);

}  // namespace heed

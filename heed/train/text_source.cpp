#include <algorithm>
#include <filesystem>

#include "heed/base/fail.h"
#include "heed/text/train_tokenizer.h"
#include "heed/text/utf8.h"
#include "heed/train/text_source.h"

namespace heed {

ReadOptions read_options(const TrainSettings& settings) {
  return {.lines = {.encoding = settings.encoding}};
}

DataFormat format_of(const TrainSettings& settings) {
  switch (settings.format) {
    case FileFormat::automatic: return DataFormat::automatic;
    case FileFormat::tsv: return DataFormat::tab;
    case FileFormat::csv:
    case FileFormat::csv_no_header: return DataFormat::csv;
    case FileFormat::conll: return DataFormat::conll;
    case FileFormat::conllu: return DataFormat::conllu;
  }
  return DataFormat::automatic;
}

void Sample::add(std::string_view line) {
  bytes_ += static_cast<int64_t>(line.size()) + 1;
  if (text_.size() < max_) text_.append(line) += '\n';
}

void Sample::cut(size_t max) {
  if (text_.size() <= max) return;
  text_.resize(max);
  text_.resize(max - incomplete_utf8_bytes(text_));
  text_.shrink_to_fit();
}

Sample& Samples::next() {
  if (held() > 2 * max_) fit();  // not at every text: it moves most of what is there
  return samples_.emplace_back(max_);
}

std::vector<std::string_view> Samples::texts() {
  fit();
  std::vector<std::string_view> texts;
  texts.reserve(samples_.size());
  for (const Sample& sample : samples_) texts.push_back(sample.text());
  return texts;
}

int64_t Samples::bytes() const {
  int64_t bytes = 0;
  for (const Sample& sample : samples_) bytes += sample.bytes();
  return bytes;
}

size_t Samples::held() const {
  size_t bytes = 0;
  for (const Sample& sample : samples_) bytes += sample.text().size();
  return bytes;
}

// Cuts to the largest length at which all fit; one text alone is as long as it is.
void Samples::fit() {
  if (samples_.size() < 2 || held() <= max_) return;
  std::vector<size_t> sizes;
  sizes.reserve(samples_.size());
  for (const Sample& sample : samples_) sizes.push_back(sample.text().size());
  std::sort(sizes.begin(), sizes.end());
  size_t left = max_, longest = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    longest = left / (sizes.size() - i);
    if (sizes[i] > longest) break;
    left -= sizes[i];
  }
  for (Sample& sample : samples_) sample.cut(longest);
}

std::shared_ptr<const Tokenizer> make_tokenizer(const TrainSettings& settings,
                                                const std::vector<std::string_view>& samples) {
  for (const auto kind :
       {TokenizerKind::byte, TokenizerKind::character, TokenizerKind::word, TokenizerKind::bpe,
        TokenizerKind::unigram, TokenizerKind::sentencepiece_bpe}) {
    if (settings.tokenizer == name(kind)) {
      return train_tokenizer(samples, {.kind = kind, .vocab_size = settings.vocab_size});
    }
  }
  check(std::filesystem::exists(settings.tokenizer),
        "`tokenizer` {}: expected byte, char, word, bpe or spm, or the name of a tokenizer file or "
        "folder that exists",
        settings.tokenizer);
  return load_tokenizer(settings.tokenizer);
}

std::vector<int32_t> Encoder::operator()(std::string_view text) {
  std::vector<int32_t> ids = tokenizer_.encode(text, SpecialNames::are_text);
  if (max_ > 0 && static_cast<int64_t>(ids.size()) > max_) {
    ids.resize(static_cast<size_t>(max_));
    ++cut_;
  }
  return ids;
}

void Encoder::note(std::vector<std::string>& notes) const {
  if (cut_ == 0) return;
  notes.push_back(
      fmt::format("warning: {} {} longer than {} tokens (`max-length` in training) and cut", cut_,
                  cut_ == 1 ? "text was" : "texts were", max_));
}

int64_t count_unknown(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  const auto& unknown = tokenizer.specials().unknown;
  return unknown ? std::count(ids.begin(), ids.end(), *unknown) : 0;
}

void note_unknown_tokens(int64_t unknown, int64_t tokens, std::vector<std::string>& notes) {
  if (unknown == 0) return;
  notes.push_back(fmt::format(
      "unknown tokens in training: {} of {}, {:.2f} % (`tokenizer`, `vocab-size`)", unknown, tokens,
      100 * static_cast<double>(unknown) / static_cast<double>(tokens)));
}

void note_held_out(int64_t held_out, const char* what, std::vector<std::string>& notes) {
  notes.push_back(fmt::format("no `valid`: {} {}{} of the training data {} held out for validation",
                              held_out, what, held_out == 1 ? "" : "s",
                              held_out == 1 ? "is" : "are"));
}

void note_findings(const std::vector<Finding>& findings, std::vector<std::string>& notes) {
  for (const Finding& finding : findings) notes.push_back(finding.text);
}

}  // namespace heed

#include <filesystem>

#include "heed/base/fail_internal.h"
#include "heed/text/train_tokenizer.h"
#include "heed/train/text_source_internal.h"

namespace heed {
namespace {

// A vocabulary is learned from the first part of the data.
constexpr size_t kSampleBytes = 32 << 20;

}  // namespace

Encoding encoding_of(const TrainSettings& settings) {
  return settings.encoding == "latin1" ? Encoding::latin1 : Encoding::utf8;
}

ReadOptions read_options(const TrainSettings& settings) {
  return {.lines = {.encoding = encoding_of(settings)}};
}

DataFormat format_of(const TrainSettings& settings) {
  if (settings.format == "tsv") return DataFormat::tab;
  if (settings.format == "csv" || settings.format == "csv-no-header") return DataFormat::csv;
  if (settings.format == "conll") return DataFormat::conll;
  if (settings.format == "conllu") return DataFormat::conllu;
  return DataFormat::automatic;
}

void Sample::add(std::string_view line) {
  bytes_ += static_cast<int64_t>(line.size()) + 1;
  if (text_.size() < kSampleBytes) text_.append(line) += '\n';
}

std::shared_ptr<const Tokenizer> make_tokenizer(const TrainSettings& settings,
                                                const std::vector<std::string_view>& samples) {
  for (const auto kind : {TokenizerKind::byte, TokenizerKind::character, TokenizerKind::word,
                          TokenizerKind::bpe, TokenizerKind::unigram, TokenizerKind::piece_bpe}) {
    if (settings.tokenizer == name(kind)) {
      return train_tokenizer(samples, {.kind = kind, .vocab_size = settings.vocab_size});
    }
  }
  check(std::filesystem::exists(settings.tokenizer),
        "--tokenizer {}: expected byte, char, word, bpe or spm, or the name of a tokenizer file or "
        "folder that exists",
        settings.tokenizer);
  return load_tokenizer(settings.tokenizer);
}

std::vector<int32_t> Encoder::operator()(std::string_view text) {
  std::vector<int32_t> ids = tokenizer_.encode(text, SpecialNames::are_text);
  if (most_ > 0 && static_cast<int64_t>(ids.size()) > most_) {
    ids.resize(static_cast<size_t>(most_));
    ++cut_;
  }
  return ids;
}

void Encoder::note(std::vector<std::string>& notes) const {
  if (cut_ == 0) return;
  notes.push_back(
      fmt::format("warning: {} {} longer than {} tokens (--max-length in training) and cut", cut_,
                  cut_ == 1 ? "text was" : "texts were", most_));
}

void note_held_out(int64_t held_out, const char* what, std::vector<std::string>& notes) {
  notes.push_back(fmt::format("no --valid: {} {}{} of the training data {} held out for validation",
                              held_out, what, held_out == 1 ? "" : "s",
                              held_out == 1 ? "is" : "are"));
}

void note_findings(const std::vector<Finding>& findings, std::vector<std::string>& notes) {
  for (const Finding& finding : findings) notes.push_back(finding.text);
}

}  // namespace heed

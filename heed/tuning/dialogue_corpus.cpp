#include "heed/tuning/dialogue_corpus.h"

#include <algorithm>

#include "heed/base/fail.h"
#include "heed/train/fingerprint.h"
#include "heed/train/text_loss.h"
#include "heed/tuning/answering_internal.h"

namespace heed {

DialogueCorpus::DialogueCorpus(TokenStore ids, TokenStore answers_plus_one)
    : ids_(std::move(ids)), answers_(std::move(answers_plus_one)) {
  check(ids_.count() == answers_.count() && ids_.total() == answers_.total(),
        "dialogues: {} tokens in {} conversations, but {} answers in {}", ids_.total(),
        ids_.count(), answers_.total(), answers_.count());
  for (int64_t i = 0; i < ids_.count(); ++i) {
    check(ids_.length(i) >= 2, "dialogues: conversation {} has less than 2 tokens", i);
    costs_.push_back(ids_.length(i) - 1);
  }
}

uint64_t DialogueCorpus::fingerprint() const {
  return mix_bits(fingerprint_of(ids_) ^ mix_bits(fingerprint_of(answers_)));
}

Batch DialogueCorpus::make_batch(std::span<const int64_t> items) const {
  std::vector<int64_t> lengths;
  std::vector<int32_t> ids, labels;
  Batch batch;
  for (const int64_t item : items) {
    const std::vector<int32_t> text = ids_.sequence(item), answers = answers_.sequence(item);
    ids.insert(ids.end(), text.begin(), text.end() - 1);
    for (size_t t = 1; t < answers.size(); ++t) {
      labels.push_back(answers[t] - 1);
      batch.label_count += answers[t] > 0 ? 1 : 0;
    }
    lengths.push_back(static_cast<int64_t>(text.size()) - 1);
  }
  batch.target_rows =
      Rows::from_lengths(lengths, std::vector<uint64_t>(items.begin(), items.end()));
  batch.target = Tensor::from(ids, {static_cast<int64_t>(ids.size())});
  batch.labels = Tensor::from(labels, {static_cast<int64_t>(labels.size())});
  return batch;
}

DialogueBuilder::DialogueBuilder(const ChatTemplate& form,
                                 std::shared_ptr<const Tokenizer> tokenizer, int64_t max_length,
                                 const std::string& folder)
    : form_(form),
      tokenizer_(std::move(tokenizer)),
      max_length_(max_length),
      ids_(tokenizer_->size(), {.directory = folder}),
      answers_(tokenizer_->size() + 1, {.directory = folder}) {}

void DialogueBuilder::add(std::span<const ChatMessage> messages) {
  EncodedChat chat = encode_chat(form_, *tokenizer_, messages);
  // The last token is only predicted, so that a sequence of `max_length` + 1 can be read.
  const auto room = static_cast<size_t>(max_length_) + 1;
  const bool too_long = max_length_ > 0 && chat.ids.size() > room;
  if (too_long) {
    chat.ids.resize(room);
    chat.is_answer.resize(room);
  }
  const bool answered =
      std::find(chat.is_answer.begin() + 1, chat.is_answer.end(), 1) != chat.is_answer.end();
  if (!answered) {
    ++left_out_;
    return;
  }
  cut_ += too_long ? 1 : 0;
  std::vector<int32_t> answers;
  for (size_t t = 0; t < chat.ids.size(); ++t) {
    answers.push_back(chat.is_answer[t] != 0 ? chat.ids[t] + 1 : 0);
  }
  ids_.append(chat.ids);
  answers_.append(answers);
  ++count_;
  tokens_ += static_cast<int64_t>(chat.ids.size());
}

DialogueData::DialogueData(DialogueCorpus corpus, ChatTemplate form,
                           std::shared_ptr<const Tokenizer> tokenizer,
                           std::vector<std::vector<ChatMessage>> shown)
    : corpus_(std::move(corpus)),
      form_(std::move(form)),
      tokenizer_(std::move(tokenizer)),
      shown_(std::move(shown)) {}

Evaluation DialogueData::evaluate(const Model& model, const EvaluateOptions& options) const {
  const Tokenizer* bytes = options.bits_per_byte ? tokenizer_.get() : nullptr;
  Evaluation result{.scores = text_loss_scores(model, corpus_, options.batch, bytes)};
  const auto count = std::min(shown_.size(), static_cast<size_t>(options.samples));
  for (size_t i = 0; i < count; ++i) {
    result.samples.push_back(sample_line(model, form_, *tokenizer_, shown_[i]));
  }
  return result;
}

}  // namespace heed

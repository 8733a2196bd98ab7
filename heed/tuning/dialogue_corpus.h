// Conversations as training items: every token is read, only the answers are to be predicted.
//
//   target: t_1 .. t_(n-1)     labels: t_2 .. t_n where they belong to an answer, -1 elsewhere
//
// Several conversations make a ragged batch; none sees another.
#pragma once

#include <memory>

#include "heed/base/export.h"
#include "heed/chat/chat_template.h"
#include "heed/data/token_store.h"
#include "heed/train/item_corpus.h"
#include "heed/train/task_data.h"

namespace heed {

class HEED_API DialogueCorpus final : public ItemCorpus {
 public:
  // Of the ids of a conversation, those to predict plus 1, or 0.
  DialogueCorpus(TokenStore ids, TokenStore answers_plus_one);

  uint64_t fingerprint() const override;
  std::vector<int32_t> ids(int64_t item) const { return ids_.sequence(item); }

 private:
  Batch make_batch(std::span<const int64_t> items) const override;

  TokenStore ids_, answers_;
};

// Collects conversations; those that do not fit are cut after `max_length` tokens (0: never), and
// left out if no answer is left.
class HEED_API DialogueBuilder {
 public:
  DialogueBuilder(const ChatTemplate& form, std::shared_ptr<const Tokenizer> tokenizer,
                  int64_t max_length, const std::string& folder);

  void add(std::span<const ChatMessage> messages);
  int64_t count() const { return count_; }
  int64_t tokens() const { return tokens_; }
  int64_t cut() const { return cut_; }
  int64_t left_out() const { return left_out_; }
  DialogueCorpus finish() { return {ids_.finish(), answers_.finish()}; }

 private:
  ChatTemplate form_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  int64_t max_length_;
  TokenStoreBuilder ids_, answers_;
  int64_t count_ = 0, tokens_ = 0, cut_ = 0, left_out_ = 0;
};

// Scores: loss and perplexity of the answers, and bits_per_byte if it is asked for.
class HEED_API DialogueData final : public TaskData {
 public:
  DialogueData(DialogueCorpus corpus, ChatTemplate form, std::shared_ptr<const Tokenizer> tokenizer,
               std::vector<std::vector<ChatMessage>> shown);
  const Corpus& corpus() const override { return corpus_; }
  Evaluation evaluate(const Model& model, const EvaluateOptions& options) const override;
  std::vector<std::string> metrics() const override { return {"loss", "perplexity"}; }

 private:
  DialogueCorpus corpus_;
  ChatTemplate form_;
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<std::vector<ChatMessage>> shown_;  // prompts of samples
};

}  // namespace heed

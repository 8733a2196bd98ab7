#include "heed/train/text_loss.h"

#include <cmath>
#include <numbers>
#include <string>

#include "heed/train/corpus_loss.h"

namespace heed {
namespace {

bool is_mark(int32_t id, const SpecialIds& specials) {
  return id == specials.bos || id == specials.eos || id == specials.separator || id == specials.cls;
}

}  // namespace

int64_t label_bytes(const Batch& batch, const Tokenizer& tokenizer) {
  const SpecialIds& specials = tokenizer.specials();
  const int32_t* read = batch.target.data<int32_t>();
  const int32_t* labels = batch.labels.data<int32_t>();
  int64_t bytes = 0;
  std::string text;
  for (int64_t n = 0; n < batch.labels.dim(0); ++n) {
    if (labels[n] < 0 || is_mark(labels[n], specials) || labels[n] == specials.unknown) continue;
    DecodeState state;
    if (!is_mark(read[n], specials)) tokenizer.decode_next(read[n], state, text);
    text.clear();
    tokenizer.decode_next(labels[n], state, text);
    bytes += static_cast<int64_t>(text.size());
    text.clear();
  }
  return bytes;
}

std::vector<EvaluationScore> text_loss_scores(const Model& model, const Corpus& corpus,
                                              const BatchOptions& options,
                                              const Tokenizer* tokenizer) {
  int64_t bytes = 0;
  const CorpusLoss loss =
      corpus_loss(model, corpus, options, [&](std::span<const int64_t>, const Batch& batch) {
        if (tokenizer != nullptr) bytes += label_bytes(batch, *tokenizer);
      });
  const auto labels = static_cast<double>(loss.label_count);
  std::vector<EvaluationScore> scores = {
      {"loss", loss.mean()}, {"tokens", labels}, {"perplexity", std::exp(loss.mean())}};
  if (bytes > 0) {
    scores.push_back(
        {"bits_per_byte", loss.mean() / std::numbers::ln2 * (labels / static_cast<double>(bytes))});
  }
  return scores;
}

}  // namespace heed

#include "heed/train/corpus_loss.h"

namespace heed {

CorpusLoss corpus_loss(const Model& model, const Corpus& corpus, const BatchOptions& options,
                       const UseBatch& use) {
  const NoGrad no_grad;
  CorpusLoss total;
  for (const std::vector<int64_t>& items : corpus.evaluation_plan(options)) {
    const Batch batch = corpus.evaluation_batch(items);
    if (batch.label_count > 0) {
      total.sum +=
          model.loss(batch, {}, {}).value().item() * static_cast<double>(batch.label_count);
      total.label_count += batch.label_count;
    }
    if (use) use(items, batch);
  }
  return total;
}

}  // namespace heed

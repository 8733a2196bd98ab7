// Pipeline::classify.

#include <algorithm>
#include <cmath>

#include "heed/base/fail.h"
#include "heed/generate/token_probability.h"
#include "heed/pipeline/pipeline.h"
#include "heed/pipeline/read.h"
#include "heed/run/task_names.h"

namespace heed {

std::vector<ClassifiedText> Pipeline::classify(std::span<const std::string> texts) const {
  check(task() == Task::classify,
        "this is a model for {}; classifying needs one of heed train classify", name_of(task()));
  std::vector<ClassifiedText> result(texts.size());
  std::vector<std::vector<int32_t>> sequences;
  for (size_t i = 0; i < texts.size(); ++i) {
    ReadText read = read_source(*this, texts[i]);
    result[i].cut = read.cut;
    sequences.push_back(std::move(read.ids));
  }
  const NoGrad no_grad;
  for_each_batch(
      sequences, [&](std::span<const size_t> items, const Rows& rows, const Tensor& ids) {
        Batch batch;
        batch.source = ids;
        batch.source_rows = rows;
        const Tensor logits = output_logits(*run_->model, run_->model->features(batch, {}).value());
        const auto classes = static_cast<size_t>(logits.dim(1));
        check(classes == labels().size(), "the model has {} classes, but config.json names {}",
              classes, labels().size());
        for (size_t i = 0; i < items.size(); ++i) {
          const std::span row(logits.data<float>() + i * classes, classes);
          const double log_sum = log_sum_exp(row);
          ClassifiedText& one = result[items[i]];
          for (const float x : row) {
            one.probabilities.push_back(std::exp(static_cast<double>(x) - log_sum));
          }
          const auto best = std::max_element(row.begin(), row.end()) - row.begin();
          one.label = labels()[best];
        }
      });
  return result;
}

}  // namespace heed

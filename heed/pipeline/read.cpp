#include <algorithm>
#include <cmath>
#include <numeric>

#include "heed/base/fail.h"
#include "heed/ops/affine.h"
#include "heed/pipeline/read.h"
#include "heed/run/special_tokens.h"
#include "heed/run/text_ids.h"

namespace heed {
namespace {

constexpr int64_t kTokensAtOnce = 4096;

void cut_to(ReadText& read, int64_t max_length) {
  if (max_length <= 0 || static_cast<int64_t>(read.ids.size()) <= max_length) return;
  read.ids.resize(static_cast<size_t>(max_length));
  read.cut = true;
}

}  // namespace

ReadText read_text(const Pipeline& pipeline, const std::string& text) {
  const RunConfig& config = pipeline.run().config;
  ReadText read{.ids = text_ids(config, pipeline.tokenizer(), text)};
  cut_to(read, longest_text(config, special_tokens_of(config, pipeline.tokenizer())));
  return read;
}

ReadText read_source(const Pipeline& pipeline, const std::string& text) {
  ReadText read = read_text(pipeline, text);
  read.ids = special_tokens_of(pipeline.run().config, pipeline.tokenizer()).around(read.ids);
  return read;
}

void for_each_batch(std::span<const std::vector<int32_t>> sequences, const UseIds& use) {
  std::vector<size_t> order(sequences.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sequences[a].size() < sequences[b].size(); });
  for (size_t begin = 0; begin < order.size();) {
    std::vector<int32_t> ids;
    std::vector<int64_t> lengths;
    size_t end = begin;
    for (; end < order.size(); ++end) {
      const std::vector<int32_t>& one = sequences[order[end]];
      if (end > begin && static_cast<int64_t>(ids.size() + one.size()) > kTokensAtOnce) break;
      ids.insert(ids.end(), one.begin(), one.end());
      lengths.push_back(static_cast<int64_t>(one.size()));
    }
    use(std::span(order).subspan(begin, end - begin), Rows::from_lengths(lengths),
        Tensor::from(ids, {static_cast<int64_t>(ids.size())}));
    begin = end;
  }
}

void check_finite(const Tensor& computed, const char* what) {
  const Tensor numbers = computed.contiguous();
  const float* x = numbers.data<float>();
  check(std::all_of(x, x + numbers.size(), [](float value) { return std::isfinite(value); }),
        "{}: what the model computes is not finite; its weights may be damaged", what);
}

Tensor output_logits(const Model& model, const Tensor& rows) {
  const NoGrad no_grad;
  const Tensor logits = model.output()(rows).value();
  return logits.dtype() == DType::f32 ? logits : logits.to(DType::f32);
}

}  // namespace heed

// Translating: beam search by the code that `heed translate` runs, the encoder included.
//
//   translate-1-beam-4    one sentence at a time
//   translate-32-beam-4   32 sentences at once
//
// 25 source tokens to 25 target tokens each; tokens are counted per sentence, not per hypothesis.
// On the model that is given, or on random weights of the base size of Vaswani et al. 2017: 6 + 6
// layers, C = 512, 8 heads, F = 2048, V = 32000.
#include <fmt/format.h>

#include <vector>

#include "bench/model_work.h"
#include "bench/random_data.h"
#include "bench/suite.h"
#include "heed/generate/generator.h"
#include "heed/models/transformer.h"

namespace heed::bench {
namespace {

constexpr int64_t kSource = 25, kTarget = 25, kBeam = 4;

TransformerConfig base_size(bool small) {
  return {.kind = TransformerKind::encoder_decoder,
          .vocabulary = small ? 512 : 32000,
          .encoder_layers = small ? 2 : 6,
          .decoder_layers = small ? 2 : 6,
          .width = small ? 64 : 512,
          .hidden = small ? 256 : 2048,
          .heads = small ? 2 : 8,
          .context = 64};
}

std::shared_ptr<const Model> ready_translator(const std::shared_ptr<const Model>& given, bool int8,
                                              const Effort& effort) {
  if (given != nullptr) return given;
  return std::make_shared<Transformer>(base_size(effort.small_products),
                                       ParameterSource{.int8 = int8});
}

std::vector<GenerationRequest> random_sources(const Model& model, int64_t sentences) {
  const Tensor ids = random_ids(sentences * kSource, vocabulary_of(model), 1).to(DType::i32);
  std::vector<GenerationRequest> requests;
  for (int64_t b = 0; b < sentences; ++b) {
    const int32_t* begin = ids.data<int32_t>() + b * kSource;
    requests.push_back({.source = {begin, begin + kSource}, .prompt = {1}});
  }
  return requests;
}

// The first token is chosen for one hypothesis of each sentence, the others for all.
Row run_translator(const Model& model, int64_t sentences, const Effort& effort) {
  const Generator generator(model);
  const std::vector<GenerationRequest> requests = random_sources(model, sentences);
  const Timing timing = measure(
      [&] {
        generator.generate(
            requests,
            {.max_tokens = kTarget, .beam = {.width = kBeam}, .sequences = sentences * kBeam});
      },
      effort.timing);
  const ModelWork work(model);
  const auto batch = static_cast<double>(sentences), beam = static_cast<double>(kBeam);
  const auto read = batch * kSource;
  double bytes = work.source.bytes, flops = 2 * read * work.source.factors;
  flops += read * kSource * work.source_flops;
  for (int64_t position = 0; position < kTarget; ++position) {
    const double rows = position == 0 ? batch : batch * beam;
    const double seen = rows * static_cast<double>(position + 1);
    bytes += work.target.bytes + work.output.bytes + work.cache_bytes * (seen + read);
    flops += 2 * rows * (work.target.factors + work.output.factors) +
             work.cache_flops * (seen + rows * kSource);
  }
  return {.timing = timing, .flops = flops, .bytes = bytes, .tokens = batch * kTarget};
}

}  // namespace

Suite translate_suite(const std::shared_ptr<const Model>& given, bool int8) {
  Suite suite;
  for (const int64_t sentences : {1, 32}) {
    suite.push_back({fmt::format("translate-{}-beam-{}", sentences, kBeam),
                     [given, int8, sentences](const Effort& effort) {
                       return run_translator(*ready_translator(given, int8, effort), sentences,
                                             effort);
                     }});
  }
  return suite;
}

}  // namespace heed::bench

// Generating text: one stream, greedily, by the code that `heed generate` runs.
//
//   decode-16-80   the tokens at positions 16 to 79, one after the other; a token has to read all
//                  weights, the table of the output layer among them, and the cache
//   prefill-512    a prompt of 512 tokens, up to the first token after it
//
// On the model that is given, or on random weights of the size of GPT-2: 12 layers, C = 768,
// 12 heads, F = 3072, gelu, V = 50257, 1024 learned positions, the output tied. Where the model has
// fewer positions, the names say how many are read.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "bench/ceilings.h"
#include "bench/model_work.h"
#include "bench/random_data.h"
#include "bench/suite.h"
#include "heed/generate/generator.h"
#include "heed/models/transformer.h"

namespace heed::bench {
namespace {

constexpr int64_t kPrompt = 16, kEnd = 80, kPrefill = 512;

TransformerConfig gpt2_size(bool small) {
  return {.kind = TransformerKind::decoder,
          .vocabulary = small ? 512 : 50257,
          .decoder_layers = small ? 2 : 12,
          .width = small ? 64 : 768,
          .hidden = small ? 256 : 3072,
          .heads = small ? 2 : 12,
          .context = 1024,
          .positions = PositionKind::learned,
          .feed_forward = FeedForwardKind::gelu,
          .scaled_embedding = false};
}

// The model, once it is wanted.
std::shared_ptr<const Model> ready_gpt2(const std::shared_ptr<const Model>& given, bool int8,
                                        const Effort& effort) {
  if (given != nullptr) return given;
  return std::make_shared<Transformer>(gpt2_size(effort.small_products),
                                       ParameterSource{.int8 = int8});
}

GenerationRequest random_prompt(const Model& model, int64_t tokens) {
  const Tensor ids = random_ids(tokens, vocabulary_of(model), 1).to(DType::i32);
  return {.prompt = {ids.data<int32_t>(), ids.data<int32_t>() + tokens}};
}

// Milliseconds from the first written token, for which the prompt was read, to the last.
double time_between_tokens(const Generator& generator, const GenerationRequest& request,
                           int64_t tokens) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point first, last;
  int64_t generated = 0;
  generator.generate({&request, 1},
                     {.max_tokens = tokens + 1, .on_token = [&](const GeneratedToken&) {
                        last = Clock::now();
                        if (++generated == 1) first = last;
                        return true;
                      }});
  return std::chrono::duration<double, std::milli>(last - first).count();
}

Row run_model_decode(const Model& model, int64_t begin, int64_t end, const Effort& effort) {
  const Generator generator(model);
  const GenerationRequest request = random_prompt(model, begin);
  const BesideReading measured = measure_beside_reading(
      {[&] { return time_between_tokens(generator, request, end - begin); }}, effort);
  const ModelWork work(model);
  double bytes = 0;
  for (int64_t position = begin; position < end; ++position) {
    bytes += work.target.bytes + work.output.bytes +
             work.cache_bytes * static_cast<double>(position + 1);
  }
  return {.timing = measured.times[0],
          .bytes = bytes,
          .tokens = static_cast<double>(end - begin),
          .read_gbs = measured.read_gbs};
}

Row run_prefill(const Model& model, int64_t length, const Effort& effort) {
  const Generator generator(model);
  const GenerationRequest request = random_prompt(model, length);
  const Timing timing = measure(
      [&] {
        generator.generate({&request, 1}, {.max_tokens = 1});
      },
      effort.timing);
  const ModelWork work(model);
  const auto tokens = static_cast<double>(length);
  const double flops = 2 * (tokens * work.target.factors + work.output.factors) +
                       work.cache_flops * tokens * tokens / 2;
  return {.timing = timing, .flops = flops, .tokens = tokens};
}

}  // namespace

Suite decode_suite(const std::shared_ptr<const Model>& given, bool int8) {
  int64_t end = kEnd, prefill = kPrefill;
  const int64_t limit = given == nullptr ? 0 : given->decoding()->limit();
  if (limit > 0) {
    end = std::min(end, limit);
    prefill = std::min(prefill, limit);
  }
  const int64_t begin = std::min(kPrompt, std::max<int64_t>(end / 2, 1));
  return {{fmt::format("decode-{}-{}", begin, end),
           [=](const Effort& effort) {
             return run_model_decode(*ready_gpt2(given, int8, effort), begin, end, effort);
           }},
          {fmt::format("prefill-{}", prefill), [=](const Effort& effort) {
             return run_prefill(*ready_gpt2(given, int8, effort), prefill, effort);
           }}};
}

}  // namespace heed::bench

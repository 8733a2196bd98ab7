// A small translation task for tests of training: reverse a few letters.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/token_store.h"
#include "heed/models/transformer.h"
#include "heed/train/pair_corpus.h"
#include "heed/train/trainer.h"

namespace heed {

constexpr int32_t kBos = 0, kEos = 1, kSeparator = 2;
constexpr int64_t kVocabulary = 9;

inline PairCorpus reversal_corpus(int64_t items, PairLayout layout = PairLayout::encoder_decoder) {
  TokenStoreBuilder sources(kVocabulary), targets(kVocabulary);
  for (int64_t i = 0; i < items; ++i) {
    const RandomKey key = random_key({.seed = 7, .position = static_cast<uint64_t>(i)});
    std::vector<int32_t> ids(2 + random_bits(key, 0) % 3);
    for (size_t t = 0; t < ids.size(); ++t) {
      ids[t] = 3 + static_cast<int32_t>(random_bits(key, static_cast<uint32_t>(t) + 1) % 6);
    }
    sources.append(ids);
    targets.append(std::vector<int32_t>(ids.rbegin(), ids.rend()));
  }
  return {sources.finish(), targets.finish(), {kBos, kEos, kSeparator}, layout};
}

inline TransformerConfig small_config(TransformerKind kind = TransformerKind::encoder_decoder) {
  return {.kind = kind,
          .vocabulary = kVocabulary,
          .encoder_layers = kind == TransformerKind::encoder_decoder ? 1 : 0,
          .decoder_layers = 1,
          .width = 16,
          .hidden = 32,
          .heads = 2,
          .context = 16,
          .dropout = 0.1};
}

inline TrainerOptions small_options(int64_t steps) {
  return {.steps = steps,
          .batch = {.sequences = 8, .seed = 3},
          .schedule = {.kind = ScheduleKind::cosine, .peak = 1e-2, .warmup = 5},
          .seed = 3};
}

// All parameters one after the other.
inline std::vector<float> weights_of(const Model& model) {
  std::vector<float> all;
  for (const NamedParameter& parameter : model.parameters().list()) {
    const Tensor& value = parameter.variable.value();
    all.insert(all.end(), value.data<float>(), value.data<float>() + value.size());
  }
  return all;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// A folder that goes away with the test.
struct TemporaryFolder {
  std::string path;

  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heed-train-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

}  // namespace heed

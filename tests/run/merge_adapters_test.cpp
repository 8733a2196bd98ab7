#include "heed/run/merge_adapters.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "heed/base/error.h"
#include "heed/models/transformer.h"
#include "heed/run/run_folder.h"
#include "heed/text/train_tokenizer.h"

namespace heed {
namespace {

std::shared_ptr<const Tokenizer> bytes() {
  const std::string_view text = "abc";
  return train_tokenizer(std::vector<std::string_view>{text}, {.kind = TokenizerKind::byte});
}

TransformerConfig adapter_config() {
  TransformerConfig config;
  config.vocabulary = bytes()->size();
  config.decoder_layers = 2;
  config.width = 16;
  config.hidden = 24;
  config.heads = 2;
  config.context = 32;
  config.positions = PositionKind::rotary;
  return config;
}

std::vector<NamedTensor> tensors(const Model& model, bool only_trained) {
  std::vector<NamedTensor> result;
  for (const NamedParameter& parameter : model.parameters().list()) {
    if (only_trained && !parameter.variable.requires_gradient()) continue;
    result.push_back({parameter.name, parameter.variable.value()});
  }
  return result;
}

Tensor logits(const Model& model) {
  Batch batch;
  batch.target = Tensor::from<int32_t>({1, 2, 3, 4, 5}, {5});
  batch.target_rows = Rows::from_lengths({3, 2});
  return model.logits(batch, {}).value();
}

double largest_difference(const Tensor& a, const Tensor& b) {
  double max = 0;
  for (int64_t i = 0; i < a.size(); ++i) {
    max = std::max(max, std::fabs(static_cast<double>(a.data<float>()[i] - b.data<float>()[i])));
  }
  return max;
}

class MergeAdapters : public testing::Test {
 protected:
  void SetUp() override {
    folder = (std::filesystem::temp_directory_path() / "heed-merge-adapters").string();
    std::filesystem::remove_all(folder);
    RunConfig config{.model = adapter_config()};
    config.settings.task = Task::lm;
    config.settings.model = ModelKind::decoder;
    base = folder + "/base";
    tuned = folder + "/tuned";
    for (const std::string& one : {base, tuned}) {
      std::filesystem::create_directories(one);
      bytes()->save(one);
    }
    write_run_config(base, config);
    export_model(base, tensors(Transformer(adapter_config(), {.seed = 3}), false), 1);
    config.settings.lora = 3;
    config.settings.base = base;
    write_run_config(tuned, config);
    Transformer adapted(adapter_config(),
                        {.seed = 4, .stored = stored_weights(base), .adapter_rank = 3});
    for (const NamedParameter& parameter : adapted.parameters().list()) {
      if (!parameter.name.ends_with(".up")) continue;
      Tensor value = parameter.variable.value();
      for (int64_t i = 0; i < value.size(); ++i) {
        value.data<float>()[i] = 0.01F * static_cast<float>(i % 7 - 3);
      }
    }
    export_model(tuned, tensors(adapted, true), 2);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string folder, base, tuned;
};

TEST_F(MergeAdapters, MergedIsUnmerged) {
  merge_adapters(tuned, folder + "/merged");
  const LoadedRun before = load_run(tuned), after = load_run(folder + "/merged");
  EXPECT_EQ(largest_difference(logits(*before.model), logits(*after.model)), 0);
  EXPECT_GT(largest_difference(logits(*load_run(base).model), logits(*after.model)), 1e-3);
  EXPECT_EQ(after.config.settings.lora, 0);
  EXPECT_THROW(merge_adapters(folder + "/merged", folder + "/again"), Error);
}

TEST_F(MergeAdapters, AdaptersAreSmallAndBeginAsTheModelWas) {
  EXPECT_LT(std::filesystem::file_size(tuned + "/model.safetensors"),
            std::filesystem::file_size(base + "/model.safetensors") / 2);
  const Transformer fresh(adapter_config(),
                          {.seed = 9, .stored = stored_weights(base), .adapter_rank = 2});
  EXPECT_EQ(largest_difference(logits(fresh), logits(*load_run(base).model)), 0);
  for (const NamedParameter& parameter : fresh.parameters().list()) {
    const bool is_adapter = parameter.name.ends_with(".up") || parameter.name.ends_with(".down");
    EXPECT_EQ(parameter.variable.requires_gradient(), is_adapter) << parameter.name;
  }
}

// The message of the Error that loading a run raises; empty if it raises none.
std::string loading_error(const std::string& folder) {
  try {
    load_run(folder);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void set_base(const std::string& folder, const std::string& base) {
  RunConfig config = read_run_config(folder);
  config.settings.base = base;
  write_run_config(folder, config);
}

// As after `mv base old; mv tuned base`.
TEST_F(MergeAdapters, AdaptersForThemselves) {
  std::filesystem::rename(base, folder + "/old");
  std::filesystem::rename(tuned, base);
  EXPECT_NE(loading_error(base).find(base + " holds adapters for itself;"), std::string::npos)
      << loading_error(base);
  EXPECT_THROW(merge_adapters(base, folder + "/merged"), Error);
  std::filesystem::create_directory_symlink(base, folder + "/link");
  set_base(base, folder + "/link");
  EXPECT_NE(loading_error(base).find("holds adapters for itself"), std::string::npos);
}

TEST_F(MergeAdapters, AdaptersForEachOther) {
  const std::string other = folder + "/other";
  std::filesystem::copy(tuned, other);
  set_base(other, tuned);
  EXPECT_EQ(loading_error(other), "") << "adapters of adapters";
  set_base(tuned, other);
  EXPECT_NE(loading_error(tuned).find(tuned + " holds adapters for itself, by way of " + other),
            std::string::npos)
      << loading_error(tuned);
}

TEST_F(MergeAdapters, WithoutTheBase) {
  std::filesystem::remove_all(base);
  EXPECT_THROW(load_run(tuned), Error);
}

}  // namespace
}  // namespace heed

#include "heed/run/average_runs.h"

#include <gtest/gtest.h>

#include "heed/run/run_folder.h"
#include "heed/text/train_tokenizer.h"
#include "tests/train/small_run.h"

namespace heed::average_runs_test {
namespace {

// A classifier of rows of floats, which has no tokenizer.
std::string write_run(const std::string& folder, uint64_t seed) {
  std::filesystem::create_directories(folder);
  RunConfig config{.model = TransformerConfig{.kind = TransformerKind::encoder,
                                              .head = HeadKind::sentence_classes,
                                              .classes = 2,
                                              .source_width = 3,
                                              .encoder_layers = 1,
                                              .width = 8,
                                              .hidden = 8,
                                              .heads = 2,
                                              .context = 4},
                   .labels = {"no", "yes"}};
  config.settings.task = Task::classify;
  config.settings.model = ModelKind::transformer;
  write_run_config(folder, config);
  const auto model = make_model(config.model, {.seed = seed});
  std::vector<NamedTensor> weights;
  for (const NamedParameter& parameter : model->parameters().list()) {
    weights.push_back({parameter.name, parameter.variable.value()});
  }
  export_model(folder, weights, 1);
  return folder;
}

// A tokenizer that lies in the folder of a model without text is none of its own.
TEST(AverageRuns, OfRowsBesideATokenizer) {
  const TemporaryFolder temporary;
  const std::string runs[] = {write_run(temporary.path + "/first", 1),
                              write_run(temporary.path + "/second", 2)};
  train_tokenizer({}, {.kind = TokenizerKind::byte})->save(runs[0]);
  EXPECT_EQ(load_run(runs[0]).tokenizer, nullptr);
  const std::string mean = temporary.path + "/mean";
  average_runs(runs, mean);
  const std::vector<float> a = weights_of(*load_run(runs[0]).model),
                           b = weights_of(*load_run(runs[1]).model),
                           m = weights_of(*load_run(mean).model);
  ASSERT_EQ(m.size(), a.size());
  for (size_t i = 0; i < m.size(); ++i) EXPECT_FLOAT_EQ(m[i], (a[i] + b[i]) / 2);
}

}  // namespace
}  // namespace heed::average_runs_test

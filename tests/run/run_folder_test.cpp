#include "heed/run/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "heed/base/error.h"
#include "heed/run/quantize_run.h"
#include "heed/text/train_tokenizer.h"
#include "tests/train/small_run.h"

namespace heed::run_folder_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TransformerConfig two_layers() {
  return {
      .vocabulary = 260, .decoder_layers = 2, .width = 16, .hidden = 24, .heads = 2, .context = 8};
}

std::string write_run(const std::string& folder) {
  RunConfig config{.model = two_layers()};
  config.settings.task = Task::lm;
  config.settings.model = ModelKind::decoder;
  train_tokenizer({}, {.kind = TokenizerKind::byte})->save(folder);
  write_run_config(folder, config);
  const auto model = make_model(config.model, {.seed = 3});
  std::vector<NamedTensor> weights;
  for (const NamedParameter& parameter : model->parameters().list()) {
    weights.push_back({parameter.name, parameter.variable.value()});
  }
  export_model(folder, weights, 1);
  return folder;
}

// What loading says after config.json has been edited.
std::string complaint(const std::string& folder,
                      const std::function<void(TransformerConfig& model)>& edit) {
  const RunConfig before = read_run_config(folder);
  RunConfig config = before;
  edit(std::get<TransformerConfig>(config.model));
  write_run_config(folder, config);
  std::string text = "no error";
  try {
    load_run(folder);
  } catch (const Error& error) {
    text = error.what();
  }
  write_run_config(folder, before);
  return text;
}

TEST(RunFolder, ConfigAndWeightsMustFit) {
  const TemporaryFolder temporary;
  const std::string real = write_run(temporary.path + "/real"), int8 = temporary.path + "/int8";
  quantize_run(real, int8);
  for (const std::string& folder : {real, int8}) {
    EXPECT_THAT(complaint(folder, [](auto& model) { model.decoder_layers = 1; }),
                AllOf(HasSubstr(folder), HasSubstr("decoder.1.")));
    EXPECT_THAT(complaint(folder, [](auto& model) { model.bias = false; }),
                AllOf(HasSubstr(folder), HasSubstr(".bias")));
    EXPECT_THAT(complaint(folder, [](auto& model) { model.decoder_layers = 3; }),
                AllOf(HasSubstr(folder), HasSubstr("decoder.2."), HasSubstr("missing")));
    EXPECT_THAT(complaint(folder, [](auto& model) { model.width = 18; }), HasSubstr(folder));
    EXPECT_EQ(complaint(folder, [](auto&) {}), "no error");
  }
}

TEST(RunFolder, AConfigThatIsNestedTooDeep) {
  const TemporaryFolder temporary;
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  for (const char* field : {"model", "weights", "chat", "settings", "other"}) {
    std::ofstream(temporary.path + "/config.json")
        << R"({"format": 1, "task": "lm", ")" << field << "\": " << deep << "}";
    try {
      read_run_config(temporary.path);
      FAIL() << field << ": nothing was thrown";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("config.json"), HasSubstr("nested deeper")));
    }
  }
}

}  // namespace
}  // namespace heed::run_folder_test

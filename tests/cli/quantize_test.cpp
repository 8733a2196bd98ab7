#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "heed/io/safetensors.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::quantize_test {
namespace {

std::string trained(const std::string& task, const std::string& name,
                    const std::vector<std::string>& more = {}) {
  const std::string folder = temporary(name);
  EXPECT_EQ(run_heed(train_arguments(task, folder, more)).code, 0);
  return folder;
}

std::vector<std::string> with_data(std::vector<std::string> arguments, const std::string& task) {
  arguments.push_back("--data");
  for (const std::string& file : files_for(task)) arguments.push_back(file);
  return arguments;
}

TEST(Quantize, EveryTaskIsSmallerAndStillAnswers) {
  const std::pair<const char*, const char*> metrics[] = {
      {"lm", "perplexity"}, {"translate", "bleu"}, {"classify", "accuracy"}, {"tag", "accuracy"}};
  for (const auto& [task, metric] : metrics) {
    SCOPED_TRACE(task);
    const std::string folder = trained(task, std::string("q-") + task);
    const std::string output = temporary(std::string("q8-") + task);
    const auto page = run_json(with_data({"quantize", "-m", folder, "-o", output}, task));
    EXPECT_LT(page["bytes"]["int8"], page["bytes"]["float32"]);
    ASSERT_TRUE(page.contains(metric));
    EXPECT_NEAR(page["loss"]["int8"].get<double>(), page["loss"]["float32"].get<double>(), 0.1);
    const auto scores = run_json(with_data({"eval", "-m", output}, task));
    EXPECT_EQ(scores[metric], page[metric]["int8"]);
    EXPECT_EQ(run_json({"info", output})["weights"], "int8");
  }
}

// Without --data and --valid: the scores of the last validation again.
TEST(Quantize, ScoresOnWhatTrainingHeldOut) {
  for (const char* task : {"lm", "translate", "classify", "tag"}) {
    SCOPED_TRACE(task);
    const std::string folder = trained(task, std::string("q-held-") + task);
    const auto page =
        run_json({"quantize", "-m", folder, "-o", temporary(std::string("q8-held-") + task)});
    ASSERT_TRUE(page.contains("loss"));
    const auto validations = run_json({"info", folder})["validations"];
    ASSERT_FALSE(validations.empty());
    EXPECT_NEAR(page["loss"]["float32"].get<double>(),
                validations.back()["valid"]["loss"].get<double>(), 1e-6);
  }
}

TEST(Quantize, WritesInt8AndScales) {
  const std::string folder = trained("lm", "q-file"), output = temporary("q8-file");
  const Outcome outcome = run_heed({"quantize", "-m", folder, "-o", output});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("float32"), std::string::npos);
  const auto file = SafetensorsFile::open(output + "/model.safetensors");
  int matrices = 0;
  for (const std::string& name : file.names()) {
    const bool is_matrix = file.contains(name + ".scale");
    EXPECT_EQ(file.tensor(name).dtype(), is_matrix ? DType::i8 : DType::f32) << name;
    matrices += is_matrix ? 1 : 0;
  }
  EXPECT_GE(matrices, 5);
  const auto config = nlohmann::json::parse(file_text(output + "/config.json"));
  EXPECT_EQ(config["weights"], "int8");
  // The same folder gives the same bytes.
  const std::string again = temporary("q8-again");
  ASSERT_EQ(run_heed({"quantize", "-m", folder, "-o", again, "-t", "1"}).code, 0);
  EXPECT_EQ(model_hash(output), model_hash(again));
}

TEST(Quantize, TheModelWritesTheSameWithAnyThreads) {
  const std::string folder = trained("translate", "q-write"), output = temporary("q8-write");
  ASSERT_EQ(run_heed({"quantize", "-m", folder, "-o", output}).code, 0);
  std::string first;
  for (const char* threads : {"1", "2", "3"}) {
    const Outcome outcome =
        run_heed({"translate", "-m", output, "--beam", "3", "-t", threads, pair_files()[0]});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    if (first.empty()) first = outcome.out;
    EXPECT_EQ(outcome.out, first);
  }
}

TEST(Quantize, Mistakes) {
  const std::string folder = trained("lm", "q-bad"), output = temporary("q8-bad");
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& text) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refused({"quantize", "-m", temporary("q-none"), "-o", output}, "not a run of heed");
  refused({"quantize", "-m", folder, "-o", folder}, "already holds a run");
  refused({"quantize", "-m", folder, "-o", output, "--data", "/no/file"}, "/no/file");
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_EQ(run_heed({"quantize", "-m", folder}).code, 2);
  EXPECT_EQ(run_heed({"quantize", "-o", output}).code, 2);

  ASSERT_EQ(run_heed({"quantize", "-m", folder, "-o", output}).code, 0);
  refused({"quantize", "-m", output, "-o", temporary("q8-twice")}, "int8 already");
  refused({"average", output, "-o", temporary("q8-mean")}, "int8");
  const Outcome tuned =
      run_heed(train_arguments("lm", temporary("q8-tuned"), {"--init-from", output}));
  EXPECT_EQ(tuned.code, 1);
  EXPECT_NE(tuned.err.find("int8"), std::string::npos) << tuned.err;

  // A config that does not fit the weights, one way and the other.
  const auto swap_configs = [&](const std::string& name, const std::string& from,
                                const std::string& to) {
    std::filesystem::copy(from, temporary(name));
    std::filesystem::copy_file(to + "/config.json", temporary(name) + "/config.json",
                               std::filesystem::copy_options::overwrite_existing);
    return temporary(name);
  };
  refused({"info", swap_configs("q-swap", folder, output)}, "int8");
  refused({"info", swap_configs("q8-swap", output, folder)}, "int8");
}

}  // namespace
}  // namespace heed::quantize_test

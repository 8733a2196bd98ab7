#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "heed/io/safetensors.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::average_test {
namespace {

std::map<std::string, Tensor> weights_of(const std::string& folder) {
  const auto file = SafetensorsFile::open(folder + "/model.safetensors");
  std::map<std::string, Tensor> result;
  for (const std::string& name : file.names()) result[name] = file.tensor(name).clone();
  return result;
}

TEST(Average, IsTheMeanOfTheWeights) {
  const std::string folders[] = {temporary("mean0"), temporary("mean1"), temporary("mean2")};
  for (const std::string& folder : folders) {
    const std::string steps = std::to_string(1 + (&folder - folders));
    ASSERT_EQ(run_heed(train_arguments("classify", folder, {"--steps", steps})).code, 0);
  }
  const std::string output = temporary("mean");
  const Outcome outcome = run_heed({"average", folders[0], folders[1], folders[2], "-o", output});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "the mean of 3 runs is in " + output + "\n");
  const auto mean = weights_of(output), a = weights_of(folders[0]), b = weights_of(folders[1]),
             c = weights_of(folders[2]);
  ASSERT_EQ(mean.size(), a.size());
  for (const auto& item : mean) {
    const std::string& name = item.first;
    const Tensor& tensor = item.second;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const auto at = [&](const auto& weights) {
        return static_cast<double>(weights.at(name).template data<float>()[i]);
      };
      EXPECT_EQ(tensor.data<float>()[i], static_cast<float>((at(a) + at(b) + at(c)) / 3)) << name;
    }
  }
  const auto page = run_json({"eval", "-m", output, "--data", labeled_file()});
  EXPECT_EQ(run_heed({"eval", "-m", output, "--data", labeled_file(), "--beam", "2"}).code, 1)
      << "a classifier writes nothing";
  EXPECT_EQ(page["step"], 3);
  EXPECT_TRUE(page["accuracy"].is_number());
  EXPECT_EQ(run_heed({"info", output}).code, 0);
}

TEST(Average, OfOneRunIsThatRun) {
  const std::string folder = temporary("single"), output = temporary("mean-of-one");
  ASSERT_EQ(run_heed(train_arguments("lm", folder)).code, 0);
  ASSERT_EQ(run_heed({"average", folder, "-o", output}).code, 0);
  EXPECT_EQ(model_hash(folder), model_hash(output));
}

TEST(Average, Mistakes) {
  const std::string lm = temporary("average-lm"), wide = temporary("average-wide");
  const std::string words = temporary("average-words"), output = temporary("average-none");
  ASSERT_EQ(run_heed(train_arguments("lm", lm)).code, 0);
  ASSERT_EQ(run_heed(train_arguments("lm", wide, {"--dim", "32"})).code, 0);
  ASSERT_EQ(run_heed(train_arguments("classify", words)).code, 0);
  const auto refused = [&](const std::vector<std::string>& runs, const std::string& text) {
    std::vector<std::string> arguments{"average"};
    arguments.insert(arguments.end(), runs.begin(), runs.end());
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  };
  refused({lm, wide, "-o", output}, "differ in the model");
  refused({lm, words, "-o", output}, "differ in the task");
  refused({lm, temporary("no-run"), "-o", output}, "not a run of heed");
  refused({lm, lm, "-o", wide}, "already holds a run");
  EXPECT_FALSE(std::filesystem::exists(output));
  EXPECT_EQ(run_heed({"average", lm}).code, 2);
  EXPECT_EQ(run_heed({"average", "-o", output}).code, 2);
}

}  // namespace
}  // namespace heed::average_test

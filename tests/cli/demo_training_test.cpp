// heed demo: the lessons that train a model, with few steps unless said otherwise.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/cli/demo_run.h"

namespace heed::demo_training_test {
namespace {

// R50: the mechanics; how well it learns takes more steps.
TEST(CliDemo, CaptionsAreTrainedOnceAndKept) {
  use_own_cache();
  const std::string folder = temporary("captions");
  const std::vector<std::string> arguments{"demo", "captions", "--steps", "4", "-o", folder};
  const Outcome first = run_heed(arguments), second = run_heed(arguments);
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("Training on 256 pictures"), std::string::npos) << first.err;
  EXPECT_EQ(second.err.find("Training"), std::string::npos) << second.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_TRUE(std::filesystem::exists(folder + "/captions.svg"));
  for (const auto& entry : std::filesystem::directory_iterator(temporary("cache") + "/heed")) {
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
  }
}

// Where a model is kept is said when it is kept: the folder, its size, and what removes it.
TEST(CliDemo, KeptModelsAreNamed) {
  use_own_cache();
  const std::string cache = temporary("cache") + "/heed";
  const std::vector<std::string> arguments{"demo", "tired", "--steps", "2"};
  const Outcome first = run_heed(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  const std::regex line("Kept for the next time \\(([0-9.]+) MB\\); to remove it: rm -r (\\S+)\n");
  std::smatch parts;
  ASSERT_TRUE(std::regex_search(first.err, parts, line)) << first.err;
  const std::string folder = parts[2];
  EXPECT_EQ(std::filesystem::path(folder).parent_path(), cache);
  EXPECT_TRUE(std::filesystem::exists(folder + "/config.json"));
  uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  EXPECT_NEAR(std::stod(parts[1]), static_cast<double>(bytes) / 1e6, 0.051);
  EXPECT_EQ(run_heed(arguments).err.find("Kept"), std::string::npos);  // it was there
  ASSERT_EQ(std::system(("rm -r " + folder).c_str()), 0);
  EXPECT_NE(run_heed(arguments).err.find("Kept"), std::string::npos);
  const Outcome few = run_heed({"demo", "motivation", "--steps", "1", "--d", "4", "--tested", "5"});
  EXPECT_NE(few.err.find("KB); to remove it: rm " + cache + "/motivation-"), std::string::npos)
      << few.err;
  const std::string help = run_heed({"demo", "--help"}).out;
  for (const char* text : {"~/.cache/heed", "$XDG_CACHE_HOME/heed", "rm -r ~/.cache/heed"}) {
    EXPECT_NE(help.find(text), std::string::npos) << text;
  }
}

// A command that is printed can be pasted, whatever the folder is called.
TEST(CliDemo, FoldersWithBlanksAreQuoted) {
  ::setenv("XDG_CACHE_HOME", temporary("a cache").c_str(), 1);
  const Outcome outcome =
      run_heed({"demo", "motivation", "--steps", "1", "--d", "4", "--tested", "5"});
  use_own_cache();
  EXPECT_NE(outcome.err.find("rm '" + temporary("a cache") + "/heed/motivation-"),
            std::string::npos)
      << outcome.err;
}

// A word begins as one vector everywhere and does not stay it. How near the meanings come
// takes more steps; the sentences of the notes are told apart after a few already.
TEST(CliDemo, StationDependsOnItsSentence) {
  const auto numbers = demo("station", {"--steps", "3"});
  EXPECT_EQ(numbers["same_at_first"], true);
  EXPECT_EQ(numbers["differs_after_one"], true);
  EXPECT_EQ(numbers["cosine"].size(), 4u);
  const Outcome unknown = run_heed({"demo", "station", "--steps", "3", "--texts", "zebra; b; c"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("--texts: the model does not know the word 'zebra'"),
            std::string::npos)
      << unknown.err;
  EXPECT_EQ(run_heed({"demo", "station", "--steps", "3", "--texts", "one; two"}).code, 1);
}

// What the lessons say of a trained model, which the default steps take 13 seconds to make.
// R99: equal before the first layer, and then by the meaning.
// R100: the form of words is plainest in the embedding, the meaning of some in the last layer.
// R101: adjectives mix more with their own noun than with the other one.
TEST(CliDemo, AModelThatHasLearnedItsGrammar) {
  use_own_cache();
  const auto station = demo("station");
  EXPECT_GT(station["exact_percent"].get<double>(), 90);
  EXPECT_EQ(station["same_at_first"], true);
  for (const size_t layer : {1u, 2u, 3u}) {  // columns: summer and winter, summer and train
    EXPECT_GT(station["cosine"][layer][0].get<double>(), station["cosine"][layer][1].get<double>());
  }
  const auto tired = demo("tired");
  for (const auto& share : tired["unseen_percent"]) EXPECT_GT(share[3].get<double>(), 60);
  const auto right = demo("probe")["right_percent"];
  EXPECT_GT(right[1][0].get<double>(), right[4][0].get<double>());
  EXPECT_GT(right[4][1].get<double>(), right[1][1].get<double>());
}

// The numbers of "tired" are there and are the model's; what they say takes more steps.
TEST(CliDemo, TiredMixesItsNouns) {
  const auto numbers = demo("tired", {"--steps", "3"});
  ASSERT_EQ(numbers["weights"].size(), 4u);
  const auto& all = numbers["weights"][3];
  EXPECT_EQ(numbers["more_with_subject"].get<bool>(), all[0].get<double>() > all[1].get<double>());
  const auto other = demo("tired", {"--steps", "3", "--subject", "journey", "--object", "woman"});
  EXPECT_EQ(other["weights"][3][0], all[1]);
  const Outcome missing = run_heed({"demo", "tired", "--steps", "3", "--word", "happy"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("no word 'happy'"), std::string::npos) << missing.err;
}

// R58, R59: the mechanics; the gap takes more steps.
TEST(CliDemo, BottleneckComparesByLength) {
  const auto numbers = demo("bottleneck", {"--steps", "3", "--longest", "8", "--dim", "8"});
  ASSERT_EQ(numbers["exact_percent"].size(), 4u);
  EXPECT_EQ(numbers["exact_percent"][0].size(), 2u);
  EXPECT_EQ(run_heed({"demo", "bottleneck", "--longest", "0"}).code, 2);
}

// R50, R51: frames and words differ in number; the mechanics, as learning takes more steps.
TEST(CliDemo, AudioWritesWhatItHears) {
  use_own_cache();
  const std::string folder = temporary("audio");
  const auto numbers = demo("audio", {"--steps", "3", "-o", folder});
  EXPECT_GT(numbers["mean_frames"].get<double>(), 20);
  for (const char* key : {"exact_percent", "looks_percent", "weight_percent"}) {
    EXPECT_GE(numbers[key].get<double>(), 0) << key;
    EXPECT_LE(numbers[key].get<double>(), 100) << key;
  }
  EXPECT_TRUE(std::filesystem::exists(folder + "/audio.svg"));
  EXPECT_EQ(run_heed({"demo", "audio", "--show", "300"}).code, 2);
}

// An embedding tells the form of a word, even of a model that has hardly learned.
TEST(CliDemo, ProbeAsksEachLayerForFormAndMeaning) {
  use_own_cache();
  const auto numbers = demo("probe", {"--steps", "3", "--sentences", "200"});
  ASSERT_EQ(numbers["right_percent"].size(), 5u);  // the most frequent label, then four layers
  EXPECT_GT(numbers["right_percent"][1][0].get<double>(), 80);
  EXPECT_GT(numbers["form_words"].get<double>(), numbers["meaning_words"].get<double>());
}

// R47, R62: the mechanics; what the three learn takes more steps.
TEST(CliDemo, MotivationComparesThreeLayersBySize) {
  use_own_cache();
  const std::vector<std::string> few{"--steps", "2", "--d", "4", "--tested", "5", "--kernel", "3"};
  const auto numbers = demo("motivation", few);
  ASSERT_EQ(numbers["parameters"].size(), 3u);
  ASSERT_EQ(numbers["right_percent"].size(), 3u);
  ASSERT_EQ(numbers["by_distance_percent"].size(), 7u);
  const double attending = numbers["parameters"][2];
  for (const double each : numbers["parameters"]) EXPECT_NEAR(each / attending, 1, 0.1);
  EXPECT_EQ(demo("motivation", few), numbers);  // from the cache
  EXPECT_EQ(run_heed({"demo", "motivation", "--kernel", "4"}).code, 1);
  EXPECT_EQ(run_heed({"demo", "motivation", "--d", "5"}).code, 1);
  EXPECT_EQ(run_heed({"demo", "motivation", "--steps", "0"}).code, 2);
}

}  // namespace
}  // namespace heed::demo_training_test

// heed demo: every example of the textbook as a user runs it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/cli/program.h"

namespace heed::demo_test {
namespace {

nlohmann::json demo(const std::string& name, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"demo", name};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_json(arguments)["numbers"];
}

// Models of demos go to a cache of this test.
void use_own_cache() { ::setenv("XDG_CACHE_HOME", temporary("cache").c_str(), 1); }

// Names, and options that keep the training of those that train short.
std::map<std::string, std::vector<std::string>> short_demos() {
  use_own_cache();
  const auto list = nlohmann::json::parse(run_heed({"demo", "--list", "--json"}).out);
  std::map<std::string, std::vector<std::string>> demos;
  for (const auto& each : list) {
    auto& options = demos[each["name"].get<std::string>()];
    if (each["trains"].get<bool>()) options = {"--steps", "3"};
  }
  return demos;
}

// The JSON of every demo, run once for all tests.
const std::map<std::string, nlohmann::json>& pages() {
  static const auto* all = [] {
    auto* result = new std::map<std::string, nlohmann::json>;
    for (const auto& [name, options] : short_demos()) {
      std::vector<std::string> arguments{"demo", name};
      arguments.insert(arguments.end(), options.begin(), options.end());
      (*result)[name] = run_json(arguments);
    }
    return result;
  }();
  return *all;
}

TEST(CliDemo, ListIsGroupedAndNamesRequirements) {
  const Outcome list = run_heed({"demo", "--list"});
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(run_heed({"demo"}).out, list.out);
  for (const char* text : {"Kernel regression\n", "Masks and batches\n", "fuzzy-dictionary",
                           "(R31-R34)", "(R102-R105)"}) {
    EXPECT_NE(list.out.find(text), std::string::npos) << text;
  }
  std::istringstream lines(list.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

// R106, R109, R110: each runs, says its formula, prints numbers, and draws.
TEST(CliDemo, EveryDemoRunsPrintsAndDraws) {
  for (const auto& [name, page] : pages()) {
    const std::string folder = temporary("demos/" + name);
    std::vector<std::string> arguments{"demo", name, "-o", folder};
    const auto options = short_demos().at(name);
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome text = run_heed(arguments);
    EXPECT_EQ(text.code, 0) << name << text.err;
    EXPECT_GT(text.out.size(), 200u) << name;
    EXPECT_FALSE(page["numbers"].empty()) << name;
    EXPECT_FALSE(page["formula"].empty()) << name;
    EXPECT_EQ(page["requirements"].get<std::string>()[0], 'R') << name;
    if (name != "no-key-in-reach") {
      EXPECT_TRUE(std::filesystem::exists(folder + "/" + name + ".svg")) << name;
    }
  }
}

TEST(CliDemo, EveryHelpFitsEightyColumnsAndItsExampleRuns) {
  for (const auto& [name, options] : short_demos()) {
    const Outcome help = run_heed({"demo", name, "--help"});
    EXPECT_EQ(help.code, 0);
    std::istringstream lines(help.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
    const size_t at = help.out.rfind("\n  heed ");
    ASSERT_NE(at, std::string::npos) << name;
    const std::string example = help.out.substr(at + 8);
    std::string line = "'" HEED_PROGRAM "' " + example.substr(0, example.find('\n'));
    for (const std::string& option : options) line += " " + option;
    line += " > /dev/null 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
  }
}

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

// R99: a word begins as one vector everywhere and does not stay it. How near the meanings come
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

// R101: the numbers are there and are the model's; what they say takes more steps.
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

// R63: three layers are timed with one thread and with more; which is faster is up to the machine.
TEST(CliDemo, ParallelTimesThreeLayers) {
  const auto numbers = demo("parallel", {"--lengths", "8,16", "--d", "16", "--threads", "2"});
  EXPECT_EQ(numbers["threads"], 2);
  for (const char* table : {"one_thread_ms", "threads_ms", "speedup"}) {
    ASSERT_EQ(numbers[table].size(), 2u) << table;
    for (const auto& row : numbers[table]) {
      ASSERT_EQ(row.size(), 3u);
      for (const auto& time : row) EXPECT_GT(time.get<double>(), 0) << table;
    }
  }
  EXPECT_EQ(run_heed({"demo", "parallel", "--lengths", "0"}).code, 1);
  EXPECT_EQ(run_heed({"demo", "parallel", "--lengths", "1000000000"}).code, 1);
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

// R100: an embedding tells the form of a word, even of a model that has hardly learned.
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

// R8, R110
TEST(CliDemo, FuzzyDictionary) {
  const auto numbers = demo("fuzzy-dictionary", {"--key", "apple"});
  EXPECT_NEAR(numbers["sum"].get<double>(), 3.4, 1e-12);
  EXPECT_NEAR(numbers["softmax"].get<double>(), 3.0000454, 5e-8);
  EXPECT_EQ(numbers["exact"], 8);
  const Outcome missing = run_heed({"demo", "fuzzy-dictionary", "--key", "orangicot"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("no key 'orangicot'"), std::string::npos);
}

// R68
TEST(CliDemo, LayerNormIsACalculator) {
  const auto numbers = demo("layer-norm", {"--x", "1,0,0,0", "--variant", "textbook"});
  expect_near(numbers["textbook"], {1.5, -0.5, -0.5, -0.5}, 1e-5);
  EXPECT_FALSE(numbers.contains("standard"));
}

// R2: in the cone, in the hull, a value itself, the mean.
TEST(CliDemo, Weightings) {
  const auto numbers = demo("weightings");
  expect_near(numbers["weights"][2], {0, 1, 0}, 0);
  expect_near(numbers["weights"][3], {1 / 3.0, 1 / 3.0, 1 / 3.0}, 1e-12);
  expect_near(numbers["outputs"][2], {0, 1}, 0);
}

// R35
TEST(CliDemo, ACausalMaskKeepsEarlierOutputsBitForBit) {
  const auto changed = demo("causal-mask", {"--change", "4"})["changed"];
  expect_near(changed[0], {0, 0, 0, 1, 1, 1, 1, 1}, 0);
  expect_near(changed[1], {1, 1, 1, 1, 1, 1, 1, 1}, 0);
}

// R36, R38, R39, R47, R50
TEST(CliDemo, OtherNumbers) {
  EXPECT_EQ(demo("window", {"--length", "10", "--left", "1"})["pairs"], 19);
  EXPECT_EQ(demo("ragged-batch")["same_bits"], true);
  EXPECT_EQ(demo("ragged-batch")["ragged_rows"], 9);
  EXPECT_EQ(demo("position-free")["same"], true);
  EXPECT_LT(demo("cross-attention")["shift_difference"].get<double>(), 1e-12);
  EXPECT_EQ(demo("word-order")["full"], true);
  EXPECT_EQ(demo("word-order")["causal"], false);
  EXPECT_EQ(demo("multi-head")["counted"], demo("multi-head")["formula"]);
}

// R76, R78
TEST(CliDemo, PositionModes) {
  const auto numbers = demo("position-modes");
  EXPECT_EQ(numbers["added_width"], 8);
  EXPECT_EQ(numbers["appended_width"], 12);
  EXPECT_EQ(numbers["learned_fails"], true);
  EXPECT_EQ(numbers["hybrid_works"], true);
  EXPECT_EQ(numbers["hybrid_difference"], 0);
}

// R112: the errata that the demos name are those of the list.
TEST(CliDemo, ErrataAreNamed) {
  std::set<int> named;
  for (const auto& [name, page] : pages()) {
    if (!page.contains("errata")) continue;
    for (const auto& erratum : page["errata"]) named.insert(erratum["number"].get<int>());
  }
  for (const int number : {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 22, 23, 26, 27, 35}) {
    EXPECT_TRUE(named.contains(number)) << number;
  }
}

TEST(CliDemo, WrongInputs) {
  EXPECT_EQ(run_heed({"demo", "kernel"}).code, 2);
  EXPECT_NE(run_heed({"demo", "kernel"}).err.find("did you mean 'kernels'"), std::string::npos);
  EXPECT_EQ(run_heed({"demo", "kernels", "--width", "0"}).code, 2);
  EXPECT_EQ(run_heed({"demo", "pooling", "--q", "1,2,3"}).code, 1);
  EXPECT_EQ(run_heed({"demo", "pooling", "--q", "none.csv"}).code, 1);
  EXPECT_EQ(run_heed({"demo", "kernels", "-o", "/dev/null/x"}).code, 1);
}

// R102, R104
TEST(CliComplexity, TablesAndPlot) {
  const std::string svg = temporary("cost.svg");
  const nlohmann::json page = run_json({"complexity", "--plot", svg});
  EXPECT_NEAR(page["numbers"]["multiply_adds"][0][1].get<double>(), 14680064, 0);
  EXPECT_EQ(page["numbers"]["multiply_adds"][0][0], 1048576);
  EXPECT_EQ(page["numbers"]["crossover_convolution"], 512);
  EXPECT_TRUE(std::filesystem::exists(svg));
  const nlohmann::json timed =
      run_json({"complexity", "--L", "16", "--d", "8", "--dk", "4", "--dv", "4", "--measure"});
  EXPECT_GT(timed["numbers"]["milliseconds"][0][0].get<double>(), 0);
  EXPECT_EQ(run_heed({"complexity", "--kernel", "2"}).code, 2);
}

}  // namespace
}  // namespace heed::demo_test

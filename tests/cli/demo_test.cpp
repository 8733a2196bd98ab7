// heed demo: every example of the textbook as a user runs it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

// A file with one blank where a line ends.
std::string text_in(const std::string& path) {
  std::ifstream file(path);
  std::string text, line;
  while (std::getline(file, line)) text += line + " ";
  return text;
}

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

// Lines by their characters; none of the demos prints wide or combining ones.
int widest_line(const std::string& text) {
  int widest = 0, width = 0;
  for (const char c : text) {
    if (c == '\n') {
      width = 0;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      widest = std::max(widest, ++width);
    }
  }
  return widest;
}

// Each runs, says its formula, prints numbers in 80 columns, and draws.
TEST(CliDemo, EveryDemoRunsPrintsAndDraws) {
  ::unsetenv("COLUMNS");
  for (const auto& [name, page] : pages()) {
    const std::string folder = temporary("demos/" + name);
    std::vector<std::string> arguments{"demo", name, "-o", folder};
    const auto options = short_demos().at(name);
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome text = run_heed(arguments);
    EXPECT_EQ(text.code, 0) << name << text.err;
    EXPECT_GT(text.out.size(), 200u) << name;
    EXPECT_LE(widest_line(text.out), 80) << name << "\n" << text.out;
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

// R110: the examples, by hand or from the notes.
TEST(CliDemo, ExamplesGiveTheirNumbers) {
  const auto fuzzy = demo("fuzzy-dictionary");
  EXPECT_NEAR(fuzzy["sum"].get<double>(), 3.4, 1e-12);
  EXPECT_NEAR(fuzzy["softmax"].get<double>(), 3.0000454, 5e-8);
  const auto kernels = demo("kernels")["values"];  // at 0, 0.5, 1 and 1.5
  expect_near(kernels[0], {1, std::exp(-0.125), std::exp(-0.5), std::exp(-1.125)}, 1e-12);
  expect_near(kernels[1], {1, 1, 1, 0}, 0);
  expect_near(kernels[3], {1, 0.5, 0, 0}, 1e-12);
  expect_near(kernels[4], {1, 0.75, 0, 0}, 1e-12);
  const auto sentences = demo("masked-softmax")["sentences"];
  expect_near(sentences[1], {1 / 3.0, 1 / 3.0, 1 / 3.0, 0}, 1e-12);
  expect_near(sentences[2], {0.5, 0.5, 0, 0}, 1e-12);
  // Words (1,0,0), (0,1,0), (1,1,0), (0,0,1) and projections to the first two coordinates: the
  // scores of word 1 are 1, 0, 1, 0.
  const std::string cut = "1,0;0,1;0,0";
  const auto steps = demo("self-attention", {"--w-q", cut, "--w-k", cut, "--w-v", cut});
  const double e = std::exp(1 / std::sqrt(2.0)), w = e / (2 * e + 2);
  expect_near(steps["weights_row"][0], {w, 0.5 - w, w, 0.5 - w}, 1e-12);
  expect_near(steps["output_row"][0], {2 * w, 0.5}, 1e-12);
  expect_near(demo("gaussian-score")["scores"][0], {-1, -2.5, -2}, 1e-12);
  EXPECT_EQ(demo("multi-head")["counted"], 98);  // 2 heads, keys of 2, values of 3, width 4
  EXPECT_NEAR(demo("variance", {"--runs", "2", "--width", "500"})["variances"][1][2].get<double>(),
              500, 1e-9);
  expect_near(demo("positions")["sinusoidal"][0], {32, 30.9, 28.3, 23.5, 21.1, 15.7, 17.9}, 0.05);
  const auto norm = demo("layer-norm", {"--x", "1,0,0,0"});
  const double root = std::sqrt(3.0);
  expect_near(norm["standard"], {root, -1 / root, -1 / root, -1 / root}, 1e-4);
  expect_near(norm["textbook"], {1.5, -0.5, -0.5, -0.5}, 1e-4);
  EXPECT_LT(demo("permutation")["shuffle_difference"].get<double>(), 1e-12);
  EXPECT_EQ(demo("complexity")["multiply_adds"][0][1], 14680064);
  EXPECT_EQ(demo("first-approach")["dot_products"], 36);  // n^2 of six words
}

// Requirement numbers of "R1, R3, R21-R25".
std::set<int> numbers_in(const std::string& text) {
  std::set<int> numbers;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    part.erase(0, part.find('R') + 1);
    const size_t dash = part.find('-');
    const int first = std::stoi(part);
    const int last = dash == std::string::npos ? first : std::stoi(part.substr(dash + 2));
    for (int number = first; number <= last; ++number) numbers.insert(number);
  }
  return numbers;
}

// R109: every requirement of the chapters has a function and a command, a demo says which it
// answers to as the table does, and every demo is on a page of the textbook. (scripts/requirements
// --check, which is a test too, finds the functions in the headers.)
TEST(CliDemo, TheTableAndTheDemosAgree) {
  std::map<std::string, std::set<int>> answered;
  for (const auto& each : nlohmann::json::parse(run_heed({"demo", "--list", "--json"}).out)) {
    answered[each["name"].get<std::string>()] = numbers_in(each["requirements"].get<std::string>());
  }
  const std::string docs = HEED_TEST_DATA "/../../docs/textbook";
  std::ifstream table(docs + "/requirements.tsv");
  std::map<std::string, std::set<int>> in_table;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) fields.push_back(cell);
    ASSERT_GE(fields.size(), 4u) << line;
    const int number = std::stoi(fields[0]);
    if (number <= 57 || (number >= 75 && number <= 83)) {
      const bool is_measured = number == 30;  // a cost, not a formula
      EXPECT_TRUE(is_measured || fields[2] != "-") << "no function: " << line;
      EXPECT_TRUE(number == 5 || fields[3] != "-") << "no command: " << line;
    }
    std::istringstream commands(fields[3]);
    for (std::string command; std::getline(commands, command, ';');) {
      const size_t at = command.find("heed demo ");
      if (at != std::string::npos) in_table[command.substr(at + 10)].insert(number);
    }
  }
  std::string pages_text;
  for (const auto& entry : std::filesystem::directory_iterator(docs)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".md") && name != "requirements.md")
      pages_text += text_in(entry.path().string());
  }
  for (const auto& [name, numbers] : answered) {
    EXPECT_EQ(numbers, in_table[name]) << name;
    EXPECT_NE(pages_text.find("heed demo " + name), std::string::npos) << name << " is on no page";
  }
}

// R6, R29, R106: the figures of the notes, drawn from numbers that are computed.
TEST(CliDemo, FiguresOfTheNotes) {
  struct Drawn {
    const char *demo, *file;
    std::vector<std::string> texts;
  };
  const std::vector<Drawn> figures{
      // Attention as pooling; the weights are those of ScaledDot in the demo.
      {"pooling",
       "pooling-diagram",
       {"query", "(1, 0.5)", "key 4", "value 3", "output", "weight 1"}},
      {"scores", "scores-diagram", {"softmax", "score 1", "1.061", "weighted average", "output"}},
      {"masked-softmax", "masked-softmax", {"length 2", "length 6"}},
      {"multi-head", "multi-head-diagram", {"head 1", "head 2", "joined", "W_o", "6 x 4"}},
      {"regression", "regression-query", {"keys x_i, values y_i", "answer", "Weights of the keys"}},
      {"kernels", "kernels", {"Gaussian", "boxcar", "constant", "triangular", "Epanechnikov"}},
      {"regression-weights", "regression-weights", {"Gaussian", "boxcar", "constant", "width 0.1"}},
      {"self-attention", "self-attention-steps", {"Query 1, step by step", "softmax", "weight 4"}},
      {"position-free", "position-free-arcs", {"hearing", "is", "scheduled"}},
      {"blocks", "blocks", {"masked self-attention", "attention to the encoder", "add the input"}},
      {"bottleneck", "bottleneck-fixed", {"context", "h_1", "s_1"}},
      {"bottleneck", "bottleneck-attention", {"h_1", "s_1", "Attention to all states"}},
      {"positions", "positions", {"linear", "Gaussian", "sinusoidal"}}};
  const std::string folder = temporary("figures");
  std::set<std::string> drawn;
  use_own_cache();
  for (const Drawn& figure : figures) {
    std::vector<std::string> arguments{"demo", figure.demo, "-o", folder};
    if (std::string(figure.demo) == "bottleneck") {
      arguments.insert(arguments.end(), {"--steps", "3", "--longest", "8", "--dim", "8"});
    }
    if (drawn.insert(figure.demo).second) {
      EXPECT_EQ(run_heed(arguments).code, 0) << figure.demo;
    }
    const std::string svg = text_in(folder + "/" + figure.file + ".svg");
    for (const std::string& text : figure.texts) {
      EXPECT_NE(svg.find(text), std::string::npos) << figure.file << ": " << text;
    }
  }
  // The numbers of the first one are those that are printed.
  const auto numbers = demo("pooling");
  const std::string pooling = text_in(folder + "/pooling-diagram.svg");
  for (const double weight : numbers["weights"][0]) {
    EXPECT_NE(pooling.find(fmt::format(">{:.4g}<", weight)), std::string::npos) << weight;
  }
  EXPECT_NE(pooling.find(fmt::format(">{:.3g}<", numbers["output"][0][0].get<double>())),
            std::string::npos);
}

// What is not given follows what is.
TEST(CliDemo, DefaultsFollowTheOtherInputs) {
  const auto steps = demo("self-attention", {"--x", "1,0;0,1;1,1"});
  EXPECT_EQ(steps["weights"].size(), 3u);
  EXPECT_EQ(steps["q"][0].size(), 2u);
  EXPECT_EQ(demo("self-attention", {"--w-q", "1,0,1;0,1,1;2,0,1"})["k"][0].size(), 3u);
  const auto one = demo("masked-softmax", {"--scores", "0,0,1"});
  expect_near(one["weights"][0], {0.5, 0.5, 0}, 1e-12);
  EXPECT_EQ(demo("masked-softmax", {"--scores", "1,2;3,4;5,6"})["weights"].size(), 3u);
  EXPECT_EQ(demo("masked-softmax", {"--keys", "4"})["weights"][1].size(), 4u);
  const Outcome lengths =
      run_heed({"demo", "masked-softmax", "--scores", "1,2", "--lengths", "1,2"});
  EXPECT_EQ(lengths.code, 1);
  EXPECT_NE(lengths.err.find("--lengths has 2 numbers, --scores 1 rows"), std::string::npos);
  EXPECT_EQ(demo("scores", {"--k", "1,0;0,1"})["output"].size(), 5u);
  EXPECT_EQ(run_heed({"demo", "scores", "--k", "1,0;0,1", "--v", "1;2;3"}).code, 1);
}

// Sentences that speak of the default inputs are not said of others.
TEST(CliDemo, ProseFollowsTheInputs) {
  const auto says = [](std::vector<std::string> arguments, const std::string& text) {
    arguments.insert(arguments.begin(), "demo");
    return run_heed(arguments).out.find(text) != std::string::npos;
  };
  EXPECT_TRUE(says({"fuzzy-dictionary"}, "The notes compute 3.4"));
  EXPECT_TRUE(says({"fuzzy-dictionary"}, "30 against 20 is 1.5 to 1"));
  EXPECT_FALSE(says({"fuzzy-dictionary", "--similarity", "1,2,3"}, "3.4"));
  EXPECT_TRUE(says({"fuzzy-dictionary", "--similarity", "1,2,3"}, "3 against 2 is 1.5 to 1"));
  EXPECT_FALSE(says({"variance", "--runs", "1", "--width", "50"}, "1 runs"));
  EXPECT_FALSE(says({"variance", "--runs", "1", "--width", "50"}, "standard error"));
  const std::vector<std::string> alone{"parallel", "--lengths", "8", "--d", "8", "--threads", "1"};
  EXPECT_FALSE(says(alone, "1 threads"));
  EXPECT_TRUE(says(alone, "nothing to compare"));
}

// A number that is not 0 is not printed as 0, and rounds ones have no zeros behind them.
TEST(CliDemo, SmallNumbersKeepTheirDigits) {
  const std::string out = run_heed({"demo", "saturation"}).out;
  EXPECT_EQ(out.find("1000.000000"), std::string::npos) << out;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  5 ")) continue;  // scale 30
    EXPECT_EQ(line.find("0.000000"), std::string::npos) << line;
    EXPECT_NE(line.find("e-1"), std::string::npos) << line;
  }
}

TEST(CliDemo, TablesInJsonHaveNames) {
  const auto& page = pages().at("saturation");
  EXPECT_EQ(page["tables"]["points"]["columns"][1], "max weight");
  EXPECT_EQ(page["tables"]["points"]["title"], "By scale");
  const auto& weights = pages().at("fuzzy-dictionary")["tables"]["weights"];
  EXPECT_EQ(weights["rows"][0], "sum");
  EXPECT_EQ(weights["columns"][2], "orange");
}

// R8
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

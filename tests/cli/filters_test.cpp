// heed translate, score, classify, tag and embed, on models with random weights: lines in, lines
// out.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "heed/io/npy.h"
#include "heed/io/safetensors.h"
#include "tests/cli/piped_heed.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"
#include "tests/pipeline/small_runs.h"

namespace heed::filters_test {
namespace {

using Words = std::vector<std::string>;

std::string model(const std::string& task, const std::string& kind = "transformer") {
  SmallRun small{.task = named<Task>(task), .model = named<ModelKind>(kind)};
  if (task == "classify") small.labels = {"bad", "fair", "good"};
  if (task == "classify") small.pool = Pooling::cls;
  if (task == "tag") small.labels = {"NOUN", "PROPN", "PUNCT"};
  return write_small_run(temporary("filter-" + task + kind), small);
}

std::string texts() {
  return file_with("texts", "the small red car\n\nAnna sees Berlin.\n\xff\xfe odd\nonce upon\r\n");
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Words run_lines(const Words& arguments) {
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return lines_of(outcome.out);
}

void expect_line(const Outcome& outcome, int code, const std::string& text) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(CliFilters, Translate) {
  for (const char* kind : {"transformer", "decoder", "prefix", "rnn-attention"}) {
    const std::string folder = model("translate", kind);
    const Words greedy = run_lines({"translate", "-m", folder, texts(), "-n", "8"});
    ASSERT_EQ(greedy.size(), 5u);
    EXPECT_EQ(greedy[1], "");  // for an empty line
    EXPECT_EQ(run_lines({"translate", "-m", folder, "-p", "Anna sees Berlin.", "-n", "8"})[0],
              greedy[2]);
    const Words beam =
        run_lines({"translate", "-m", folder, texts(), "-n", "8", "--beam", "3", "--length-penalty",
                   "0.6", "--n-best", "2", "--batch-tokens", "10"});
    EXPECT_EQ(beam.size(), 9u + 4u);  // two results for a text, one for an empty one, and between
    EXPECT_EQ(beam[2], "");
    EXPECT_EQ(beam[3] + beam[4], "");
    const auto page = run_json({"translate", "-m", folder, "-p", "the red car", "-n", "8", "--beam",
                                "3", "--n-best", "3", "--alignment"});
    EXPECT_EQ(page["source"], "the red car");
    EXPECT_EQ(page["others"].size(), 2u);
    if (page["text"] != "") {
      EXPECT_EQ(page["alignment"].size(), page["target_tokens"].size());
      EXPECT_EQ(page["target_tokens"].back() == "<|eos|>", page["ending"] == "end");
      const bool is_one_stack = std::string(kind) == "decoder" || std::string(kind) == "prefix";
      EXPECT_EQ(page["source_tokens"].back() == "<|eos|>", !is_one_stack);
    }
  }
  expect_line(run_heed({"translate", "-m", model("translate", "rnn"), texts(), "--alignment"}), 1,
              "a model without attention");
  expect_line(run_heed({"translate", "-m", model("translate", "rnn"), texts(), "--keep-names",
                        model("tag")}),
              1, "--keep-names");
  EXPECT_EQ(run_heed({"translate", "-m", model("translate", "rnn"), texts()}).code, 0);
  EXPECT_EQ(run_heed({"summarize", "-m", model("summarize"), texts(), "-n", "4"}).code, 0);
  const std::string long_line = file_with("long-line", std::string(10 << 20, 'x') + "\n");
  const Outcome cut = run_heed({"translate", "-m", model("translate"), "-n", "4", long_line});
  EXPECT_EQ(cut.code, 0);
  EXPECT_EQ(lines_of(cut.err).size(), 1u);
  EXPECT_NE(cut.err.find("1 text was longer than the 18 tokens"), std::string::npos) << cut.err;
}

// What the tagger says is a name comes through, whatever the translator makes of it.
TEST(CliFilters, TranslateKeepsNames) {
  const Words kept = run_lines({"translate", "-m", model("translate"), "-n", "8", "--keep-names",
                                model("tag"), "-p", "Anna sees Berlin"});
  const auto tagged = run_json({"tag", "-m", model("tag"), "-p", "Anna sees Berlin"});
  for (const auto& word : tagged["words"]) {
    if (word["tag"] == "PROPN") {
      EXPECT_NE(kept[0].find(word["word"].get<std::string>()), std::string::npos) << kept[0];
    }
  }
  expect_line(
      run_heed({"translate", "-m", model("translate"), "--keep-names", model("lm"), "-p", "a"}), 1,
      "a model for lm");
}

TEST(CliFilters, Score) {
  const Outcome outcome = run_heed({"score", "-m", model("lm"), texts()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Words lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1], "0.0000\t0\t");
  EXPECT_NE(lines[0].find("\tthe small red car"), std::string::npos);
  EXPECT_NE(outcome.err.find("perplexity"), std::string::npos);
  const auto page = run_json({"score", "-m", model("lm"), "-p", "once upon a time"});
  EXPECT_EQ(page["log_probabilities"].size(), page["tokens"].get<size_t>());
  const std::string pairs = file_with("pairs", "a car\tthe town\n\t\n");
  EXPECT_EQ(run_lines({"score", "-m", model("translate"), pairs}).size(), 2u);
  expect_line(run_heed({"score", "-m", model("translate"), texts()}), 1, "line 1: there is no tab");
  expect_line(run_heed({"score", "-m", model("translate"), "-p", "a"}), 1, "-p: there is no tab");
  const std::string third = file_with("third", "a\tb\nc\td\nno tab\ne\tf\n");
  const Outcome some = run_heed({"score", "-m", model("translate"), pairs, third});
  EXPECT_EQ(some.code, 1);
  EXPECT_EQ(lines_of(some.out).size(), 4u) << some.out;
  EXPECT_NE(some.err.find("third: line 3: there is no tab"), std::string::npos) << some.err;
  EXPECT_EQ(lines_of(some.err).size(), 1u) << some.err;
  expect_line(run_heed({"score", "-m", model("tag"), texts()}), 1, "a model for tag");
}

TEST(CliFilters, Classify) {
  const Words lines = run_lines({"classify", "-m", model("classify"), texts(), "--probabilities"});
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_NE(lines[0].find("\tfair:0."), std::string::npos) << lines[0];
  const auto page =
      run_json({"classify", "-m", model("classify"), "-p", "the sea", "--probabilities"});
  EXPECT_EQ(page["probabilities"].size(), 3u);
  EXPECT_TRUE(page["probabilities"].contains(page["label"].get<std::string>()));
  expect_line(run_heed({"classify", "-m", model("lm"), texts()}), 1, "a model for lm");
}

TEST(CliFilters, BytesThatAreNoText) {
  const std::string folder = model("classify");
  const std::string plain = file_with("plain", "the small red car\n");
  const std::string marked = file_with("marked", "\xef\xbb\xbfthe small red car\n");
  const Words expected = run_lines({"score", "-m", model("lm"), plain});
  EXPECT_EQ(run_lines({"score", "-m", model("lm"), marked}), expected);
  const Outcome outcome = run_heed({"classify", "-m", folder, texts()});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("1 line is not UTF-8"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("texts: line 4"), std::string::npos) << outcome.err;
  EXPECT_EQ(run_heed({"classify", "-m", folder, plain}).err, "");
}

// Whatever a model writes: one line of UTF-8 for one line.
TEST(CliFilters, TranslationsStayOnTheirLines) {
  const std::string folder = model("translate");
  bool has_break = false;
  for (int seed = 1; seed < 9; ++seed) {
    const Words arguments = {"translate", "-m",     folder, texts(), "-n",
                             "40",        "--temp", "5",    "-s",    std::to_string(seed)};
    EXPECT_EQ(run_lines(arguments).size(), 5u);
    Words json = arguments;
    json.emplace_back("--json");
    for (const std::string& line : run_lines(json)) {
      has_break = has_break || line.find("\\n") != std::string::npos;
    }
  }
  EXPECT_TRUE(has_break) << "nothing was tested";
}

TEST(CliFilters, Tag) {
  const Words lines = run_lines({"tag", "-m", model("tag"), "-p", "Anna sees Berlin."});
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].substr(0, 5), "Anna\t");
  EXPECT_EQ(lines[3].substr(0, 2), ".\t");
  EXPECT_EQ(lines[4], "");
  const Words all = run_lines({"tag", "-m", model("tag"), texts()});
  EXPECT_EQ(std::count(all.begin(), all.end(), ""), 5);
  EXPECT_EQ(run_json({"tag", "-m", model("tag"), "-p", "a b"})["words"][1]["begin"], 2);
  const auto words =
      run_json({"tag", "-m", model("tag"), "--tokenized", "-p", "Dr. Sees ca n't"})["words"];
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[0]["word"], "Dr.");
}

// Another program may wait for the answer to a line before it writes the next.
TEST(CliFilters, AnswerBeforeTheNextLine) {
  const std::vector<Words> commands = {{"translate", "-m", model("translate"), "-n", "4"},
                                       {"score", "-m", model("lm")},
                                       {"classify", "-m", model("classify")},
                                       {"tag", "-m", model("tag"), "--json"},
                                       {"generate", "-m", model("lm"), "-n", "4", "--json"},
                                       {"embed", "-m", model("lm"), "-"}};
  for (const Words& command : commands) {
    SCOPED_TRACE(command[0]);
    PipedHeed heed(command);
    for (const char* line : {"the red car\n", "a house\n"}) {
      heed.write(line);
      const std::string answer = heed.read();
      EXPECT_TRUE(answer.ends_with('\n')) << answer;
      EXPECT_EQ(std::count(answer.begin(), answer.end(), '\n'), 1) << answer;
    }
    heed.close_input();
    EXPECT_EQ(heed.read(), "");
    EXPECT_EQ(heed.wait(), 0);
  }
}

// So an interrupt at any time leaves no half of a line.
TEST(CliFilters, WholeLines) {
  PipedHeed heed({"classify", "-m", model("classify"), "--json", "--probabilities"});
  std::string many;
  for (int i = 0; i < 300; ++i) many += "the small red car\n";
  heed.write(many);
  heed.close_input();
  int64_t lines = 0;
  for (std::string part = heed.read(); !part.empty(); part = heed.read()) {
    EXPECT_TRUE(part.ends_with('\n'))
        << part.substr(part.size() - std::min<size_t>(40, part.size()));
    lines += std::count(part.begin(), part.end(), '\n');
  }
  EXPECT_EQ(lines, 300);
  EXPECT_EQ(heed.wait(), 0);
}

TEST(CliFilters, LinesOfAnyLength) {
  const std::string long_line(200'000, 'x');
  const Outcome outcome =
      run_heed_with("a\n" + long_line + "\n\nlast", {"score", "-m", model("lm"), "-t", "1"});
  const Words lines = lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 4u) << outcome.err;
  EXPECT_TRUE(lines[1].ends_with("\t" + long_line));
  EXPECT_EQ(lines[2], "0.0000\t0\t");
  EXPECT_TRUE(lines[3].ends_with("\tlast"));
  expect_line(run_heed({"score", "-m", model("lm"), temporary("")}), 1, "cannot read");
  expect_line(run_heed({"score", "-m", model("lm"), temporary("none")}), 1, "cannot open");
}

TEST(CliFilters, Embed) {
  const std::string folder = model("classify");
  const auto saved = [&](const Words& more, const std::string& name) {
    Words all = {"embed", "-m", folder, texts(), "-o", temporary(name)};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run_heed(all);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return temporary(name);
  };
  EXPECT_EQ(load_npy(saved({}, "mean.npy")).shape(), Shape({5, 16}));
  EXPECT_EQ(load_npy(saved({"--layer", "1", "--pool", "cls"}, "one.npy")).shape(), Shape({5, 16}));
  const Tensor all = load_npy(saved({"--layer", "all"}, "all.npy"));
  EXPECT_EQ(all.shape(), Shape({5, 3, 16}));
  const std::vector<std::string> in_order{"embedding", "0", "1"};
  for (int64_t nth = 0; nth < 3; ++nth) {
    const std::string& name = in_order[nth];
    const Tensor one = load_npy(saved({"--layer", name}, "layer.npy"));
    for (int64_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one.data<float>()[i], all.data<float>()[(i / 16 * 3 + nth) * 16 + i % 16]) << name;
    }
  }
  EXPECT_EQ(load_npy(saved({"--pool", "none"}, "rows.npy")).dim(1), 16);
  const SafetensorsFile file =
      SafetensorsFile::open(saved({"--pool", "none", "--layer", "all"}, "rows.safetensors"));
  EXPECT_EQ(file.names().size(), 5u);
  EXPECT_EQ(file.tensor("1").shape(), Shape({3, 1, 16}));  // the class token alone
  const Outcome json = run_heed({"embed", "-m", folder, "-p", "the sea"});
  EXPECT_EQ(nlohmann::json::parse(json.out)["vector"].size(), 16u);
  const Outcome cut = run_heed({"embed", "-m", model("lm"), "-p", std::string(100, 'x')});
  EXPECT_NE(cut.err.find("1 text was longer than the 40 tokens"), std::string::npos) << cut.err;
  expect_line(run_heed({"embed", "-m", folder, "-p", "a", "--layer", "2"}), 1, "layers 0 to 1");
  expect_line(run_heed({"embed", "-m", folder, "-p", "a", "--json", "-o", "x.npy"}), 2,
              "-o and --json exclude each other");
  expect_line(run_heed({"embed", "-m", folder, "-p", "a", "-o", "x.txt"}), 2, ".safetensors");
  expect_line(run_heed({"embed", "-m", folder, "-p", "a", "--layer", "x"}), 2, "--layer");
  expect_line(run_heed({"embed", "-m", model("lm"), "-p", "a", "--pool", "cls"}), 1, "class token");
}

// What the words are asked for decides what the labels are.
TEST(CliFilters, ProbeOfALabel) {
  std::string rows;
  for (int i = 0; i < 9; ++i) {
    rows +=
        "1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\t_\n"
        "2\trun\trun\tVERB\tVBP\tNumber=Plur|Tense=Pres\t0\troot\t_\t_\n"
        "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n"
        "1\tIt\tit\tPRON\tPRP\tNumber=Sing\t2\tnsubj\t_\t_\n"
        "2\truns\trun\tVERB\tVBZ\tNumber=Sing|Tense=Pres\t0\troot\t_\t_\n\n";
  }
  const std::string file = file_with("probed.conllu", rows);
  const auto labels = [&](const std::string& label) {
    Words arguments{"probe", "-m",       model("lm"), "--train", file, "--valid",
                    file,    "--epochs", "1",         "-t",      "1"};
    if (!label.empty()) arguments.insert(arguments.end(), {"--label", label});
    Words found = run_json(arguments)["labels"];
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_EQ(labels(""), (Words{"NOUN", "PRON", "PUNCT", "VERB"}));
  EXPECT_EQ(labels("upos"), labels(""));
  EXPECT_EQ(labels("xpos"), (Words{".", "NNS", "PRP", "VBP", "VBZ"}));
  EXPECT_EQ(labels("deprel"), (Words{"nsubj", "punct", "root"}));
  EXPECT_EQ(labels("Tense").size(), 2u);  // one value, and none
  EXPECT_EQ(labels("Number").size(), 3u);
  EXPECT_GE(labels("feats").size(), 4u);
}

TEST(CliFilters, Probe) {
  const std::string file = tagged_file();
  const auto page =
      run_json({"probe", "-m", model("lm"), "--train", file, "--valid", file, "--epochs", "2"});
  ASSERT_EQ(page["layers"].size(), 3u);
  EXPECT_EQ(page["layers"][0]["layer"], -1);
  const Words lines = run_lines({"probe", "-m", model("lm"), "--train", file, "--valid", file,
                                 "--epochs", "2", "--sentences", "9"});
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_TRUE(lines[4].starts_with("embedding "));
  EXPECT_TRUE(lines[5].starts_with("        0 "));
  expect_line(run_heed({"probe", "-m", model("lm"), "--train", file}), 2, "--valid");
  expect_line(run_heed({"probe", "-m", model("lm"), "--train", file, "--valid", "no-file"}), 1,
              "no-file");
}

}  // namespace
}  // namespace heed::filters_test

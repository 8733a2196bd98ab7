// heed train, eval, info and translate given what they cannot use: one clear line, exit code 1 (2
// for wrong usage), nothing left behind.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "heed/io/safetensors.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::train_mistakes_test {
namespace {

using Words = std::vector<std::string>;

void expect_error(const Outcome& outcome, const std::string& text, int code = 1) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(text), std::string::npos)
      << "expected \"" << text << "\" in " << outcome.err;
  const size_t last = outcome.err.rfind('\n', outcome.err.size() - 2);
  EXPECT_EQ(outcome.err.substr(last == std::string::npos ? 0 : last + 1).rfind("heed: ", 0), 0u)
      << outcome.err;
}

// Trains on these files with a small model; everything but the files is right, unless `more` is
// not.
Outcome train_on(const std::string& task, const Words& files, const Words& more = {}) {
  const std::string folder = temporary("mistake");
  std::filesystem::remove_all(folder);
  Words arguments{"train", task, "-o", folder, "-t", "1", "--train"};
  arguments.insert(arguments.end(), files.begin(), files.end());
  const Words model{"--dim", "16", "--heads", "2", "--layers", "1", "--steps", "2", "--quiet"};
  for (size_t i = 0; i < model.size();) {
    const bool given = std::find(more.begin(), more.end(), model[i]) != more.end();
    const size_t length = model[i] == "--quiet" ? 1 : 2;
    if (!given) {
      arguments.insert(arguments.end(), model.begin() + static_cast<int64_t>(i),
                       model.begin() + static_cast<int64_t>(i + length));
    }
    i += length;
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_heed(arguments);
}

void expect_no_run(const Outcome& outcome, const std::string& text, int code = 1) {
  expect_error(outcome, text, code);
  EXPECT_FALSE(std::filesystem::exists(temporary("mistake")));
}

TEST(TrainMistakes, Files) {
  const std::string missing = temporary("missing"), empty = file_with("empty", "");
  const std::string source = pair_files()[0], target = pair_files()[1];
  expect_no_run(train_on("lm", {missing}), missing);
  expect_no_run(train_on("lm", {empty}), empty);
  expect_no_run(train_on("lm", {temporary("")}), "directory");
  expect_no_run(train_on("lm", {file_with("line", "a")}), "too few");
  expect_no_run(train_on("lm", {text_file(), "--valid", empty}), empty);
  for (const char* task : {"classify", "tag"}) {
    expect_no_run(train_on(task, {missing}), missing);
    expect_no_run(train_on(task, {empty}), empty);
    expect_no_run(train_on(task, {source, target}), "--train needs one file");
  }
  for (const char* task : {"translate", "summarize"}) {
    expect_no_run(train_on(task, {missing, target}), missing);
    expect_no_run(train_on(task, {source, missing}), missing);
    expect_no_run(train_on(task, {empty, empty}), empty);
    expect_no_run(train_on(task, {source}), "tab");
    expect_no_run(train_on(task, {source, target, target}), "--train needs two files");
    expect_no_run(train_on(task, {source, pair_files(59)[1]}), "59");
  }
  expect_no_run(train_on("lm", {file_with("latin", "caf\xe9 au lait\n")}), "UTF-8");
  EXPECT_EQ(train_on("lm", {file_with("latin", std::string(300, 'x') + "\xe9 au lait\n")},
                     {"--encoding", "latin1", "--tokenizer", "char"})
                .code,
            0);
  expect_error(train_on("lm", {text_file()}, {"-o", text_file() + "/x"}), "", 2);
}

TEST(TrainMistakes, TheFolder) {
  const std::string file = file_with("a-file", "x");
  for (const std::string& folder : {file, file + "/below", std::string("/proc/heed-run")}) {
    const Outcome outcome =
        run_heed({"train", "lm", "--train", text_file(), "-o", folder, "--steps", "1"});
    expect_error(outcome, folder);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
}

// Files that no run of heed left are not replaced by accident.
TEST(TrainMistakes, FilesOfOthersInTheFolder) {
  const std::string folder = temporary("others");
  std::filesystem::create_directory(folder);
  const std::string file = file_with("others/model.safetensors", "precious");
  const Outcome refused = run_heed(train_arguments("lm", folder));
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("has a file model.safetensors"), std::string::npos) << refused.err;
  EXPECT_EQ(file_text(file), "precious");
  EXPECT_EQ(run_heed(train_arguments("lm", folder, {"--overwrite"})).code, 0);
  const std::string tokenizer = file_text(folder + "/tokenizer.json");
  const Outcome vocab = run_heed({"vocab", text_file(), "-o", folder, "--type", "char"});
  EXPECT_EQ(vocab.code, 1);
  EXPECT_NE(vocab.err.find("holds a model (config.json)"), std::string::npos) << vocab.err;
  EXPECT_EQ(file_text(folder + "/tokenizer.json"), tokenizer);
}

TEST(TrainMistakes, WithoutData) {
  const std::string pipe = temporary("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_no_run(train_on("lm", {pipe}, {}), "pipe is a pipe, but training reads its data twice");
  const Outcome outcome = run_heed({"train", "lm", "-o", temporary("no-data")});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--train"), std::string::npos) << outcome.err;
}

TEST(TrainMistakes, TooLittleData) {
  expect_no_run(train_on("translate", {file_with("one", "a b\n"), file_with("one2", "b a\n")}),
                "too few");
  expect_no_run(train_on("classify", {file_with("one-label", "x\ta\nx\tb\nx\tc\n")}),
                "two labels or more");
  expect_no_run(train_on("classify", {file_with("no-tab", "x a\n")}), "no-tab");
  expect_no_run(train_on("tag", {file_with("one-tag", "a X\nb X\n\nc X\n\n")}), "two tags or more");
  expect_no_run(train_on("tag", {file_with("no-tags", "a\nb\n")}), "no-tags");
}

// Small and odd, but possible.
TEST(TrainMistakes, OddData) {
  const auto works = [](const Outcome& outcome) { EXPECT_EQ(outcome.code, 0) << outcome.err; };
  works(train_on("translate", {file_with("two", "a b\nc\n"), file_with("two2", "b a\nc\n")}));
  works(train_on("classify", {file_with("rare", "x\ta b\nx\tb\nx\tc\nx\td\ny\te\n")}));
  works(train_on("classify", {file_with("blank", "x\t \ny\tb\nx\tc\ny\t...\n")}));
  works(train_on("tag", {file_with("few", "a X\nb Y\n\nc X\n\n")}));
  works(train_on("lm", {file_with("short", "some words that are fewer than the context is\n")},
                 {"--context", "4000"}));
  works(train_on("lm", {text_file()}, {"--context", "1"}));
  works(train_on("lm", {text_file()}, {"--context", "1", "--window", "1", "--batch", "1"}));
  works(train_on("lm", {text_file()}, {"--context", "16777216"}));
  works(train_on("translate", pair_files(), {"--context", "6", "--positions", "learned"}));
  works(train_on("translate", pair_files(),
                 {"--context", "6", "--positions", "learned", "--model", "prefix"}));
  works(train_on("classify", {labeled_file()},
                 {"--context", "3", "--positions", "learned", "--pool", "cls"}));
  works(train_on("tag", {tagged_file()}, {"--context", "3", "--positions", "learned"}));
  works(train_on("translate", pair_files(), {"--max-length", "1"}));
  for (const char* type : {"char", "word"}) {
    works(train_on("lm", {text_file()}, {"--tokenizer", type, "--vocab-size", "8"}));
  }
}

TEST(TrainMistakes, Settings) {
  const Words text{text_file()};
  for (const char* type : {"char", "word", "bpe", "spm"}) {
    expect_no_run(train_on("lm", text, {"--tokenizer", type, "--vocab-size", "1"}), "vocab");
  }
  expect_no_run(train_on("lm", text, {"--tokenizer", "bep"}), "--tokenizer bep");
  expect_no_run(train_on("lm", text, {"--heads", "3"}),
                "a width of 16 cannot be split into 3 heads");
  expect_no_run(train_on("lm", text, {"--heads", "4", "--kv-heads", "3"}), "take a divisor");
  expect_no_run(train_on("lm", text, {"--heads", "16", "--positions", "rotary"}), "rotary");
  expect_no_run(train_on("lm", text, {"--model", "prefix"}), "a language model is a decoder");
  expect_no_run(train_on("tag", {tagged_file()}, {"--model", "rnn"}), "translate and summarize");
  expect_no_run(train_on("lm", text, {"--metric", "bleu"}), "lm has loss and perplexity");
  expect_no_run(train_on("tag", {tagged_file()}, {"--metric", "blue"}), "no metric \"blue\"");
  expect_no_run(train_on("lm", text, {"--steps", "0"}), "--steps", 2);
  expect_no_run(train_on("lm", text, {"--steps", "2", "--epochs", "2"}), "--epochs", 2);
  expect_no_run(train_on("lm", text, {"--dropout", "1"}), "--dropout", 2);
  expect_no_run(train_on("lm", text, {"--freeze", "encoder"}), "--freeze encoder");
  expect_no_run(train_on("lm", text, {"--freeze", "tokens,decoder"}), "nothing to train");
  expect_no_run(train_on("lm", text, {"--init-from", temporary("no-run")}), "no-run");
  expect_no_run(train_on("translate", pair_files(),
                         {"--max-length", "50", "--context", "20", "--positions", "learned"}),
                "--context 51");
  expect_no_run(train_on("lm", text, {"--config", file_with("bad.json", "{\"dmi\": 3}")}),
                "no setting \"dmi\"");
  expect_no_run(train_on("lm", text, {"--config", temporary("no.json")}), "no.json");
  expect_no_run(train_on("lm", text, {"--config", file_with("lora.json", "{\"lora\": 4}")}),
                "lora is a setting of heed finetune");
  const Outcome foo = run_heed({"train", "--config", file_with("foo.json", "{\"task\": \"foo\"}"),
                                "--train", text[0], "-o", temporary("foo")});
  EXPECT_EQ(foo.code, 1);
  EXPECT_NE(foo.err.find("there is no task \"foo\"; there are lm, "), std::string::npos) << foo.err;
}

TEST(TrainMistakes, InitFromThatDoesNotFit) {
  const std::string base = temporary("init-base");
  ASSERT_EQ(run_heed(train_arguments("translate", base)).code, 0);
  const Words labels{labeled_file()};
  expect_no_run(train_on("classify", labels, {"--init-from", base, "--dim", "32"}), "none of the ");
  expect_no_run(
      train_on("classify", labels,
               {"--init-from", base, "--ffn", "24", "--layers", "2", "--freeze", "encoder"}),
      "encoder.1");
  expect_no_run(train_on("classify", labels,
                         {"--init-from", base, "--tokenizer", "byte", "--freeze", "tokens"}),
                "--freeze tokens");
}

TEST(TrainMistakes, TooLarge) {
  expect_no_run(train_on("lm", {text_file()}, {"--dim", "1048576"}), "memory");
  expect_no_run(train_on("lm", {text_file()}, {"--ffn", "4194304", "--dim", "16384"}), "memory");
  expect_no_run(train_on("translate", pair_files(), {"--dim", "131072", "--model", "rnn"}),
                "memory");
  expect_no_run(train_on("lm", {text_file()},
                         {"--context", "16777216", "--positions", "learned", "--dim", "4096"}),
                "memory");
}

// A rate that grows until no training survives it: it stops, explains, and leaves a checkpoint from
// which a lower rate goes on.
TEST(TrainMistakes, AnExplodingLoss) {
  const auto explode = [](const std::string& folder, const std::string& save_every) {
    return run_heed(
        train_arguments("translate", folder,
                        {"--steps", "200", "--lr", "1e6", "--warmup", "1000000", "--clip", "0",
                         "--optimizer", "sgd", "--quiet", "--save-every", save_every}));
  };
  const std::string folder = temporary("explodes"), unsaved = temporary("explodes-early");
  const Outcome outcome = explode(folder, "1");
  expect_error(outcome, "Try a lower learning rate");
  const auto checkpoint = SafetensorsFile::open(folder + "/state.safetensors");
  const int64_t saved = std::stoll(checkpoint.metadata().at("step"));
  // The step before the last had found that one good.
  EXPECT_NE(outcome.err.find(fmt::format("the loss at step {} is", saved + 2)), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("goes on from the last checkpoint"), std::string::npos);
  const Outcome early = explode(unsaved, "100");
  expect_error(early, "Try a lower learning rate");
  EXPECT_NE(early.err.find("begins anew, for there is no checkpoint yet"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(unsaved + "/state.safetensors"));
  // The advice can be followed.
  for (const auto& [run, what] : {std::pair(folder, "going on after step"),
                                  std::pair(unsaved, "training starts from the beginning")}) {
    const std::string advice = fmt::format("heed train translate -o {} --resume --lr 1e+05", run);
    EXPECT_NE((run == folder ? outcome : early).err.find(advice), std::string::npos) << advice;
    const Outcome again =
        run_heed({"train", "translate", "-o", run, "--resume", "--lr", "1e-6", "--warmup", "1",
                  "--clip", "1", "--schedule", "constant", "--steps", "20", "-t", "1"});
    EXPECT_NE(again.err.find(what), std::string::npos) << again.err;
    EXPECT_EQ(again.code, 0) << again.err;
  }
}

// Whoever reads text says what it is, and no command takes it for Latin-1.
TEST(TrainMistakes, CompressedData) {
  const std::string packed = file_with("packed.gz", std::string("\x1f\x8b\x08\0\n\x01\xff", 7));
  const std::string said = packed +
                           ": this is compressed by gzip, expected text; unpack it: gzip "
                           "-dc FILE > TEXT";
  for (const char* task : {"lm", "classify", "tag", "translate"}) {
    expect_no_run(train_on(task, Words(task == std::string("translate") ? 2 : 1, packed)), said);
  }
  expect_error(run_heed({"vocab", packed, "-o", temporary("of-packed")}), said);
  const std::string model = trained_run("classify");
  expect_error(run_heed({"classify", "-m", model, packed}), said);
  const Outcome checked = run_heed({"check", packed});
  EXPECT_EQ(checked.code, 1);
  EXPECT_EQ(checked.err, "heed: 1 thing must be fixed\n");
  EXPECT_NE(checked.out.find("compressed by gzip"), std::string::npos) << checked.out;
}

struct ModelMistakes : ::testing::Test {
  static void SetUpTestSuite() {
    for (const char* task : {"translate", "classify", "tag", "lm"}) {
      ASSERT_EQ(run_heed(train_arguments(task, temporary(std::string("good-") + task))).code, 0);
    }
  }

  // The commands that read a model, each on a copy with one file replaced.
  static void expect_refused(const std::string& task, const std::string& file,
                             const std::string& contents, const std::string& text) {
    SCOPED_TRACE(task + " " + file + " " + contents.substr(0, 40));
    const std::string folder = temporary("bad-model");
    std::filesystem::remove_all(folder);
    std::filesystem::copy(temporary("good-" + task), folder);
    std::ofstream(folder + "/" + file, std::ios::binary) << contents;
    check_commands(task, folder, text);
  }

  static void check_commands(const std::string& task, const std::string& folder,
                             const std::string& text) {
    Words eval{"eval", "-m", folder, "--data"};
    for (const std::string& path : files_for(task)) eval.push_back(path);
    std::vector<Words> commands{eval, {"info", folder}};
    if (task == "translate") commands.push_back({"translate", "-m", folder, pair_files()[0]});
    for (const Words& command : commands) {
      const Outcome outcome = run_heed(command);
      expect_error(outcome, text);
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
  }

  static std::string good(const std::string& task, const std::string& file) {
    return file_text(temporary("good-" + task) + "/" + file);
  }

  static std::string edited(const std::string& task, const std::string& path,
                            const nlohmann::json& value) {
    auto json = nlohmann::json::parse(good(task, "config.json"));
    json[nlohmann::json::json_pointer(path)] = value;
    return json.dump();
  }
};

TEST_F(ModelMistakes, DamagedFiles) {
  const std::string weights = good("translate", "model.safetensors");
  for (const std::string& text : {std::string(), std::string("x"), weights.substr(0, 100),
                                  weights.substr(0, weights.size() - 4), weights + "more"}) {
    expect_refused("translate", "model.safetensors", text, "model.safetensors");
  }
  expect_refused("translate", "model.safetensors", good("lm", "model.safetensors"),
                 "the model needs");
  for (const char* text : {"", "{", "[]", "{}", "{\"format\": 1}", "{\"format\": 99}",
                           "{\"format\": -1}", "{\"format\": \"1\"}"}) {
    expect_refused("translate", "config.json", text, "config.json");
  }
  for (const char* text : {"", "{", "{}", "{\"format\": 1, \"type\": \"char\"}"}) {
    expect_refused("translate", "tokenizer.json", text, "tokenizer.json");
  }
}

// What brackets inside brackets would do to the stack is not tried.
TEST_F(ModelMistakes, DeeplyNestedFiles) {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  expect_refused("lm", "config.json", R"({"format": 1, "model": )" + deep + "}", "nested deeper");
  expect_refused("lm", "tokenizer.json", R"({"format": )" + deep + "}", "nested deeper");
  expect_no_run(train_on("lm", {text_file()},
                         {"--config", file_with("deep.json", R"({"dim": )" + deep + "}")}),
                "nested deeper");
  const std::string folder = temporary("deep-log");
  std::filesystem::copy(temporary("good-lm"), folder);
  std::ofstream(folder + "/log.jsonl", std::ios::app)
      << R"({"step": 3, "valid": )" << deep << "}\n";
  EXPECT_EQ(run_json({"info", folder})["validations"].size(), 1u);
}

TEST_F(ModelMistakes, FilesThatDoNotFit) {
  expect_refused("classify", "tokenizer.json", good("translate", "tokenizer.json"), "tokenizer");
  expect_refused("classify", "config.json", edited("classify", "/labels", Words{"a"}), "labels");
  expect_refused("tag", "config.json", edited("tag", "/labels", Words{"a", "b", "c"}), "labels");
  expect_refused("classify", "config.json", edited("classify", "/settings/task", "tag"), "task");
  expect_refused("lm", "config.json", edited("lm", "/settings/task", "translate"), "task");
  expect_refused("lm", "config.json", edited("lm", "/settings/task", "dream"), "task");
  expect_refused("lm", "config.json", edited("lm", "/model/width", 1 << 24), "");
  expect_refused("lm", "config.json", edited("lm", "/model/decoder_layers", 1 << 24), "missing");
  expect_refused("lm", "config.json", edited("lm", "/model/vocabulary", -1), "vocabulary");
  expect_refused("lm", "config.json", edited("lm", "/model/heads", 3), "heads");
  expect_refused("lm", "config.json", edited("lm", "/settings/context", "x"), "context");
  expect_refused("translate", "config.json", edited("translate", "/settings/model", "decoder"),
                 "model");
}

TEST_F(ModelMistakes, MissingFiles) {
  check_commands("translate", temporary("no-such-run"), "no-such-run is not a run of heed");
  for (const char* file : {"tokenizer.json", "model.safetensors"}) {
    const std::string folder = temporary("bad-model");
    std::filesystem::remove_all(folder);
    std::filesystem::copy(temporary("good-translate"), folder);
    std::filesystem::remove(folder + "/" + file);
    check_commands("translate", folder, file);
  }
}

TEST_F(ModelMistakes, Data) {
  const std::string missing = temporary("missing"), empty = file_with("empty", "");
  const auto eval = [](const std::string& task, const Words& data) {
    Words arguments{"eval", "-m", temporary("good-" + task), "--data"};
    arguments.insert(arguments.end(), data.begin(), data.end());
    return run_heed(arguments);
  };
  for (const char* task : {"translate", "classify", "tag", "lm"}) {
    SCOPED_TRACE(task);
    const bool pairs = std::string(task) == "translate";
    expect_error(eval(task, pairs ? Words{missing, missing} : Words{missing}), missing);
    expect_error(eval(task, pairs ? Words{empty, empty} : Words{empty}), empty);
    if (std::string(task) != "lm") expect_error(eval(task, {empty, empty, empty}), "--data needs");
  }
  expect_error(eval("translate", {pair_files(60)[0], pair_files(59)[1]}), "59");
  expect_error(eval("lm", {file_with("letter", "a")}), "letter");
  expect_error(run_heed({"translate", "-m", temporary("good-lm"), pair_files()[0]}), "for lm");
  expect_error(run_heed({"translate", "-m", temporary("good-translate"), missing}), missing);
  const Outcome nothing = run_heed({"translate", "-m", temporary("good-translate"), empty});
  EXPECT_EQ(nothing.code, 0);
  EXPECT_EQ(nothing.out, "");
  const Outcome vectors =
      run_heed({"eval", "-m", temporary("good-translate"), "--vectors",
                array_file("vectors.npy", {2, 3, 4}), "--data", file_with("two", "a\nb\n")});
  expect_error(vectors, "vectors");
  // A label or a tag that training did not have is counted as wrong, or left out, and said.
  const Outcome unknown =
      eval("classify", {file_with("unknown.tsv", "bird\tthe cat\ncat\tthe cat\n")});
  EXPECT_EQ(unknown.code, 0) << unknown.err;
  EXPECT_NE(unknown.err.find("1 text has a label"), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace heed::train_mistakes_test

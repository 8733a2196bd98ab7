// heed train with every setting, a few steps each; then heed eval, info and translate on the
// result.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "heed/io/safetensors.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::train_test {
namespace {

using Words = std::vector<std::string>;

// The scores of a task, each a number.
void expect_scores(const nlohmann::json& page, const Words& names) {
  for (const std::string& name : names) {
    EXPECT_TRUE(page.contains(name) && page[name].is_number()) << name << " in " << page;
  }
  EXPECT_TRUE(page["tokens"].is_number_integer());
  EXPECT_GT(page["loss"].get<double>(), 0.1);
  EXPECT_LT(page["loss"].get<double>(), 10);
}

TEST(Train, EveryTaskGivesAModelThatCanBeMeasured) {
  const std::pair<std::string, Words> tasks[] = {
      {"lm", {"loss", "tokens", "perplexity", "bits_per_byte"}},
      {"translate", {"loss", "tokens", "bleu", "chrf", "exact_match"}},
      {"summarize", {"loss", "tokens", "rouge1", "rouge2", "rougeL", "exact_match"}},
      {"classify", {"loss", "tokens", "accuracy", "macro_f1", "micro_f1"}},
      {"tag", {"loss", "tokens", "accuracy", "macro_f1", "f1"}}};
  for (const auto& [task, names] : tasks) {
    SCOPED_TRACE(task);
    const std::string folder = trained_run(task);
    EXPECT_EQ(config_of(folder)["task"], task);
    EXPECT_EQ(config_of(folder)["format"], 1);
    const auto page = evaluated(folder, files_for(task));
    EXPECT_EQ(page["task"], task);
    EXPECT_EQ(page["step"], 2);
    expect_scores(page, names);
    const auto info = run_json({"info", "-m", folder});
    EXPECT_EQ(info["step"], 2);
    EXPECT_GT(info["parameters"].get<int64_t>(), 1000);
    EXPECT_EQ(info["validations"].size(), 1u);
    const Outcome printed = run_heed({"info", folder});
    EXPECT_NE(printed.out.find("task          " + task), std::string::npos) << printed.out;
    for (const char* unused : {"kv_heads", "key_width", "window", "source_width"}) {
      EXPECT_EQ(printed.out.find(unused), std::string::npos) << printed.out;
    }
    EXPECT_EQ(printed.out.find("classes   ") != std::string::npos,
              task == "classify" || task == "tag");
  }
}

// A BLEU score can be compared only if it says how it was computed.
TEST(Train, BleuHasItsSignature) {
  const std::string folder = trained_run("translate");
  const auto page = evaluated(folder, pair_files());
  EXPECT_EQ(page["bleu_signature"], "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
  Words words{"eval", "-m", folder, "--tokenized", "--data"};
  for (const std::string& file : pair_files()) words.push_back(file);
  const Outcome printed = run_heed(words);
  EXPECT_NE(printed.out.find("\nbleu is nrefs:1|case:mixed|eff:no|tok:none|smooth:exp\n"),
            std::string::npos)
      << printed.out;
  EXPECT_FALSE(
      evaluated(trained_run("summarize"), files_for("summarize")).contains("bleu_signature"));
}

TEST(Train, EveryTokenizer) {
  for (const char* type : {"byte", "char", "word", "bpe", "spm"}) {
    SCOPED_TRACE(type);
    const std::string folder =
        trained_run("translate", {"--tokenizer", type, "--vocab-size", "300"});
    EXPECT_LE(config_of(folder)["model"]["vocabulary"].get<int64_t>(), 300);
    EXPECT_EQ(config_of(folder)["settings"]["tokenizer"], type);
    expect_scores(evaluated(folder, pair_files()), {"bleu"});
  }
}

TEST(Train, EveryModelTranslates) {
  const std::string lines = file_with("three_lines", "the red car\n\nHäuser ohne Ende\n");
  for (const char* model : {"transformer", "decoder", "prefix", "rnn", "rnn-attention"}) {
    SCOPED_TRACE(model);
    const std::string folder = trained_run("translate", {"--model", model});
    expect_scores(evaluated(folder, pair_files()), {"bleu", "exact_match"});
    for (const char* command : {"translate", "summarize"}) {
      const Outcome outcome = run_heed({command, "-m", folder, lines, "-n", "9"});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_EQ(outcome.err, "");
      EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 3) << outcome.out;
      EXPECT_EQ(outcome.out.find("<|"), std::string::npos) << outcome.out;
    }
  }
}

// What a model was asked to be stands in its configuration.
TEST(Train, TheShapeOfTheModel) {
  const auto model_of = [](const std::string& task, const Words& more) {
    return config_of(trained_run(task, more))["model"];
  };
  auto model = model_of("translate", {"--enc-layers", "2", "--dec-layers", "1", "--heads", "4",
                                      "--kv-heads", "2", "--context", "40"});
  EXPECT_EQ(model["encoder_layers"], 2);
  EXPECT_EQ(model["decoder_layers"], 1);
  EXPECT_EQ(model["width"], 16);
  EXPECT_EQ(model["hidden"], 24);
  EXPECT_EQ(model["heads"], 4);
  EXPECT_EQ(model["kv_heads"], 2);
  EXPECT_EQ(model["context"], 40);
  EXPECT_EQ(model["kind"], "encoder-decoder");
  model = model_of("lm", {"--layers", "2", "--window", "5", "--context", "12"});
  EXPECT_EQ(model["decoder_layers"], 2);
  EXPECT_EQ(model["encoder_layers"], 0);
  EXPECT_EQ(model["window"], 5);
  EXPECT_EQ(model["kind"], "decoder");
  EXPECT_EQ(model_of("lm", {"--norm", "post", "--norm-kind", "rms"})["norm_place"], "post");
  EXPECT_EQ(model_of("lm", {"--norm", "pre"})["norm_place"], "pre");
  EXPECT_EQ(model_of("lm", {"--dropout", "0.3"})["dropout"], 0.3);
  EXPECT_EQ(model_of("lm", {"--activation", "silu-gated", "--tied", "no"})["tied"], false);
  for (const auto& [pool, field] :
       {std::pair{"mean", "mean"}, {"cls", "first"}, {"cls-end", "last"}}) {
    const std::string folder = trained_run("classify", {"--pool", pool});
    EXPECT_EQ(config_of(folder)["model"]["pool"], field);
    EXPECT_EQ(config_of(folder)["labels"], (Words{"cat", "dog", "neither"}));
    expect_scores(evaluated(folder, files_for("classify")), {"accuracy"});
  }
}

TEST(Train, EveryKindOfPositions) {
  for (const char* kind : {"sinusoidal", "learned", "hybrid", "rotary", "none"}) {
    for (const char* mode : {"add", "append"}) {
      SCOPED_TRACE(std::string(kind) + " " + mode);
      const std::string folder =
          trained_run("translate", {"--positions", kind, "--position-mode", mode});
      EXPECT_EQ(config_of(folder)["model"]["positions"], kind);
      EXPECT_EQ(config_of(folder)["model"]["position_mode"], mode);
      expect_scores(evaluated(folder, pair_files()), {"bleu"});
    }
  }
}

// The sample of a validation must fit in, too.
TEST(Train, FewLearnedPositions) {
  for (const char* context : {"1", "2", "8", "13"}) {
    SCOPED_TRACE(context);
    const std::string folder = trained_run("lm", {"--positions", "learned", "--context", context});
    EXPECT_NE(file_text(folder + "/log.jsonl").find("\"samples\":[\""), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(folder + "/model.safetensors"));
  }
}

TEST(Train, EveryScore) {
  for (const char* score : {"scaled-dot", "dot", "additive", "bilinear"}) {
    const std::string folder = trained_run("translate", {"--score", score});
    EXPECT_EQ(config_of(folder)["model"]["score"], score);
    expect_scores(evaluated(folder, pair_files()), {"bleu"});
  }
}

TEST(Train, EveryRecurrentModel) {
  for (const char* cell : {"gru", "lstm"}) {
    for (const char* score : {"additive", "dot", "general"}) {
      SCOPED_TRACE(std::string(cell) + " " + score);
      const std::string folder = trained_run(
          "translate", {"--model", "rnn-attention", "--cell", cell, "--rnn-score", score});
      const auto model = config_of(folder)["model"];
      EXPECT_EQ(model["type"], "rnn");
      EXPECT_EQ(model["cell"], cell);
      EXPECT_EQ(model["attention"], score);
      expect_scores(evaluated(folder, pair_files()), {"bleu"});
    }
  }
  const std::string folder = trained_run("translate", {"--model", "rnn", "--enc-layers", "2"});
  EXPECT_EQ(config_of(folder)["model"]["attention"], "none");
  EXPECT_EQ(config_of(folder)["model"]["encoder_layers"], 2);
}

nlohmann::json lines_of_log(const std::string& folder) {
  nlohmann::json lines = nlohmann::json::array();
  std::istringstream log(file_text(folder + "/log.jsonl"));
  for (std::string line; std::getline(log, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

TEST(Train, TheLearningRateFollowsTheSchedule) {
  const auto rates = [](const Words& more) {
    Words all{"--steps", "4", "--lr", "0.01", "--log-every", "1"};
    all.insert(all.end(), more.begin(), more.end());
    std::vector<double> result;
    for (const auto& line : lines_of_log(trained_run("lm", all))) {
      if (line.contains("lr")) result.push_back(line["lr"]);
    }
    return result;
  };
  const auto expect = [](const std::vector<double>& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-9);
  };
  expect(rates({"--schedule", "constant", "--warmup", "2"}), {0.005, 0.01, 0.01, 0.01});
  expect(rates({"--schedule", "linear", "--warmup", "0"}), {0.01, 0.0075, 0.005, 0.0025});
  expect(rates({"--schedule", "inverse-sqrt", "--warmup", "1"}),
         {0.01, 0.01 / std::sqrt(2), 0.01 / std::sqrt(3), 0.005});
  expect(rates({"--schedule", "cosine", "--warmup", "0"}),
         {0.01, 0.005 * (1 + std::sqrt(0.5)), 0.005, 0.005 * (1 - std::sqrt(0.5))});
}

TEST(Train, HowMuchAndHowOften) {
  // 120 lines in batches: an epoch, validations, patience.
  const auto steps_of = [](const std::string& run) {
    return run_json({"info", run})["validations"].back()["step"].get<int64_t>();
  };
  std::string folder = trained_run("translate", {"--epochs", "2", "--batch-tokens", "200"});
  const int64_t steps = steps_of(folder);
  EXPECT_GE(steps, 4);
  EXPECT_EQ(steps_of(trained_run("translate", {"--epochs", "4", "--batch-tokens", "200"})),
            2 * steps);
  EXPECT_LT(steps_of(trained_run("translate", {"--epochs", "2", "--batch-tokens", "600"})), steps);
  EXPECT_EQ(steps_of(trained_run("translate", {"--epochs", "2", "--batch", "19"})), 6);
  folder = trained_run("translate", {"--steps", "6", "--eval-every", "2", "--save-every", "3"});
  int64_t validations = 0;
  for (const auto& line : lines_of_log(folder)) validations += line.contains("valid") ? 1 : 0;
  EXPECT_EQ(validations, 3);
  // The rate is so low that nothing gets better.
  folder = temporary("patient");
  const Outcome outcome =
      run_heed(train_arguments("classify", folder,
                               {"--steps", "50", "--eval-every", "2", "--patience", "3", "--lr",
                                "1e-9", "--metric", "accuracy"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("stopped after step 8: no better accuracy in 3 validations"),
            std::string::npos)
      << outcome.err;
  // A length that is given is kept.
  EXPECT_EQ(steps_of(trained_run("classify", {"--steps", "16", "--eval-every", "2", "--lr", "1e-9",
                                              "--metric", "accuracy"})),
            16);
}

TEST(Train, TheWayOfTraining) {
  const Words ways[] = {{"--label-smoothing", "0.2"},
                        {"--clip", "0.01"},
                        {"--clip", "0"},
                        {"--optimizer", "sgd", "--weight-decay", "0"},
                        {"--beta1", "0.8", "--beta2", "0.9"},
                        {"--accumulate", "3"},
                        {"--shards", "4"},
                        {"--average", "0.5"},
                        {"--attention-dropout", "0.2"},
                        {"--seed", "7"}};
  const size_t plain = model_hash(trained_run("translate"));
  for (const Words& way : ways) {
    SCOPED_TRACE(way[0] + " " + way[1]);
    const std::string folder = trained_run("translate", way);
    EXPECT_NE(model_hash(folder), plain);
    expect_scores(evaluated(folder, pair_files()), {"bleu"});
  }
  EXPECT_EQ(model_hash(trained_run("translate")), plain);
  EXPECT_EQ(model_hash(trained_run("translate", {"-t", "2"})), plain);
}

// Each of these changes what is trained, not only what is written down.
TEST(Train, EverySettingChangesTheWeights) {
  const auto weights = [](const std::string& task, const Words& more = {}) {
    return model_hash(trained_run(task, more));
  };
  const std::pair<std::string, std::vector<Words>> tasks[] = {
      {"translate",
       {{"--tokenizer", "char"},
        {"--vocab-size", "290"},
        {"--model", "prefix"},
        {"--model", "rnn"},
        {"--layers", "2"},
        {"--enc-layers", "2"},
        {"--dec-layers", "2"},
        {"--heads", "4"},
        {"--kv-heads", "1"},
        {"--dim", "24"},
        {"--positions", "none"},
        {"--positions", "rotary"},
        {"--position-mode", "append"},
        {"--score", "dot"},
        {"--score", "additive"},
        {"--norm", "post"},
        {"--dropout", "0.4"},
        {"--batch", "5"},
        {"--batch-tokens", "90"},
        {"--steps", "3"},
        {"--epochs", "1"},
        {"--lr", "0.02"},
        {"--warmup", "9"},
        {"--label-smoothing", "0.3"},
        {"--clip", "0.01"},
        {"--seed", "2"},
        {"--max-length", "3"}}},
      {"lm", {{"--context", "9"}, {"--window", "3"}, {"--activation", "relu"}}},
      {"classify", {{"--pool", "cls"}, {"--pool", "cls-end"}}}};
  for (const auto& [task, changes] : tasks) {
    const size_t plain = weights(task);
    for (const Words& change : changes) {
      SCOPED_TRACE(change[0] + " " + change[1]);
      EXPECT_NE(weights(task, change), plain);
    }
  }
  const Words rnn{"--model", "rnn-attention", "--steps", "3"};
  const size_t plain = weights("translate", rnn);
  for (const Words& change : {Words{"--cell", "lstm"}, Words{"--rnn-score", "general"}}) {
    Words all = rnn;
    all.insert(all.end(), change.begin(), change.end());
    EXPECT_NE(weights("translate", all), plain);
  }
  EXPECT_NE(weights("translate", {"--schedule", "constant", "--warmup", "0"}),
            weights("translate", {"--schedule", "linear", "--warmup", "0"}));
}

// The default of heads suits any width.
TEST(Train, HeadsOfAnOddWidth) {
  const std::string folder = temporary("width-20");
  const Outcome outcome = run_heed({"train", "lm", "--train", text_file(), "-o", folder, "--dim",
                                    "20", "--layers", "1", "--steps", "1", "-t", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(config_of(folder)["model"]["heads"], 2);  // 4 heads of 5 numbers have no pairs
}

// To look up a token multiplies nothing.
TEST(Train, WorkPerToken) {
  const auto page = run_json({"info", trained_run("classify", {"--tied", "no"})});
  const int64_t table = page["parts"]["tokens.table"];
  EXPECT_GT(table, 0);
  EXPECT_LE(page["flop_per_token"].get<int64_t>(), 2 * (page["parameters"].get<int64_t>() - table));
}

TEST(Train, PresetsAreSizes) {
  const std::pair<const char*, std::vector<int64_t>> sizes[] = {
      {"tiny", {128, 2}}, {"small", {256, 3}}, {"base", {512, 6}}};
  for (const auto& [name, size] : sizes) {
    const std::string folder = temporary(std::string("preset-") + name);
    const Outcome outcome = run_heed({"train", "lm", "--train", text_file(), "-o", folder,
                                      "--preset", name, "--tokenizer", "char", "--context", "8",
                                      "--batch", "1", "--steps", "1", "-t", "1", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto model = config_of(folder)["model"];
    EXPECT_EQ(model["width"], size[0]) << name;
    EXPECT_EQ(model["decoder_layers"], size[1]) << name;
  }
}

TEST(Train, QuietIsQuiet) {
  const std::string folder = temporary("quiet");
  const Outcome outcome = run_heed(train_arguments("lm", folder, {"--quiet"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_FALSE(lines_of_log(folder).back()["samples"].empty());  // the log has them all the same
}

// With nothing but data: held out, sizes chosen, and said.
TEST(Train, ChoosesWhatIsLeftOpen) {
  const std::string folder = temporary("chosen");
  const Outcome outcome =
      run_heed({"train", "classify", "--train", labeled_file(), "-o", folder, "-t", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* text :
       {"no --valid: 3 texts of the training data are held out", "size: tiny (width 128, 2 layers)",
        "parameters", "training: up to 300 epochs of about 1 step", "the best model",
        "stops after 5 validations without a better accuracy (if equal: a lower loss)"}) {
    EXPECT_NE(outcome.err.find(text), std::string::npos) << text << " in " << outcome.err;
  }
  EXPECT_EQ(config_of(folder)["settings"]["dim"], 128);
}

// Nobody takes a transformer for an LSTM.
TEST(Train, TellsWhatDoesNothing) {
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const auto told = [](const std::string& task, const Words& more) {
    static int count = 0;
    const std::string folder = temporary(fmt::format("unused-{}", ++count));
    const Outcome outcome = run_heed(train_arguments(task, folder, more));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.err;
  };
  const std::string nothing = " does nothing: it ";
  EXPECT_TRUE(has(told("translate", {"--cell", "lstm"}),
                  "--cell" + nothing + "is for recurrent models (--model rnn or rnn-attention)"));
  const std::string recurrent = told("translate", {"--model", "rnn", "--rnn-score", "dot"});
  EXPECT_TRUE(has(recurrent, "--heads" + nothing + "is for transformers, not for --model rnn"));
  EXPECT_TRUE(has(recurrent, "--rnn-score" + nothing + "is for --model rnn-attention"));
  EXPECT_TRUE(has(told("tag", {"--pool", "cls"}), "--pool" + nothing));
  EXPECT_TRUE(has(told("lm", {"--enc-layers", "2"}), "--enc-layers" + nothing));
  EXPECT_TRUE(has(told("classify", {"--dec-layers", "2"}), "--dec-layers" + nothing));
  EXPECT_TRUE(has(told("classify", {"--tied", "no"}), "--tied" + nothing));
  EXPECT_TRUE(has(told("lm", {"--max-length", "5"}), "--max-length" + nothing));
  EXPECT_TRUE(has(told("lm", {"--text-column", "x"}), "--text-column" + nothing));
  EXPECT_TRUE(has(told("classify", {"--tag-column", "2"}), "--tag-column" + nothing));
  EXPECT_TRUE(has(told("lm", {"--positions", "none", "--position-mode", "append"}),
                  "--position-mode" + nothing));
  EXPECT_FALSE(has(told("translate", {"--model", "rnn-attention", "--cell", "lstm", "--rnn-score",
                                      "dot", "--enc-layers", "1", "--dec-layers", "1"}),
                   "--cell"));
  EXPECT_FALSE(has(told("classify", {"--pool", "cls", "--enc-layers", "1"}), nothing));
}

TEST(Train, SettingsFromAFile) {
  Words arguments = train_arguments("lm", temporary("unused"), {"--context", "9"});
  arguments.emplace_back("--dump-config");
  const Outcome dumped = run_heed(arguments);
  EXPECT_EQ(dumped.code, 0);
  EXPECT_FALSE(std::filesystem::exists(temporary("unused")));
  const std::string config = file_with("config.json", dumped.out);
  const std::string folder = temporary("configured");
  for (const Words& more : {Words{}, Words{"--resume"}}) {
    Words again{"train", "lm", "--config", config, "-o", folder, "-t", "1"};
    again.insert(again.end(), more.begin(), more.end());
    const Outcome outcome = run_heed(again);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(config_of(folder)["model"]["context"], 9);
  }
  const Outcome other = run_heed(
      {"train", "lm", "--config", config, "--dim", "8", "-o", temporary("overruled"), "-t", "1"});
  EXPECT_EQ(config_of(temporary("overruled"))["model"]["width"], 8) << other.err;

  // The file of a run is one, too; it names everything that was chosen, and so the same model.
  const std::string twin = temporary("twin");
  const Outcome outcome =
      run_heed({"train", "--config", folder + "/config.json", "-o", twin, "-t", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(model_hash(twin), model_hash(folder));
  for (const std::string& wrong : {temporary(""), temporary("nowhere.json")}) {
    const Outcome refused = run_heed({"train", "lm", "--config", wrong, "-o", temporary("unused")});
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find(wrong + ": cannot read: "), std::string::npos) << refused.err;
  }
}

}  // namespace
}  // namespace heed::train_test

// heed finetune, chat, reward and align, a few steps each, on the small world.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>

#include "heed/io/safetensors.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed::feedback_test {
namespace {

using Words = std::vector<std::string>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Words with(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// A language model of the small world, its data, and what was tuned from it. Made once.
struct World {
  World() {
    prefix = temporary("world");
    base = temporary("base"), tuned = temporary("tuned"), judge = temporary("judge");
    expect_done({"corpus", "world", "-n", "200", "-o", prefix});
    expect_done({"train",       "lm",   "--train",  prefix + ".txt",
                 "--tokenizer", "word", "--dim",    "16",
                 "--heads",     "2",    "--layers", "1",
                 "--context",   "32",   "--steps",  "30",
                 "-o",          base,   "-t",       "1",
                 "--quiet"});
    expect_done(finetune(tuned, {}));
    expect_done({"reward", "-m", tuned, "--train", prefix + ".rankings.jsonl", "--steps", "10",
                 "-o", judge, "-t", "1", "--quiet"});
  }

  static void expect_done(const Words& arguments) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments[0] << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  Words finetune(const std::string& folder, const Words& more) const {
    return with({"finetune", "-m", base, "--train", prefix + ".dialogues.jsonl", "--steps", "10",
                 "-o", folder, "-t", "1", "--quiet"},
                more);
  }
  Words align(const std::string& method, const std::string& folder, const Words& more) const {
    const bool pairs = method == "dpo";
    Words all{"align",
              "-m",
              tuned,
              "--method",
              method,
              "--train",
              prefix + (pairs ? ".rankings.jsonl" : ".prompts.jsonl"),
              "-o",
              folder,
              "--answer-tokens",
              "10",
              "--batch",
              "4",
              "--judge",
              "world",
              "-t",
              "1",
              "--quiet"};
    if (!pairs) all.insert(all.end(), {"--reward", judge});
    return with(all, more);
  }

  std::string prefix, base, tuned, judge;
};

const World& world() {
  static const World made;
  return made;
}

std::string mistake(const Words& arguments) {
  const Outcome outcome = run_heed(arguments);
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  return outcome.err;
}

// R95, R96: dialogues tune a model, which answers.
TEST(CliFeedback, FinetuneAndChat) {
  const auto config = nlohmann::json::parse(file_text(world().tuned + "/config.json"));
  EXPECT_EQ(config["chat"]["template"], "heed");
  EXPECT_EQ(config["chat"]["user"]["after"], "<|sep|>");
  EXPECT_EQ(config["task"], "lm");
  const Outcome answer =
      run_heed({"chat", "-m", world().tuned, "-p", "Where is the lamp?", "-n", "5", "-t", "1"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.out.back(), '\n');
  const Outcome untuned = run_heed({"chat", "-m", world().base, "-p", "x"});
  EXPECT_EQ(untuned.code, 1);
  EXPECT_TRUE(has(untuned.err, "has no chat template")) << untuned.err;
}

TEST(CliFeedback, ResumedIsUninterrupted) {
  int number = 0;
  const auto check = [&](const std::function<Words(const std::string&, const Words&)>& command) {
    const std::string whole = temporary(fmt::format("tuned-whole{}", number));
    const std::string parts = temporary(fmt::format("tuned-parts{}", number++));
    const Words usual{"--schedule", "constant", "--eval-every", "100"};
    World::expect_done(command(whole, with(usual, {"--steps", "7"})));
    World::expect_done(command(parts, with(usual, {"--steps", "3"})));
    World::expect_done(
        {command("", {})[0], "-o", parts, "--resume", "--steps", "7", "-t", "2", "--quiet"});
    const auto a = SafetensorsFile::open(whole + "/state.safetensors");
    const auto b = SafetensorsFile::open(parts + "/state.safetensors");
    for (const std::string& name : a.names()) {
      if (!name.starts_with("model.")) continue;
      const Tensor x = a.tensor(name), y = b.tensor(name);
      for (int64_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(x.data<float>()[i], y.data<float>()[i]) << name;
      }
    }
  };
  const auto without_steps = [](Words all) {
    const auto steps = std::find(all.begin(), all.end(), "--steps");
    all.erase(steps, steps + 2);
    return all;
  };
  for (const Words& adapters : {Words{}, Words{"--lora", "2"}}) {
    check([&](const std::string& folder, const Words& more) {
      return with(without_steps(world().finetune(folder, adapters)), more);
    });
  }
  check([&](const std::string& folder, const Words& more) {
    return with({"reward", "-m", world().tuned, "--train", world().prefix + ".rankings.jsonl", "-o",
                 folder, "-t", "1", "--quiet"},
                more);
  });
  for (const char* method : {"reinforce", "ppo", "dpo"}) {
    SCOPED_TRACE(method);
    check([&](const std::string& folder, const Words& more) {
      return world().align(method, folder, more);
    });
  }
}

// R97: a reward model from rankings, and a policy that is aligned with it.
TEST(CliFeedback, AlignTellsWhatItDoes) {
  for (const char* method : {"reinforce", "ppo", "dpo"}) {
    SCOPED_TRACE(method);
    const std::string folder = temporary(std::string("aligned-") + method);
    const std::string figure = temporary(std::string(method) + ".svg");
    World::expect_done(
        world().align(method, folder, {"--steps", "6", "--log-every", "1", "--eval-every", "3"}));
    World::expect_done({"align", "-o", folder, "--resume", "--figure", figure, "--quiet"});
    EXPECT_TRUE(has(file_text(figure), "<svg"));
    const std::string log = file_text(folder + "/log.jsonl");
    const auto first = nlohmann::json::parse(log.substr(0, log.find('\n')));
    if (std::string_view(method) == "dpo") {
      EXPECT_NEAR(first["loss"].get<double>(), 1.7917594692280550, 1e-6);  // log 3!: three answers
    } else {
      EXPECT_EQ(first["kl"], 0);
      for (const char* name : {"reward", "entropy", "length"}) EXPECT_TRUE(first[name].is_number());
    }
    for (const char* name : {"\"true\"", "\"kl\"", "\"length\""}) EXPECT_TRUE(has(log, name));
  }
}

// As many steps as docs/textbook/human-feedback.md takes, however much data there is.
TEST(CliFeedback, AlignsForSomeSteps) {
  for (const char* method : {"reinforce", "ppo", "dpo"}) {
    const std::string folder = temporary(std::string("usual-") + method);
    run_heed_until(folder + "/config.json", SIGINT, world().align(method, folder, {}));
    const auto settings = config_of(folder)["settings"];
    EXPECT_EQ(settings["steps"], 160);
    EXPECT_EQ(settings["epochs"], 0);
    EXPECT_EQ(settings["eval-every"], 20);
  }
  const std::string folder = temporary("usual-epochs");
  run_heed_until(folder + "/config.json", SIGINT, world().align("dpo", folder, {"--epochs", "2"}));
  EXPECT_EQ(config_of(folder)["settings"]["steps"], 0);
}

// The packed file is not taken for records with bytes that are not UTF-8.
TEST(CliFeedback, CompressedRecords) {
  const std::string packed = file_with("packed.gz", std::string("\x1f\x8b\x08\0\n\x01\xff", 7));
  for (const char* records : {"fail", "skip"}) {
    EXPECT_TRUE(has(mistake({"reward", "-m", world().tuned, "--train", packed, "-o",
                             temporary("never"), "--bad-records", records}),
                    packed + ": this is compressed by gzip"));
  }
}

TEST(CliFeedback, StopsWhenItRunsAway) {
  const Outcome outcome = run_heed(world().align(
      "reinforce", temporary("away"),
      {"--steps", "40", "--eval-every", "2", "--lr", "0.05", "--beta", "0", "--max-kl", "0.5"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "the KL to the starting model ran away")) << outcome.err;
}

// The reward model has seen that long answers win, so answers grow until somebody stops them; also
// if there is no room for three times their length.
TEST(CliFeedback, StopsWhenAnswersGrow) {
  std::string rankings, talks;
  const std::string word = " and the lamp is in the kitchen";
  for (int i = 0; i < 60; ++i) {
    const std::string question = R"(Where is the lamp?)";
    std::string longer = "The lamp is in the kitchen" + word;
    if (i % 2 == 0) longer += word;
    rankings += R"({"prompt": ")" + question + R"(", "answers": [")" + longer +
                R"(.", "The lamp."]})" + "\n";
    talks += R"({"instruction": ")" + question + R"(", "output": ")" +
             (i % 4 == 0 ? longer : "The lamp.") + R"("})" + "\n";
  }
  const std::string model = temporary("grow-model"), judge = temporary("grow-judge");
  World::expect_done({"finetune", "-m", world().base, "--train", file_with("grow.jsonl", talks),
                      "--steps", "60", "--lr", "1e-2", "-o", model, "-t", "1", "--quiet"});
  World::expect_done({"reward", "-m", model, "--train", file_with("longer.jsonl", rankings),
                      "--steps", "60", "--lr", "1e-2", "-o", judge, "-t", "1", "--quiet"});
  const Outcome outcome = run_heed({"align",
                                    "-m",
                                    model,
                                    "--method",
                                    "reinforce",
                                    "--reward",
                                    judge,
                                    "--train",
                                    world().prefix + ".prompts.jsonl",
                                    "-o",
                                    temporary("grown"),
                                    "--answer-tokens",
                                    "24",
                                    "--batch",
                                    "4",
                                    "--steps",
                                    "60",
                                    "--eval-every",
                                    "2",
                                    "--lr",
                                    "0.02",
                                    "--beta",
                                    "0",
                                    "--max-kl",
                                    "1e6",
                                    "-t",
                                    "1",
                                    "--quiet"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(has(outcome.err, "the length ran away")) << outcome.err;
  EXPECT_TRUE(has(outcome.err, "(--max-growth, and below --answer-tokens")) << outcome.err;
}

nlohmann::json last_validation(const std::string& log) {
  nlohmann::json last;
  for (size_t at = 0; at < log.size(); at = log.find('\n', at) + 1) {
    const auto line = nlohmann::json::parse(log.substr(at, log.find('\n', at) - at));
    if (line.contains("valid")) last = line["valid"];
  }
  return last;
}

// What heed align says of its last validation, heed eval says of the same prompts.
TEST(CliFeedback, EvalOfTunedModels) {
  const std::string folder = temporary("measured");
  World::expect_done(world().align(
      "reinforce", folder,
      {"--steps", "3", "--eval-every", "3", "--valid", world().prefix + ".prompts.jsonl"}));
  const nlohmann::json last = last_validation(file_text(folder + "/log.jsonl"));
  const auto scores = run_json({"eval", "-m", folder, "--data", world().prefix + ".prompts.jsonl",
                                "--judge", "world", "-t", "1"});
  for (const char* name : {"true", "reward", "kl", "length"}) {
    EXPECT_NEAR(scores[name].get<double>(), last[name].get<double>(), 1e-6) << name;
  }
  const auto pairs = run_json(
      {"eval", "-m", world().judge, "--data", world().prefix + ".rankings.jsonl", "-t", "1"});
  for (const char* name : {"accuracy", "low", "high", "calibration", "longer", "length_bias"}) {
    EXPECT_TRUE(pairs[name].is_number()) << name;
  }
  // Of conversations, the loss of the answers: what heed finetune says of the same ones.
  const std::string dialogues = world().prefix + ".dialogues.jsonl", tuned = temporary("told");
  World::expect_done(world().finetune(tuned, {"--valid", dialogues, "--eval-every", "10"}));
  const std::string told = file_text(tuned + "/log.jsonl");
  const auto talks = run_json({"eval", "-m", tuned, "--data", dialogues, "-t", "1"});
  EXPECT_NEAR(talks["loss"].get<double>(), last_validation(told)["loss"].get<double>(), 1e-6);
  EXPECT_TRUE(has(mistake({"eval", "-m", tuned, "--data", world().prefix + ".prompts.jsonl"}),
                  ":1: expected \"messages\""));
  EXPECT_TRUE(has(mistake({"eval", "-m", world().judge, "--data", world().prefix + ".prompts.jsonl",
                           "--judge", "world"}),
                  "is a reward model, which writes no answers"));
  EXPECT_TRUE(has(mistake({"eval", "-m", world().base, "--data", world().prefix + ".prompts.jsonl",
                           "--judge", "world"}),
                  "has no chat template"));
}

TEST(CliFeedback, AdaptersAreMerged) {
  const std::string tuned = temporary("lora"), merged = temporary("merged");
  World::expect_done(world().finetune(tuned, {"--lora", "2"}));
  EXPECT_LT(std::filesystem::file_size(tuned + "/model.safetensors"),
            std::filesystem::file_size(world().base + "/model.safetensors"));
  World::expect_done({"average", "--merge", tuned, "-o", merged});
  const Words ask{"-p", "Where is the cup?", "-n", "8", "-t", "1"};
  EXPECT_EQ(run_heed(with({"chat", "-m", tuned}, ask)).out,
            run_heed(with({"chat", "-m", merged}, ask)).out);
}

TEST(CliFeedback, Mistakes) {
  const std::string out = temporary("never");
  const auto finetune = [&](const std::string& text) {
    return mistake(
        {"finetune", "-m", world().base, "--train", file_with("bad.jsonl", text), "-o", out});
  };
  EXPECT_TRUE(has(finetune("{\"messages\": 3}"), ":1: messages must be a list"));
  EXPECT_TRUE(has(finetune("nonsense"), ":1: this is not JSON"));
  EXPECT_TRUE(has(finetune(R"({"instruction": "a", "output": " "})"), ":1: the answer is empty"));
  EXPECT_TRUE(has(finetune(R"({"messages": [{"role": "robot", "content": "a"}]})"),
                  ":1: the role \"robot\" is unknown; there are system, user and assistant"));
  const std::string talk = R"({"messages": [{"role": "user", "content": "a"}, )";
  EXPECT_TRUE(
      has(finetune(talk + R"({"role": "assistant", "content": ""}]})"), ":1: an answer is empty"));
  EXPECT_TRUE(has(finetune(talk + R"({"role": "user", "content": "b"}]})"),
                  ":1: message 2 is the user's, but it is the assistant's turn"));
  for (const auto& [text, expected] : std::vector<std::pair<std::string, std::string>>{
           {R"({"prompt": "a", "answers": ["b"]})", "a ranking needs two answers or more, got 1"},
           {R"({"prompt": "a", "answers": ["b", "c"], "ranks": [1, 1]})",
            "two answers have the rank 1; a ranking must not have ties"},
           {R"({"prompt": "a", "answers": ["b", "b"]})", "two answers are the same"},
           {R"({"prompt": "a", "chosen": "b", "rejected": " "})", "an answer is empty"},
           {R"({"prompt": "a", "chosen": "b")", "this is not JSON"}}) {
    const std::string file = file_with("bad.jsonl", text);
    for (const Words& command : {Words{"reward", "-m", world().tuned},
                                 Words{"align", "-m", world().tuned, "--method", "dpo"}}) {
      const std::string said = mistake(with(command, {"--train", file, "-o", out}));
      EXPECT_TRUE(has(said, ":1: " + expected)) << said;
      EXPECT_TRUE(has(said, "; --bad-records skip leaves such records out\n")) << said;
    }
  }
  EXPECT_TRUE(has(mistake({"align", "-m", world().tuned, "--method", "ppo", "--reward",
                           world().judge, "--train", file_with("bad.jsonl", "{}"), "-o", out}),
                  ":1: expected \"messages\", \"instruction\" or \"prompt\""));
  EXPECT_TRUE(has(mistake({"reward", "-m", world().judge, "--train",
                           world().prefix + ".rankings.jsonl", "-o", out}),
                  "is a model for reward"));
  EXPECT_TRUE(has(mistake({"align", "-m", world().tuned, "--method", "ppo", "--train",
                           world().prefix + ".prompts.jsonl", "-o", out}),
                  "needs a reward model"));
  EXPECT_TRUE(has(mistake({"align", "-m", world().tuned, "--method", "ppo", "--reward",
                           world().tuned, "--train", world().prefix + ".prompts.jsonl", "-o", out}),
                  "not a reward model"));
  const std::string other = temporary("other"), judge = temporary("other-judge");
  World::expect_done({"train", "lm", "--train", world().prefix + ".txt", "--tokenizer", "char",
                      "--dim", "8", "--heads", "1", "--layers", "1", "--steps", "1", "-o", other,
                      "-t", "1", "--quiet"});
  World::expect_done({"reward", "-m", other, "--train", world().prefix + ".rankings.jsonl",
                      "--steps", "1", "-o", judge, "-t", "1", "--quiet"});
  EXPECT_TRUE(has(mistake({"align", "-m", world().tuned, "--method", "ppo", "--reward", judge,
                           "--train", world().prefix + ".prompts.jsonl", "-o", out}),
                  "another vocabulary"));
  EXPECT_TRUE(has(mistake({"align", "-m", world().base, "--method", "ppo", "--reward",
                           world().judge, "--train", world().prefix + ".prompts.jsonl", "-o", out}),
                  "it was not tuned to answer"));
  EXPECT_TRUE(has(mistake(world().align("dpo", out, {"--passes", "3"})), "dpo does not"));
  EXPECT_TRUE(has(mistake(world().align("reinforce", out, {"--clip-range", "0.1"})), "is for ppo"));
  EXPECT_TRUE(has(mistake(world().finetune(out, {"--lora", "17"})), "the model is 16 wide"));
  EXPECT_TRUE(
      has(mistake({"reward", "-m", world().tuned, "--train",
                   file_with("one.jsonl", R"({"prompt": "a", "answers": ["b", "c"]})"), "-o", out}),
          "1 record: too few to hold some out for validation; name other data with --valid"));
  EXPECT_TRUE(has(finetune("{\"instruction\": \"a\xff\", \"output\": \"b\"}"),
                  ":1: there are bytes that are not UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(run_heed({"align", "-m", world().tuned, "--train", "x", "-o", out}).code, 2);
}

}  // namespace
}  // namespace heed::feedback_test

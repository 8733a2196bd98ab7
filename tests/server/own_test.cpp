// heed's other endpoints: writing with everything told, answers of all tasks, the textbook, runs.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "heed/run/text_ids.h"
#include "heed/text/token_label.h"
#include "heed/train/prepare_run.h"
#include "tests/server/client.h"

namespace heed::server {
namespace {

using nlohmann::json;

TestServer& small_server() {
  static TestServer server(
      {.models = {small_run({}), small_run({.task = Task::translate}),
                  small_run({.task = Task::classify, .labels = {"bad", "good"}}),
                  small_run({.task = Task::tag, .labels = {"NOUN", "VERB"}}),
                  small_run({.task = Task::translate, .model = ModelKind::decoder})},
       .runs = std::filesystem::path(small_run({})).parent_path()});
  return server;
}

const Pipeline& small_pipeline(const std::string& id) {
  return small_server().service().model(id).pipeline;
}

json text_json(const std::string& text) {
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

TEST(Models, SayWhatTheyAre) {
  const json page = small_server().get("/api/models").json();
  ASSERT_EQ(page["models"].size(), 5u);
  EXPECT_EQ(page["models"][0]["kind"], "decoder");
  EXPECT_EQ(page["models"][1]["kind"], "encoder_decoder");
  EXPECT_EQ(page["models"][1]["attention_layers"].size(), 6u);
  EXPECT_EQ(page["models"][2]["labels"], json({"bad", "good"}));
  EXPECT_GT(page["models"][0]["parameters"].get<int64_t>(), 1000);
  const json tokens =
      small_server().post("/api/tokenize", {{"text", "the small"}}).json()["tokens"];
  std::string joined;
  for (const json& token : tokens) joined += token["text"];
  EXPECT_EQ(joined, "the small");
  EXPECT_FALSE(tokens[0].contains("bytes"));
  const json parts = small_server().post("/api/tokenize", {{"text", "ß"}}).json()["tokens"];
  ASSERT_EQ(parts.size(), 2u);  // a character in two parts
  EXPECT_EQ(parts[0]["bytes"], json({0xc3}));
  EXPECT_EQ(parts[1]["bytes"], json({0x9f}));
}

TEST(Models, AreNamedAsTheyWereGiven) {
  const std::filesystem::path folder = small_run({});
  const std::filesystem::path link = folder.parent_path().parent_path() / "link-of-a-model";
  std::filesystem::remove(link);
  std::filesystem::create_directory_symlink(folder, link);
  const TestServer server({.models = {link.string() + "/"}});
  EXPECT_EQ(server.get("/api/models").json()["models"][0]["id"], "link-of-a-model");
  std::filesystem::remove(link);
}

// A run with a probe.jsonl of these tokens; `text` is its first line.
std::string run_with_probe(const std::string& name, const SmallRun& small,
                           const std::function<std::string(const Tokenizer&)>& text) {
  const std::string folder = small_run({}) + "-" + name;
  write_small_run(folder, small);
  std::ofstream(folder + "/probe.jsonl") << text(*load_run(folder).tokenizer) << "\n";
  return folder;
}

json labels_json(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  json labels = json::array();
  for (const int32_t id : ids) labels.push_back(token_label(tokenizer, id));
  return labels;
}

json example_in(const std::string& folder) {
  const TestServer server({.models = {folder}});
  return server.get("/api/models").json()["models"][0].value("example", json());
}

TEST(Models, HaveAnExampleOfTheirRun) {
  const auto line = [](const char* layer, const json& queries, const json& keys) {
    return json{{"step", 0}, {"layer", layer}, {"queries", queries}, {"keys", keys}}.dump();
  };
  const std::string text = "the small, blue house";
  for (const TokenizerKind kind :
       {TokenizerKind::bpe, TokenizerKind::byte, TokenizerKind::word, TokenizerKind::character,
        TokenizerKind::unigram, TokenizerKind::sentencepiece_bpe}) {
    SCOPED_TRACE(name(kind));
    const std::string expected = kind == TokenizerKind::word ? "the small red car" : text;
    const auto self = [&](const Tokenizer& tokenizer) {
      const json labels = labels_json(tokenizer, tokenizer.encode(expected));
      return line("decoder.1.attention", labels, labels);
    };
    EXPECT_EQ(example_in(run_with_probe("example-lm", {.tokenizer = kind}, self)),
              json({{"source", expected}}));
    const auto cross = [&](const Tokenizer& tokenizer) {
      std::vector<int32_t> source = tokenizer.encode(expected), target = tokenizer.encode("the");
      source.push_back(*tokenizer.specials().eos);
      target.push_back(*tokenizer.specials().eos);
      return line("decoder.1.cross", labels_json(tokenizer, target),
                  labels_json(tokenizer, source));
    };
    EXPECT_EQ(example_in(run_with_probe("example-pair",
                                        {.task = Task::translate, .tokenizer = kind}, cross)),
              json({{"source", expected}, {"target", "the"}}));
  }
  const auto one_stack = [&](const Tokenizer& tokenizer) {
    std::vector<int32_t> ids = tokenizer.encode(text);
    ids.push_back(*tokenizer.specials().separator);
    for (const int32_t id : tokenizer.encode("a tree")) ids.push_back(id);
    return line("decoder.1.attention", labels_json(tokenizer, ids), labels_json(tokenizer, ids));
  };
  EXPECT_EQ(example_in(run_with_probe(
                "example-stack", {.task = Task::translate, .model = ModelKind::prefix}, one_stack)),
            json({{"source", text}, {"target", "a tree"}}));
  const auto classed = [&](const Tokenizer& tokenizer) {
    std::vector<int32_t> ids = {*tokenizer.specials().cls};
    for (const int32_t id : tokenizer.encode(text)) ids.push_back(id);
    return line("encoder.1.attention", labels_json(tokenizer, ids), labels_json(tokenizer, ids));
  };
  EXPECT_EQ(example_in(run_with_probe(
                "example-classes",
                {.task = Task::classify, .pool = Pooling::cls, .labels = {"a", "b"}}, classed)),
            json({{"source", text}}));
}

// The tokens of a tagger are those of its words one by one.
TEST(Models, HaveAnExampleOfATaggerIfItsWordsAreSeen) {
  for (const TokenizerKind kind : {TokenizerKind::bpe, TokenizerKind::character}) {
    const auto words = [&](const Tokenizer& tokenizer) {
      std::vector<int32_t> ids;
      for (const char* word : {"the", "small", "car"}) {
        for (const int32_t id : word_ids(tokenizer, word)) ids.push_back(id);
      }
      const json labels = labels_json(tokenizer, ids);
      return json{{"layer", "encoder.1.attention"}, {"queries", labels}, {"keys", labels}}.dump();
    };
    const std::string folder = run_with_probe(
        "example-tags", {.task = Task::tag, .tokenizer = kind, .labels = {"A", "B"}}, words);
    EXPECT_EQ(example_in(folder),
              kind == TokenizerKind::bpe ? json({{"source", "the small car"}}) : json());
  }
}

TEST(Models, HaveTheExampleThatTheirRunWasToldToWatch) {
  const std::string folder = small_run({}) + "-example-told";
  write_small_run(folder, {.task = Task::translate});
  RunConfig config = read_run_config(folder);
  config.settings.probe = {"the red car", "a tree"};
  write_run_config(folder, config);
  EXPECT_EQ(example_in(folder), json({{"source", "the red car"}, {"target", "a tree"}}));
}

TEST(Models, HaveNoExampleWhereThereIsNone) {
  EXPECT_FALSE(small_server().get("/api/models").json()["models"][0].contains("example"));
  const std::string good = R"({"layer": "decoder.1.cross", "queries": ["the"], "keys": [)";
  const std::string lines[] = {
      "",
      "nothing",
      "[]",
      "{}",
      good + "]",
      good + "7]}",
      R"({"layer": 5, "queries": [1, 2], "keys": {}})",
      R"({"layer": "x", "queries": ["no such token"], "keys": []})",
      R"({"layer": "x", "queries": ["<|eos|>"], "keys": []})",
      R"({"layer": "x", "queries": [], "keys": []})",
      R"({"layer": "x", "queries": null})",
      R"({"layer": "x.cross", "queries": ["t"], "keys": [null]})",
      R"({"layer": "x", "queries": [)" +
          [] {
            std::string many = R"("t")";
            for (int i = 0; i < 100; ++i) many += R"(,"t")";
            return many;
          }() +
          "]}",
      std::string(100000, '['),
      R"({"layer": "x", "queries": ["t"], "more": ")" + std::string(5 << 20, 'a') + "\"}"};
  for (const std::string& text : lines) {
    const std::string folder =
        run_with_probe("example-none", {}, [&](const Tokenizer&) { return text; });
    EXPECT_EQ(example_in(folder), json()) << text.substr(0, 80);
  }
  const std::string folder = small_run({}) + "-example-none";
  std::filesystem::remove(folder + "/probe.jsonl");
  ASSERT_EQ(::mkfifo((folder + "/probe.jsonl").c_str(), 0600), 0);  // nobody will ever write to it
  EXPECT_EQ(example_in(folder), json());
  std::filesystem::remove(folder + "/probe.jsonl");
  std::filesystem::create_directory(folder + "/probe.jsonl");
  EXPECT_EQ(example_in(folder), json());
  std::filesystem::remove(folder + "/probe.jsonl");
}

TEST(Generate, TellsEveryToken) {
  json request = {{"prompt", "the"}, {"max_tokens", 6},   {"temperature", 1},
                  {"seed", 4},       {"alternatives", 3}, {"attention", {{"head", 1}}}};
  const GeneratedText expected = small_pipeline("").generate(
      "the", {.max_tokens = 6, .sampling = {.temperature = 1, .seed = 4}, .alternatives = 3});
  const std::vector<json> events = small_server().events("/api/generate", request);
  EXPECT_EQ(events.front()["type"], "prompt");
  EXPECT_EQ(events.front()["attention"]["name"], "decoder.1.attention");
  EXPECT_EQ(events.back()["type"], "done");
  EXPECT_EQ(events.back()["text"], text_json(expected.text));
  for (size_t t = 0; t < expected.generation.ids.size(); ++t) {
    const json& token = events[1 + t];
    EXPECT_EQ(token["type"], "token");
    EXPECT_EQ(token["id"], expected.generation.ids[t]);
    EXPECT_EQ(token["log_probability"], expected.generation.log_probabilities[t]);
    EXPECT_EQ(token["alternatives"].size(), 3u);
    const json& weights = token["attention"]["weights"];
    EXPECT_EQ(weights.size(), events.front()["tokens"].size() + t);
    double sum = 0;
    for (const json& one : weights) sum += one.get<double>();
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  request["stream"] = false;
  const json whole = small_server().post("/api/generate", request).json();
  EXPECT_EQ(whole["text"], text_json(expected.text));
  EXPECT_EQ(whole["tokens"].size(), expected.generation.log_probabilities.size());
  request["attention"]["layer"] = "nowhere";
  EXPECT_EQ(small_server().post("/api/generate", request).status, 400);
}

TEST(Generate, BeamsAsATree) {
  const json request = {{"prompt", "the red car"},
                        {"model", "translate-transformer"},
                        {"beam", 3},
                        {"n_best", 2},
                        {"max_tokens", 5}};
  const GeneratedText expected =
      small_pipeline("translate-transformer")
          .translate("the red car", {.max_tokens = 5, .beam = {.width = 3, .n_best = 2}});
  const std::vector<json> events = small_server().events("/api/generate", request);
  EXPECT_EQ(events[1]["type"], "beam");
  EXPECT_EQ(events[1]["nodes"][0]["parent"], -1);
  EXPECT_EQ(events.back()["text"], text_json(expected.text));
  EXPECT_EQ(events.back()["others"][0]["text"], text_json(expected.others[0]));
}

TEST(Translate, NBestAndAlignment) {
  const json page = small_server()
                        .post("/api/translate", {{"model", "translate-transformer"},
                                                 {"texts", {"the red car", ""}},
                                                 {"beam", 2},
                                                 {"n_best", 2},
                                                 {"max_tokens", 6},
                                                 {"alignment", true},
                                                 {"tree", true}})
                        .json();
  const json& one = page["translations"][0];
  const GeneratedText expected =
      small_pipeline("translate-transformer")
          .translate("the red car", {.max_tokens = 6, .beam = {.width = 2, .n_best = 2}});
  EXPECT_EQ(one["text"], text_json(expected.text));
  EXPECT_EQ(one["others"].size(), 1u);
  EXPECT_FALSE(one["tree"].empty());
  if (one.contains("alignment")) {
    EXPECT_EQ(one["alignment"]["weights"][0].size(), one["source"].size());
  }
  EXPECT_EQ(page["translations"][1]["text"], "");
  EXPECT_EQ(small_server().post("/api/translate", {{"text", "a"}}).status, 400);
}

// One stack reads source, separator and target; aligned is the target with the source.
TEST(Translate, AlignmentOfOneStack) {
  const json request{{"model", "translate-decoder"},
                     {"text", "the red car"},
                     {"max_tokens", 6},
                     {"alignment", true}};
  const json page = small_server().post("/api/translate", request).json();
  const json& one = page["translations"][0];
  ASSERT_TRUE(one.contains("alignment")) << page;
  const Pipeline& pipeline = small_pipeline("translate-decoder");
  const std::string generated = pipeline.translate("the red car", {.max_tokens = 6}).text;
  const AttentionMap expected = pipeline.alignment("the red car", generated);
  EXPECT_EQ(one["alignment"]["weights"].size(), static_cast<size_t>(expected.weights.dim(0)));
  EXPECT_EQ(one["alignment"]["weights"][0].size(), expected.keys.size());
  EXPECT_EQ(one["source"].size(), expected.keys.size());
}

TEST(Answers, OfTheOtherTasks) {
  const json classes =
      small_server()
          .post("/api/classify", {{"model", "classify-transformer"}, {"text", "the"}})
          .json();
  EXPECT_EQ(classes["results"][0]["label"],
            small_pipeline("classify-transformer").classify("the").label);
  const json tags =
      small_server().post("/api/tag", {{"model", "tag-transformer"}, {"text", "the car"}}).json();
  EXPECT_EQ(tags["results"][0]["words"].size(), 2u);
  const json score = small_server().post("/api/score", {{"text", "the small car"}}).json();
  const std::string text = "the small car";
  EXPECT_EQ(score["log_probability"],
            small_pipeline("").score(std::span(&text, 1))[0].log_probability);
  EXPECT_GT(score["tokens"].size(), 1u);
  EXPECT_EQ(small_server().post("/api/classify", {{"text", "the"}}).status, 400);
}

TEST(Learn, KernelRegression) {
  json request = {{"x", {0, 1, 2, 3}}, {"y", {0, 1, 4, 9}}, {"query", {0.5, 1.5}}, {"width", 0.5}};
  const json page = small_server().post("/api/regress", request).json();
  double top = 0, bottom = 0;
  for (int i = 0; i < 4; ++i) {
    const double k = std::exp(-2 * (0.5 - i) * (0.5 - i));
    top += k * i * i;
    bottom += k;
  }
  EXPECT_NEAR(page["prediction"][0].get<double>(), top / bottom, 1e-9);
  EXPECT_EQ(page["weights"].size(), 2u);
  request["width"] = "auto";
  EXPECT_GT(small_server().post("/api/regress", request).json()["width"].get<double>(), 0);
  request["kernel"] = "boxcar";
  request["width"] = 0.1;
  EXPECT_TRUE(small_server().post("/api/regress", request).json()["prediction"][0].is_null());
  request["width"] = -1;
  EXPECT_EQ(small_server().post("/api/regress", request).status, 400);
}

TEST(Learn, SmallComputations) {
  const json masked = small_server()
                          .post("/api/learn/masked-softmax",
                                {{"scores", {{1, 2, 3}, {0, 0, 0}}}, {"lengths", {2, 3}}})
                          .json();
  EXPECT_EQ(masked["weights"][0][2], 0);
  const json scaled =
      small_server()
          .post("/api/learn/scaled-softmax", {{"scores", {1, 2}}, {"scales", {1, 100}}})
          .json();
  EXPECT_NEAR(scaled["points"][1]["weights"][1].get<double>(), 1, 1e-9);
  const json positions =
      small_server().post("/api/learn/positions", {{"positions", 8}, {"width", 4}}).json();
  EXPECT_EQ(positions["similarity"].size(), 8u);
  EXPECT_EQ(positions["codes"][0], json({0, 1, 0, 1}));
  const json query = small_server()
                         .post("/api/learn/query", {{"q", {1, 2}},
                                                    {"keys", {{1, 0}, {0, 1}, {5, 5}}},
                                                    {"values", {{1}, {2}, {3}}},
                                                    {"allowed", {true, true, false}}})
                         .json();
  EXPECT_LT(query["difference"].get<double>(), 1e-12);
  EXPECT_EQ(query["weights"][2], 0);
  EXPECT_TRUE(query["masked"][2].is_null());
  const json self = small_server().post("/api/learn/self-attention", json::object()).json();
  EXPECT_EQ(self["weights"].size(), 4u);
  const json variance =
      small_server().post("/api/learn/score-variance", {{"widths", {4, 64}}}).json();
  EXPECT_NEAR(variance["points"][1]["scaled_variance"].get<double>(), 1, 0.3);
}

TEST(Runs, LogsGrow) {
  const std::string folder = small_run({});
  std::ofstream log(folder + "/log.jsonl");
  log << R"({"step":1,"loss":3.5,"seconds":0.5})"
      << "\n"
      << std::flush;
  const json all = small_server().get("/api/runs").json();
  ASSERT_GE(all["runs"].size(), 4u);
  const json first = small_server().get("/api/runs/lm-transformer").json();
  EXPECT_EQ(first["run"]["task"], "lm");
  EXPECT_TRUE(first["run"]["live"]);
  ASSERT_EQ(first["lines"].size(), 1u);
  log << R"({"step":2,"loss":3.25,"seconds":0.75})"
      << "\n"
      << R"({"step":3,"lo)" << std::flush;
  const std::string next = std::to_string(first["next"].get<int64_t>());
  const json more = small_server().get("/api/runs/lm-transformer?after=" + next).json();
  ASSERT_EQ(more["lines"].size(), 1u);  // the line that is not whole waits
  EXPECT_EQ(more["lines"][0]["step"], 2);
  EXPECT_TRUE(small_server().get("/api/runs/lm-transformer?after=100000").json()["reset"]);
  EXPECT_TRUE(small_server().get("/api/runs/lm-transformer/probe").json()["snapshots"].empty());
  for (const char* path :
       {"/api/runs/other", "/api/runs/..", "/api/runs/%2e%2e%2f", "/api/runs/../config.json"}) {
    EXPECT_EQ(small_server().get(path).status, 404) << path;
  }
  EXPECT_EQ(small_server().get("/api/runs/lm-transformer?after=x").status, 400);
}

// Of a run whose files are nested too deep, the rest is reported.
TEST(Runs, DeeplyNestedFiles) {
  const auto folder = std::filesystem::path(small_run({})).parent_path() / "deep";
  std::filesystem::create_directory(folder);
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  std::ofstream(folder / "config.json") << R"({"format": )" << deep << "}";
  std::ofstream(folder / "log.jsonl") << R"({"step": )" << deep << "}\n"
                                      << R"({"step": 2})"
                                      << "\n";
  const json page = small_server().get("/api/runs/deep").json();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(page["config"], json::object());
  ASSERT_EQ(page["lines"].size(), 1u);
  EXPECT_EQ(page["lines"][0]["step"], 2);
}

// A run of slow steps goes on although its log is old; one that has done its steps does not,
// although its log is new.
TEST(Runs, LiveAsLongAsTheyTrain) {
  const auto is_live = [](int seconds_per_line, int old, int64_t steps) {
    const SmallRun small{.model = ModelKind::decoder};
    const std::string folder = small_run(small);
    RunConfig config = read_run_config(folder);
    config.settings.steps = steps;
    write_run_config(folder, config);
    const std::filesystem::path log = folder + "/log.jsonl";
    std::ofstream(log) << json({{"step", 10}, {"loss", 3.5}, {"seconds", seconds_per_line}}) << "\n"
                       << json({{"step", 20}, {"loss", 3}, {"seconds", 2 * seconds_per_line}})
                       << "\n";
    std::filesystem::last_write_time(
        log, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(old));
    return small_server().get("/api/runs/lm-decoder").json()["run"]["live"].get<bool>();
  };
  EXPECT_TRUE(is_live(1, 0, 100));
  EXPECT_FALSE(is_live(1, 90, 100));
  EXPECT_TRUE(is_live(60, 90, 100));
  EXPECT_FALSE(is_live(1, 0, 20));
}

}  // namespace
}  // namespace heed::server

// /api/walk, /api/attention, /api/hidden: what a model computes, number by number.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "apps/server/walk_formula.h"
#include "heed/run/task_names.h"
#include "tests/server/client.h"

namespace heed::server {
namespace {

using nlohmann::json;

TestServer& walk_server() {
  static TestServer server(
      {.models = {small_run({}), small_run({.task = Task::translate}),
                  small_run({.task = Task::translate, .model = ModelKind::rnn_attention}),
                  small_run({.task = Task::translate, .model = ModelKind::rnn}),
                  small_run({.task = Task::translate, .model = ModelKind::prefix}),
                  small_run({.task = Task::classify, .labels = {"bad", "good"}}),
                  small_run({.task = Task::tag, .labels = {"NOUN", "VERB"}})}});
  return server;
}

const Pipeline& walk_pipeline(const std::string& id) {
  return walk_server().service().model(id).pipeline;
}

std::map<std::string, json> steps_of(const json& page) {
  std::map<std::string, json> steps;
  for (const json& step : page["steps"]) steps[step["name"]] = step;
  return steps;
}

// R107: what the page walks through, step by step.
TEST(Walk, EveryModelHasSteps) {
  for (const ServedModel& model : walk_server().service().models()) {
    json request = {{"model", model.id}, {"text", "the small red car"}};
    if (model.pipeline.task() == Task::translate) request["target"] = "a house";
    const Reply reply = walk_server().post("/api/walk", request);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json page = reply.json();
    EXPECT_GT(page["steps"].size(), 4u) << model.id;
    EXPECT_FALSE(page["output"]["top"].empty());
    double sum = 0;
    for (const json& step : page["steps"]) {
      EXPECT_FALSE(step["part"].get<std::string>().empty()) << step["name"];
      EXPECT_EQ(step["values"].size(), step["shape"][0].get<size_t>()) << step["name"];
    }
    request["names"] = {"logits"};
    request["top"] = 1000;
    const json all = walk_server().post("/api/walk", request).json();
    for (const json& one : all["output"]["top"]) sum += one["probability"].get<double>();
    EXPECT_NEAR(sum, 1, 1e-6) << model.id;
  }
}

std::vector<std::string> names_of(const json& page) {
  std::vector<std::string> names;
  for (const json& step : page["steps"]) names.push_back(step["name"]);
  return names;
}

// R107: a recurrent model is walked through in the order in which it computes.
TEST(Walk, RecurrentModelsInTheirOwnOrderAndFormulas) {
  json request = {{"model", "translate-rnn-attention"}, {"text", "the car"}, {"target", "a house"}};
  const json page = walk_server().post("/api/walk", request).json();
  EXPECT_EQ(names_of(page),
            (std::vector<std::string>{"encoder", "decoder.cross.q", "decoder.cross.k",
                                      "decoder.cross.scores", "decoder.cross.mask",
                                      "decoder.cross.weights", "decoder.context", "decoder.state",
                                      "decoder.readout", "logits"}));
  const auto steps = steps_of(page);
  EXPECT_EQ(steps.at("decoder.cross.q")["formula"], "q_t = s_(t-1), the state before");
  EXPECT_EQ(steps.at("decoder.cross.k")["formula"], "k_j = h_j");
  EXPECT_EQ(steps.at("decoder.context")["formula"], "c_t = sum_j w_tj h_j");
  request["model"] = "translate-rnn";
  const auto fixed = steps_of(walk_server().post("/api/walk", request).json());
  EXPECT_EQ(fixed.at("decoder.context")["formula"], "c_t = c, the last states of the encoder");
}

// R107: formulas are those of this model, and not of any.
TEST(Walk, FormulasOfTheConfiguration) {
  const auto lm = steps_of(walk_server().post("/api/walk", {{"text", "the car"}}).json());
  EXPECT_EQ(lm.at("decoder.tokens")["formula"], "x_t = E[token_t] sqrt(C)");
  EXPECT_EQ(lm.at("decoder.embedding")["formula"], "x_t + phi(t)");
  EXPECT_EQ(lm.at("decoder.0.attention.q")["formula"], "q_i = x_i W_Q + b");
  EXPECT_EQ(lm.at("decoder.0.feed_forward")["formula"], "relu(h W_1 + b_1) W_2 + b_2");
  EXPECT_EQ(lm.at("decoder")["part"], "features");
  const TransformerConfig rotary{.positions = PositionKind::rotary, .norm_place = NormPlace::post};
  EXPECT_EQ(meaning_of("decoder.0.attention.q", rotary).formula,
            "q_i = x_i W_Q + b, turned by position i");
  EXPECT_EQ(meaning_of("decoder.0.cross.k", rotary).formula, "k_j = h_j W_K + b");
  EXPECT_EQ(meaning_of("decoder.embedding", rotary).formula,
            "x_t; positions turn queries and keys instead");
  EXPECT_EQ(meaning_of("decoder.0.attention.input", rotary).formula, "x");
  const json classes =
      walk_server().post("/api/walk", {{"model", "classify-transformer"}, {"text", "a"}}).json();
  EXPECT_EQ(steps_of(classes).at("encoder")["part"], "features");
  const json pair =
      walk_server().post("/api/walk", {{"model", "translate-transformer"}, {"text", "a"}}).json();
  EXPECT_EQ(steps_of(pair).at("encoder")["part"], "encoder");
}

// R107: the steps are the model's own numbers: weights are softmax of the masked scores, the mix is
// weights times values, sums add up.
TEST(Walk, TheNumbersFitTogether) {
  const json page = walk_server().post("/api/walk", {{"text", "the small red car"}}).json();
  const auto steps = steps_of(page);
  const std::string layer = "decoder.1.attention";
  const json& scores = steps.at(layer + ".scores")["values"];
  const json& mask = steps.at(layer + ".mask")["values"];
  const json& weights = steps.at(layer + ".weights")["values"];
  const json& v = steps.at(layer + ".v")["values"];
  const json& mix = steps.at(layer + ".mix")["values"];
  const size_t H = weights.size(), T = weights[0].size();
  ASSERT_EQ(page["target"].size(), T);
  for (size_t h = 0; h < H; ++h) {
    for (size_t i = 0; i < T; ++i) {
      double sum = 0;
      for (size_t j = 0; j < T; ++j) {
        EXPECT_EQ(mask[i][j], j <= i ? 1 : 0);
        if (j <= i) sum += std::exp(scores[h][i][j].get<double>());
      }
      for (size_t j = 0; j < T; ++j) {
        const double expected = j <= i ? std::exp(scores[h][i][j].get<double>()) / sum : 0;
        EXPECT_NEAR(weights[h][i][j].get<double>(), expected, 1e-5);
      }
      for (size_t d = 0; d < mix[i][h].size(); ++d) {
        double y = 0;
        for (size_t j = 0; j < T; ++j) {
          y += weights[h][i][j].get<double>() * v[j][h][d].get<double>();
        }
        EXPECT_NEAR(mix[i][h][d].get<double>(), y, 1e-5);
      }
    }
  }
  const json& before = steps.at("decoder.0")["values"];
  const json& given = steps.at(layer)["values"];
  const json& sum = steps.at(layer + ".sum")["values"];
  for (size_t c = 0; c < sum[0].size(); ++c) {
    EXPECT_NEAR(sum[0][c].get<double>(), before[0][c].get<double>() + given[0][c].get<double>(),
                1e-5);
  }
}

TEST(Walk, ChoiceOfNamesAndColumns) {
  const json page =
      walk_server()
          .post("/api/walk", {{"text", "the small"}, {"names", {"decoder.0"}}, {"columns", 3}})
          .json();
  for (const json& step : page["steps"]) {
    const std::string name = step["name"];
    EXPECT_TRUE(name == "logits" || name.starts_with("decoder.0")) << name;
    if (name == "decoder.0") {
      EXPECT_EQ(step["values"][0].size(), 3u);
      EXPECT_EQ(step["columns"], 3);
    }
  }
  const json exact =
      walk_server()
          .post("/api/walk", {{"text", "a"}, {"names", {"decoder", "decoder.0"}}, {"exact", true}})
          .json();
  EXPECT_EQ(names_of(exact), (std::vector<std::string>{"decoder.0", "decoder", "logits"}));
  const json names = walk_server().post("/api/walk", {{"text", "a"}, {"values", false}}).json();
  EXPECT_TRUE(names["steps"][0]["values"].empty());
  EXPECT_EQ(walk_server().post("/api/walk", {{"text", ""}}).status, 400);
  EXPECT_EQ(walk_server().post("/api/walk", {{"text", "a"}, {"row", 1000}}).status, 400);
}

// A window of rows has the numbers of the whole, and tells where it is.
TEST(Walk, WindowsOfRows) {
  const auto rows_of = [](const json& step, const json& values, size_t h) {
    return step["part"] == "scores" || step["part"] == "weights" ? values[h] : values;
  };
  for (const ServedModel& model : walk_server().service().models()) {
    json request = {{"model", model.id}, {"text", "the small red car drives"}};
    if (model.pipeline.task() == Task::translate) request["target"] = "a blue house, and a tree";
    const json whole = walk_server().post("/api/walk", request).json();
    for (const int64_t first : {0, 2, 1000}) {
      request["first_row"] = first;
      request["rows"] = 3;
      const json part = walk_server().post("/api/walk", request).json();
      ASSERT_EQ(part["steps"].size(), whole["steps"].size()) << model.id;
      EXPECT_EQ(part["source"], whole["source"]);
      EXPECT_EQ(part["output"], whole["output"]);
      for (size_t s = 0; s < whole["steps"].size(); ++s) {
        const json &all = whole["steps"][s], &some = part["steps"][s];
        const std::string name = all["name"];
        EXPECT_EQ(some["shape"], all["shape"]) << name;
        EXPECT_FALSE(all.contains("rows"));
        if (name == "logits") {
          EXPECT_EQ(some, all);
          continue;
        }
        const bool is_map = all["part"] == "scores" || all["part"] == "weights";
        const size_t heads = is_map ? all["shape"][0].get<size_t>() : 1;
        ASSERT_EQ(some["values"].size(), is_map ? heads : 3u) << name;
        const int64_t rows = all["shape"][is_map ? 1 : 0];
        const int64_t begin = std::min(first, rows - 3);
        EXPECT_EQ(some["first_row"], begin) << name;
        EXPECT_EQ(some["rows"], 3) << name;
        for (size_t h = 0; h < heads; ++h) {
          const json &from = rows_of(all, all["values"], h), &to = rows_of(some, some["values"], h);
          ASSERT_EQ(to.size(), 3u);
          for (size_t t = 0; t < 3; ++t) {
            EXPECT_EQ(to[t], from[static_cast<size_t>(begin) + t]) << name << " " << t;
          }
        }
      }
    }
  }
  const json wide = walk_server().post("/api/walk", {{"text", "the car"}, {"rows", 500}}).json();
  EXPECT_EQ(wide, walk_server().post("/api/walk", {{"text", "the car"}}).json());
  EXPECT_EQ(walk_server().post("/api/walk", {{"text", "a"}, {"rows", -2}}).status, 400);
  // Without a number of rows these are all from the first on.
  const json rest = walk_server().post("/api/walk", {{"text", "the car"}, {"first_row", 1}}).json();
  for (const json& step : rest["steps"]) {
    if (step["name"] == "logits") continue;
    const bool is_map = step["part"] == "scores" || step["part"] == "weights";
    EXPECT_EQ(step["first_row"], 1) << step["name"];
    EXPECT_EQ(step["rows"], step["shape"][is_map ? 1 : 0].get<int64_t>() - 1) << step["name"];
  }
}

// A text whose walk is too long for one answer can be walked through in windows.
TEST(Walk, LongTextsInWindows) {
  const std::string folder = small_run({.tokenizer = TokenizerKind::byte}) + "-long";
  write_small_run(folder, {.tokenizer = TokenizerKind::byte});
  RunConfig config = read_run_config(folder);
  std::get<TransformerConfig>(config.model).context = 4096;
  write_run_config(folder, config);
  const TestServer server({.models = {folder}});
  json request = {{"text", std::string(800, 'a')}, {"names", "decoder.0"}};
  const Reply refused = server.post("/api/walk", request);
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.message().find("rows"), std::string::npos) << refused.message();
  request["values"] = false;
  const json outline = server.post("/api/walk", request).json();
  EXPECT_EQ(steps_of(outline).at("decoder.0.attention.weights")["shape"], json({2, 800, 800}));
  request["values"] = true;
  request["rows"] = 40;
  request["first_row"] = 700;
  const Reply reply = server.post("/api/walk", request);
  ASSERT_EQ(reply.status, 200) << reply.message();
  const auto steps = steps_of(reply.json());
  const json& weights = steps.at("decoder.0.attention.weights")["values"];
  EXPECT_EQ(weights[0].size(), 40u);
  EXPECT_EQ(weights[0][39].size(), 800u);
  EXPECT_GT(weights[0][39][739], 0);
  EXPECT_EQ(weights[0][39][740], 0);
}

TEST(Attention, SameBitsAsThePipeline) {
  for (const char* id : {"lm-transformer", "translate-transformer", "translate-rnn-attention",
                         "translate-prefix", "classify-transformer"}) {
    const std::string target = walk_pipeline(id).task() == Task::translate ? "a house" : "";
    const AttentionMap map = walk_pipeline(id).attention("the small red car", target);
    json request = {{"model", id}, {"text", "the small red car"}};
    if (!target.empty()) request["target"] = target;
    const Reply reply = walk_server().post("/api/attention", request);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json page = reply.json();
    ASSERT_EQ(page["maps"].size(), 1u);
    EXPECT_EQ(page["maps"][0]["layer"], map.layer);
    const json& weights = page["maps"][0]["weights"];
    ASSERT_EQ(weights.size(), static_cast<size_t>(map.weights.dim(0)));
    for (int64_t t = 0; t < map.weights.dim(0); ++t) {
      for (int64_t j = 0; j < map.weights.dim(1); ++j) {
        EXPECT_EQ(weights[t][j].get<float>(),
                  map.weights.data<float>()[t * map.weights.dim(1) + j]);
      }
    }
    for (const json& layer : page["layers"]) {
      if (layer["name"] != map.layer) continue;
      EXPECT_EQ(page[layer["queries"].get<std::string>()].size(), weights.size()) << id;
      EXPECT_EQ(page[layer["keys"].get<std::string>()].size(), weights[0].size()) << id;
    }
  }
}

TEST(Attention, AllHeadsRowsAndTop) {
  const json all = walk_server()
                       .post("/api/attention",
                             {{"text", "the small red car"}, {"layer", "all"}, {"head", "all"}})
                       .json();
  EXPECT_EQ(all["maps"].size(), 4u);
  const json some = walk_server()
                        .post("/api/attention", {{"text", "the small red car"},
                                                 {"layer", "decoder.0.attention"},
                                                 {"head", 1},
                                                 {"first_row", 2},
                                                 {"rows", 1},
                                                 {"top", 2}})
                        .json();
  const json& row = all["maps"][1]["weights"][2];
  ASSERT_EQ(some["maps"][0]["top"].size(), 1u);
  const json& top = some["maps"][0]["top"][0];
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0]["weight"], row[top[0]["key"].get<size_t>()]);
  EXPECT_GE(top[0]["weight"].get<double>(), top[1]["weight"].get<double>());
  const json packed =
      walk_server().post("/api/attention", {{"text", "a"}, {"format", "base64"}}).json()["maps"][0];
  EXPECT_EQ(packed["shape"], json({1, 1}));
  EXPECT_EQ(packed["weights_base64"], "AACAPw==");  // 1
  EXPECT_EQ(walk_server().post("/api/attention", {{"text", "a"}, {"layer", "x"}}).status, 400);
  EXPECT_EQ(walk_server().post("/api/attention", {{"text", "a"}, {"head", 9}}).status, 400);
}

TEST(Hidden, SameBitsAsThePipeline) {
  const Tensor states =
      walk_pipeline("").embed("the car", {.layers = {kEmbeddingLayer, 1}, .pool = EmbedPool::none});
  const json page =
      walk_server().post("/api/hidden", {{"text", "the car"}, {"layers", {-1, 1}}}).json();
  ASSERT_EQ(page["shape"].size(), 3u);
  const size_t T = page["shape"][1], C = page["shape"][2];
  EXPECT_EQ(page["tokens"].size(), T);
  for (size_t t = 0; t < T; ++t) {
    for (size_t c = 0; c < C; ++c) {
      EXPECT_EQ(page["values"][1][t][c].get<float>(), states.data<float>()[(T + t) * C + c]);
    }
  }
}

}  // namespace
}  // namespace heed::server

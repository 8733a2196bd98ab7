// heed attention -m: which maps are shown, in which form, and what is said of the heads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heed/io/npy.h"
#include "tests/cli/program.h"
#include "tests/cli/train_files.h"

namespace heed {
namespace {

using Words = std::vector<std::string>;
using Json = nlohmann::json;

constexpr const char* kText = "the old cat";

// An encoder-decoder of 2 + 2 layers with 2 heads, made once.
const std::string& translator_folder() {
  static const std::string folder = [] {
    std::string made = temporary("looking");
    const Outcome outcome = run_heed(
        train_arguments("translate", made,
                        {"--steps", "2", "--layers", "2", "--heads", "2", "--tokenizer", "bpe"}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return made;
  }();
  return folder;
}

Words look(const Words& more) {
  Words all{"attention", "-m", translator_folder(), "-p", kText, "-t", "1"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(ModelAttention, LayersByNumberNameAndKind) {
  const Json last = run_json(look({}));
  EXPECT_EQ(last["layer"], "decoder.1.cross");
  EXPECT_EQ(last["head"], -1);
  EXPECT_EQ(run_json(look({"--layer", "0"}))["layer"], "decoder.0.cross");
  const Json self = run_json(look({"--kind", "self", "--layer", "0"}));
  EXPECT_EQ(self["layer"], last["layers"][0]);
  EXPECT_EQ(self["queries"], self["keys"]);
  const std::string name = last["layers"][0];
  EXPECT_EQ(run_json(look({"--layer", name}))["weights"], self["weights"]);
}

TEST(ModelAttention, AllLayersAndHeads) {
  const Json all = run_json(look({"--layer", "all", "--head", "all"}));
  ASSERT_EQ(all["maps"].size(), all["layers"].size() * 2);
  EXPECT_EQ(all["summary"].size(), all["maps"].size());
  EXPECT_EQ(run_json(look({"--layer", "all", "--kind", "cross"}))["maps"].size(), 2U);
  for (const Json& map : all["maps"]) {
    const Json one =
        run_json(look({"--layer", map["layer"], "--head", std::to_string(map["head"].get<int>())}));
    EXPECT_EQ(one["weights"], map["weights"]) << map["layer"];
  }
}

TEST(ModelAttention, TheSummaryIsThatOfTheWeights) {
  const Json all = run_json(look({"--layer", "all", "--kind", "self", "--head", "all"}));
  for (size_t i = 0; i < all["maps"].size(); ++i) {
    const Json& weights = all["maps"][i]["weights"];
    const auto T = static_cast<double>(weights.size());
    double distance = 0, entropy = 0, self = 0;
    for (size_t t = 0; t < weights.size(); ++t) {
      for (size_t s = 0; s < weights[t].size(); ++s) {
        const double w = weights[t][s];
        distance += w * std::abs(static_cast<double>(t) - static_cast<double>(s)) / T;
        if (w > 0) entropy -= w * std::log(w) / T;
        if (s == t) self += w / T;
      }
    }
    const Json& said = all["summary"][i];
    EXPECT_NEAR(said["mean_distance"], distance, 1e-6);
    EXPECT_NEAR(said["entropy"], entropy, 1e-6);
    EXPECT_NEAR(said["share_on_self"], self, 1e-6);
  }
  const Outcome shown = run_heed(look({"--kind", "self"}));
  EXPECT_NE(shown.out.find("on itself"), std::string::npos) << shown.out;
}

TEST(ModelAttention, TheTopOfEachToken) {
  const Json whole = run_json(look({}))["weights"];
  const Json best = run_json(look({"--top", "2"}))["top"];
  ASSERT_EQ(best.size(), whole.size());
  for (size_t t = 0; t < whole.size(); ++t) {
    const std::vector<float> row = whole[t];
    ASSERT_EQ(best[t].size(), std::min<size_t>(2, row.size()));
    for (const Json& one : best[t]) {
      EXPECT_EQ(one["weight"].get<float>(), row[one["key"].get<size_t>()]);
    }
    EXPECT_EQ(best[t][0]["weight"].get<float>(), *std::max_element(row.begin(), row.end()));
  }
  const Outcome shown = run_heed(look({"--top", "1"}));
  EXPECT_EQ(shown.code, 0);
  EXPECT_NE(shown.out.find("<|eos|>:  "), std::string::npos) << shown.out;
}

TEST(ModelAttention, Files) {
  const Json whole = run_json(look({}));
  const std::string json = temporary("map.json"), npy = temporary("map.npy"),
                    csv = temporary("map.csv"), svg = temporary("map.svg");
  for (const std::string& file : {json, npy, csv, svg}) {
    const Outcome outcome = run_heed(look({"-o", file}));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
  EXPECT_EQ(Json::parse(file_text(json)), whole);
  EXPECT_EQ(load_npy(npy).dim(0), static_cast<int64_t>(whole["weights"].size()));
  EXPECT_NE(file_text(svg).find("▁old"), std::string::npos);
  EXPECT_NE(file_text(csv).find(','), std::string::npos);
  ASSERT_EQ(run_heed(look({"-o", npy, "--kind", "cross", "--layer", "all", "--head", "all"})).code,
            0);
  EXPECT_EQ(load_npy(npy).dim(0), 4);
  ASSERT_EQ(run_heed(look({"-o", svg, "--head", "all"})).code, 0);
  EXPECT_NE(file_text(svg).find("head 1"), std::string::npos);
}

TEST(ModelAttention, LabelsAreTheTextsOfTokens) {
  const Json shown = run_json(
      {"attention", "-m", translator_folder(), "-p", "die Straße", "--to", "über é", "-t", "1"});
  std::string source, target;
  for (const std::string label : shown["keys"]) source += label;
  for (const std::string label : shown["queries"]) target += label;
  EXPECT_NE(source.find("die▁Stra"), std::string::npos) << source;
  EXPECT_EQ(source.find("Ġ"), std::string::npos) << source;
  EXPECT_EQ(target.find("Ã"), std::string::npos) << target;
}

TEST(ModelAttention, Mistakes) {
  const auto expect = [](const Words& arguments, int code, const std::string& part) {
    const Outcome outcome = run_heed(arguments);
    EXPECT_EQ(outcome.code, code);
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  expect(look({"--layer", "2"}), 1, "0 to 1: decoder.0.cross, decoder.1.cross");
  expect(look({"--layer", "middle"}), 1, "there is no layer 'middle'");
  expect(look({"--head", "2"}), 1, "heads 0 to 1, there is no head 2");
  expect(look({"--head", "first"}), 1, "there is no head first");
  expect(look({"--kind", "both"}), 2, "self, cross");
  expect(look({"-o", "map.txt"}), 2, ".svg");
  expect(look({"-o", temporary("x.npy"), "--layer", "all"}), 1, "no one array holds both");
  expect({"attention", "-m", translator_folder(), "-p", ""}, 1, "the text is empty");
  const std::string folder = temporary("looking-lm");
  ASSERT_EQ(run_heed(train_arguments("lm", folder, {"--steps", "1"})).code, 0);
  expect({"attention", "-m", folder, "-p", "a", "--kind", "cross"}, 1, "no cross attention");
  std::string longer;
  for (int i = 0; i < 3000; ++i) longer += "cat ";
  const Outcome cut = run_heed({"attention", "-m", folder, "-p", longer, "--top", "1", "-t", "1"});
  EXPECT_EQ(cut.code, 0);
  EXPECT_NE(cut.err.find("and cut"), std::string::npos) << cut.err;
  const Outcome vector = run_heed({"embed", "-m", folder, "-p", longer, "-t", "1"});
  EXPECT_EQ(vector.code, 0);
  EXPECT_NE(vector.err.find("and cut"), std::string::npos) << vector.err;
}

}  // namespace
}  // namespace heed

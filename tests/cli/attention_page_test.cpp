// heed attention -m .. -o map.html: the page has the weights that --json prints.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/cli/train_files.h"
#include "tests/pipeline/small_runs.h"

namespace heed {
namespace {

std::vector<float> unpack(const std::string& base64) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<uint32_t>(letters.find(c));
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> static_cast<uint32_t>(count));
    }
  }
  std::vector<float> values;
  for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    uint32_t word = 0;
    for (size_t b = 4; b-- > 0;) word = word << 8U | static_cast<unsigned char>(bytes[i + b]);
    values.push_back(std::bit_cast<float>(word));
  }
  return values;
}

nlohmann::json data_of(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="heed-data">)";
  const size_t from = page.find(begin);
  EXPECT_NE(from, std::string::npos);
  const size_t to = page.find("</script>", from);
  return nlohmann::json::parse(page.substr(from + begin.size(), to - from - begin.size()));
}

// A page, and its weights against those of --json.
nlohmann::json checked_page(const std::string& folder, const std::string& text) {
  const std::string file = temporary("map.html");
  const Outcome outcome = run_heed({"attention", "-m", folder, "-p", text, "-o", file, "-t", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string page = file_text(file);
  EXPECT_LT(page.size(), 1'000'000U);
  for (const char* outside : {"src=\"http", "href=\"http", "url(http", "@import"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  const nlohmann::json all = data_of(page);
  EXPECT_EQ(all["text"], text);
  for (const auto& map : all["data"]["maps"]) {
    const auto expected =
        run_json({"attention", "-m", folder, "-p", text, "--layer", map["layer"], "--head",
                  std::to_string(map["head"].get<int>()), "-t", "1"})["weights"];
    std::vector<float> numbers;
    for (const auto& row : expected) {
      for (const auto& weight : row) numbers.push_back(weight.get<float>());
    }
    EXPECT_EQ(unpack(map["weights_base64"]), numbers) << map["layer"] << map["head"];
  }
  return all["data"];
}

TEST(AttentionPage, OfALanguageModelIsCausal) {
  const auto data = checked_page(
      write_small_run(temporary("page-lm"), {.tokenizer = TokenizerKind::byte}), "a </script> b");
  EXPECT_TRUE(data["source"].empty());
  EXPECT_GE(data["target"].size(), 13U);
  for (const auto& layer : data["layers"]) EXPECT_EQ(layer["kind"], "causal");
}

TEST(AttentionPage, OfATranslatorHasAllKinds) {
  const std::string folder = temporary("page-pairs");
  ASSERT_EQ(run_heed(train_arguments("translate", folder, {"--steps", "2"})).code, 0);
  const auto data = checked_page(folder, "a b");
  std::vector<std::string> kinds;
  for (const auto& layer : data["layers"]) kinds.push_back(layer["kind"]);
  for (const char* kind : {"self", "causal", "cross"}) {
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), kind), kinds.end()) << kind;
  }
}

}  // namespace
}  // namespace heed

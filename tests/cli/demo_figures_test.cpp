// heed demo: the figures of the notes, drawn from numbers that are computed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/demo_run.h"

namespace heed::demo_figures_test {
namespace {

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
      {"multi-head", "multi-head-diagram", {"head 0", "head 1", "joined", "W_o", "6 x 4"}},
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

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The picture shows everything that runs, in its order, and counts all parameters once: the norms
// by name, the softmax, and that what is to be answered is one place further on than what is read.
TEST(CliDemo, BlocksShowEveryPart) {
  struct Expected {
    std::string kind, read, answered;
    size_t norms;
  };
  const std::vector<Expected> kinds{
      {"encoder-decoder", "begin, y_1, y_2", "[3, 100]: p of y_1, y_2, end", 2 * 2 + 2 * 3 + 2},
      {"encoder", "x_1, .., x_5", "[5, 2]: p of two classes", 2 * 2 + 1},
      {"decoder", "x_1, x_2, x_3", "[3, 100]: p of x_2, x_3, x_4", 2 * 2 + 1},
      {"prefix", "x_1, separator, y_1", "[3, 100]: p of -, y_1, end", 2 * 2 + 1}};
  const std::string folder = temporary("every_part");
  for (const auto& [kind, read, answered, norms] : kinds) {
    SCOPED_TRACE(kind);
    const auto page = run_json({"demo", "blocks", "--kind", kind, "--layers", "2", "-o", folder});
    const std::string svg = text_in(folder + "/blocks.svg");
    EXPECT_EQ(count_of(svg, ">layer norm"), norms);
    EXPECT_EQ(count_of(svg, "[5, 32], 64 parameters") + count_of(svg, "[3, 32], 64 parameters"),
              norms);
    for (const std::string& text : {read, answered, std::string(">softmax<")}) {
      EXPECT_NE(svg.find(text), std::string::npos) << text;
    }
    EXPECT_EQ(svg.find("the same table") != std::string::npos, kind != "encoder");
    // What is printed is what is drawn, and all that there is.
    const auto& rows = page["numbers"]["parameters"];
    const auto& names = page["tables"]["parameters"]["rows"];
    double sum = 0;
    ASSERT_EQ(rows.size(), names.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const double count = rows[i][0];
      sum += count;
      const std::string shown = fmt::format("{:.0f} parameters<", count);
      const auto with_as_many =
          static_cast<size_t>(std::count(rows.begin(), rows.end(), nlohmann::json::array({count})));
      EXPECT_EQ(count_of(svg, " " + shown), with_as_many) << names[i];
    }
    EXPECT_EQ(sum, page["numbers"]["total"]);
  }
}

// What the encoder gives is drawn around the boxes of the decoder, not behind them; every sum has a
// line past the part whose input it adds.
TEST(CliDemo, BlocksOfManyLayersAreNotCrossed) {
  const std::string folder = temporary("many_blocks");
  ASSERT_EQ(run_heed({"demo", "blocks", "--layers", "3", "-o", folder}).code, 0);
  const std::string svg = text_in(folder + "/blocks.svg");
  EXPECT_EQ(count_of(svg, "<polyline"), 3u + 3 * 2 + 3 * 3);
  std::istringstream words(svg);
  for (std::string word; words >> word;) {  // every straight arrow goes up
    if (word != "<line") continue;
    std::string x1, y1, x2;
    words >> x1 >> y1 >> x2;
    EXPECT_EQ(x1.substr(3), x2.substr(3));
  }
}

// Both axes of a plot have names.
TEST(CliDemo, AxesHaveNames) {
  const std::string folder = temporary("axes");
  const std::vector<std::pair<std::string, std::vector<std::string>>> named{
      {"saturation", {"saturation", "scale c", "weight, norm"}},
      {"regression", {"regression-query", ">x<", ">y<", ">weight<"}},
      {"complexity", {"complexity", "multiply-adds", "crossover, L = 512"}}};
  for (const auto& [name, texts] : named) {
    ASSERT_EQ(run_heed({"demo", name, "-o", folder}).code, 0);
    const std::string svg = text_in(folder + "/" + texts[0] + ".svg");
    for (size_t i = 1; i < texts.size(); ++i) {
      EXPECT_NE(svg.find(texts[i]), std::string::npos) << name << ": " << texts[i];
    }
  }
}

}  // namespace
}  // namespace heed::demo_figures_test

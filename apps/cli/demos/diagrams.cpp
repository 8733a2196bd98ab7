#include "apps/cli/demos/diagrams.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace heed::cli {
namespace {

constexpr size_t kMaxKeys = 8;
constexpr int64_t kMaxNumbers = 4;
constexpr int kBlue = 0, kVermilion = 1, kGreen = 2, kOrange = 3, kGray = 6;

std::string vector_text(const Tensor& numbers) {
  const Tensor x = numbers.to(DType::f64).contiguous();
  std::string text;
  for (int64_t i = 0; i < std::min(x.size(), kMaxNumbers); ++i) {
    text += fmt::format("{}{:.3g}", i == 0 ? "" : ", ", x.data<double>()[i]);
  }
  if (x.size() > kMaxNumbers) text += ", ..";
  return x.size() == 1 ? text : "(" + text + ")";
}

Tensor row_of(const Tensor& matrix, size_t row) {
  const auto at = static_cast<int64_t>(row);
  return matrix.slice(0, at, at + 1);
}

// The keys to draw, in their order.
std::vector<size_t> shown_keys(const std::vector<double>& weights) {
  std::vector<size_t> order(weights.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (order.size() > kMaxKeys) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return weights[a] > weights[b]; });
    order.resize(kMaxKeys);
    std::sort(order.begin(), order.end());
  }
  return order;
}

}  // namespace

Diagram pooling_diagram(const PoolingPicture& picture) {
  Diagram diagram({.title = picture.title, .column_gap = 46});
  const std::vector<size_t> shown = shown_keys(picture.weights);
  const double center = (static_cast<double>(shown.size()) - 1) / 2;
  const bool scored = !picture.scores.empty();
  const double weights_at = scored ? 4 : 2;
  const int query = diagram.box({0, center, "query\n" + vector_text(picture.query), kVermilion});
  const int softmax = scored ? diagram.box({3, center, "softmax", kGray}) : -1;
  const int output =
      diagram.box({weights_at + 2, center, "output\n" + vector_text(picture.output), kVermilion});
  for (size_t place = 0; place < shown.size(); ++place) {
    const size_t i = shown[place];
    const auto row = static_cast<double>(place);
    const double weight = picture.weights[i];
    const int key = diagram.box(
        {1, row, fmt::format("key {}\n{}", i + 1, vector_text(row_of(picture.keys, i))), kBlue});
    const int weighted =
        diagram.box({weights_at, row, fmt::format("weight {}\n{:.4g}", i + 1, weight), kOrange});
    const int value = diagram.box(
        {weights_at + 1, row,
         fmt::format("value {}\n{}", i + 1, vector_text(row_of(picture.values, i))), kGreen});
    diagram.arrow({query, key, 0.15});
    if (scored) {
      const int score =
          diagram.box({2, row, fmt::format("score {}\n{:.4g}", i + 1, picture.scores[i]), kGray});
      diagram.arrow({key, score, 0.15}).arrow({score, softmax, 0.15});
      diagram.arrow({softmax, weighted, weight});
    } else {
      diagram.arrow({key, weighted, weight});
    }
    diagram.arrow({weighted, value, weight}).arrow({value, output, weight});
  }
  return diagram;
}

Diagram word_arcs(const std::string& title, const std::vector<std::string>& words, size_t from,
                  const std::vector<double>& weights) {
  Diagram diagram({.title = title, .column_gap = 16});
  for (size_t i = 0; i < words.size(); ++i) {
    diagram.box({static_cast<double>(i), 0, fmt::format("{}\n{:.3f}", words[i], weights[i]),
                 i == from ? kVermilion : kBlue});
  }
  const double largest = *std::max_element(weights.begin(), weights.end());
  for (size_t i = 0; i < words.size(); ++i) {
    if (i == from) continue;
    diagram.arrow({static_cast<int>(from), static_cast<int>(i),
                   largest > 0 ? weights[i] / largest : 0, "", true});
  }
  return diagram;
}

Diagram seq2seq_diagram(const Seq2seqPicture& picture) {
  Diagram diagram({.title = picture.title, .column_gap = 40, .row_gap = 60});
  const size_t S = picture.source.size(), T = picture.target.size();
  const bool fixed = !picture.weights.defined();
  std::vector<int> encoder, decoder;
  for (size_t i = 0; i < S; ++i) {
    encoder.push_back(diagram.box(
        {static_cast<double>(i), 2, fmt::format("h_{}\n{}", i + 1, picture.source[i]), kBlue}));
    if (i > 0) diagram.arrow({encoder[i - 1], encoder[i], 0.3});
  }
  for (size_t t = 0; t < T; ++t) {
    decoder.push_back(diagram.box(
        {static_cast<double>(t), 0, fmt::format("s_{}\n{}", t + 1, picture.target[t]), kGreen}));
    if (t > 0) diagram.arrow({decoder[t - 1], decoder[t], 0.3});
  }
  if (fixed) {
    const int context =
        diagram.box({static_cast<double>(S - 1), 1, fmt::format("context\nh_{}", S), kVermilion});
    diagram.arrow({encoder.back(), context, 0.5});
    for (const int state : decoder) diagram.arrow({context, state, 0.5});
    return diagram;
  }
  const Tensor weights = picture.weights.to(DType::f64).contiguous();
  for (size_t t = 0; t < T; ++t) {
    for (size_t i = 0; i < S; ++i) {
      const double weight = weights.data<double>()[t * S + i];
      diagram.arrow({encoder[i], decoder[t], weight,
                     weight >= 0.5 ? fmt::format("{:.2f}", weight) : std::string()});
    }
  }
  return diagram;
}

}  // namespace heed::cli

#include "heed/pipeline/probe.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heed/base/divide_up.h"
#include "heed/base/fail.h"
#include "heed/data/tagged.h"
#include "heed/ops/linear_cross_entropy.h"
#include "heed/optim/adamw.h"
#include "heed/pipeline/read.h"
#include "heed/run/special_tokens.h"
#include "heed/run/text_ids.h"

namespace heed {
namespace {

constexpr int64_t kRowsAtOnce = 512;

// The words of a file: the tokens of its sentences, which of them stand for words, and the labels.
struct ProbedWords {
  std::vector<std::vector<int32_t>> sentences;
  std::vector<std::vector<int64_t>> rows;  // of each sentence, one per word
  std::vector<std::string> labels;         // of all words, one after the other
  std::set<std::string> features = {};     // that any word has, if one is the label
};

// The tokens of a word inside a text, with the space before it where spaces are tokens or parts of
// them. Other tokenizers put it there themselves, or know words only.
std::vector<int32_t> ids_in_text(const Tokenizer& tokenizer, const std::string& word,
                                 bool is_first) {
  const TokenizerKind kind = tokenizer.kind();
  const bool has_blanks =
      kind == TokenizerKind::byte || kind == TokenizerKind::character || kind == TokenizerKind::bpe;
  std::vector<int32_t> ids =
      tokenizer.encode(has_blanks && !is_first ? " " + word : word, SpecialNames::are_text);
  if (ids.empty()) ids.push_back(tokenizer.specials().unknown.value_or(0));
  return ids;
}

int64_t column_of(const std::string& label) {
  static const std::map<std::string, int64_t> kColumns = {
      {"", 0}, {"upos", 4}, {"xpos", 5}, {"feats", 6}, {"deprel", 8}};
  const auto found = kColumns.find(label);
  return found == kColumns.end() ? 6 : found->second;
}

// Adds the names of the features in "Case=Nom|Number=Sing".
void add_features(const std::string& all, std::set<std::string>& names) {
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('|', begin), all.size());
    const size_t sign = all.find('=', begin);
    if (sign < end) names.insert(all.substr(begin, sign - begin));
    begin = end + 1;
  }
}

// The value of a feature in "Case=Nom|Number=Sing"; "_" if it is not there.
std::string feature_of(const std::string& all, const std::string& name) {
  for (size_t begin = 0; begin < all.size();) {
    const size_t end = std::min(all.find('|', begin), all.size());
    const std::string one = all.substr(begin, end - begin);
    if (one.starts_with(name + "=")) return one.substr(name.size() + 1);
    begin = end + 1;
  }
  return "_";
}

ProbedWords read_words(const Pipeline& pipeline, const std::string& file,
                       const ProbeOptions& options) {
  const int64_t column = column_of(options.label);
  const bool is_feature = column == 6 && options.label != "feats";
  const SpecialTokens special = special_tokens_of(pipeline.run().config, pipeline.tokenizer());
  const int64_t max_length = longest_text(pipeline.run().config, special);
  const bool is_tagger = pipeline.task() == Task::tag;
  ProbedWords words;
  for_each_tagged(file, {.tag_column = column}, [&](const TaggedSentence& sentence) {
    if (options.sentences > 0 &&
        static_cast<int64_t>(words.sentences.size()) >= options.sentences) {
      return;
    }
    std::vector<int32_t>& ids = words.sentences.emplace_back();
    std::vector<int64_t>& rows = words.rows.emplace_back();
    for (size_t w = 0; w < sentence.tokens.size(); ++w) {
      const std::vector<int32_t> word =
          is_tagger ? word_ids(pipeline.tokenizer(), sentence.tokens[w])
                    : ids_in_text(pipeline.tokenizer(), sentence.tokens[w], w == 0);
      // The end of a sentence that is longer than the model reads is left out.
      if (max_length > 0 && static_cast<int64_t>(ids.size() + word.size()) > max_length) break;
      const size_t begin = special.before.size() + ids.size();
      ids.insert(ids.end(), word.begin(), word.end());
      if (is_feature) add_features(sentence.tags[w], words.features);
      const std::string label =
          is_feature ? feature_of(sentence.tags[w], options.label) : sentence.tags[w];
      if (options.only_labeled && label == "_") continue;
      rows.push_back(static_cast<int64_t>(is_tagger ? begin : begin + word.size() - 1));
      words.labels.push_back(label);
    }
    ids = special.around(ids);
  });
  check(
      !is_feature || words.features.contains(options.label),
      "{}: there is no feature {}; expected upos, xpos, feats, deprel or a feature of the file: {}",
      file, options.label,
      words.features.empty() ? "it has none" : fmt::format("{}", fmt::join(words.features, ", ")));
  check(!words.labels.empty(), "{}: there are no tagged words in it", file);
  return words;
}

// The states of the words of all sentences in the layer that comes `nth`, [W, C].
Tensor states_of(const std::vector<Tensor>& states, const ProbedWords& words, int64_t nth) {
  const int64_t C = states[0].dim(2);
  Tensor result = Tensor::empty({static_cast<int64_t>(words.labels.size()), C}, DType::f32);
  float* out = result.data<float>();
  for (size_t s = 0; s < states.size(); ++s) {
    const int64_t T = states[s].dim(1);
    for (const int64_t t : words.rows[s]) {
      out = std::copy_n(states[s].data<float>() + (nth * T + t) * C, C, out);
    }
  }
  return result;
}

// Makes every column of `train` have mean 0 and deviation 1, and the other like it.
void standardize(Tensor& train, Tensor& valid) {
  const int64_t C = train.dim(1), N = train.dim(0);
  for (int64_t c = 0; c < C; ++c) {
    double sum = 0, squares = 0;
    for (int64_t n = 0; n < N; ++n) {
      const auto x = static_cast<double>(train.data<float>()[n * C + c]);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / static_cast<double>(N);
    const double deviation =
        std::sqrt(std::max(squares / static_cast<double>(N) - mean * mean, 0.0));
    for (Tensor* rows : {&train, &valid}) {
      for (int64_t n = 0; n < rows->dim(0); ++n) {
        float& x = rows->data<float>()[n * C + c];
        x = static_cast<float>((static_cast<double>(x) - mean) / (deviation + 1e-6));
      }
    }
  }
}

std::vector<int32_t> classes_of(const ProbedWords& words, const std::vector<std::string>& labels) {
  std::vector<int32_t> classes;
  for (const std::string& label : words.labels) {
    const auto found = std::lower_bound(labels.begin(), labels.end(), label);
    const bool is_known = found != labels.end() && *found == label;
    classes.push_back(is_known ? static_cast<int32_t>(found - labels.begin()) : -1);
  }
  return classes;
}

struct Classifier {
  Variable weight, bias;  // [K, C], [K]
};

Classifier train_classifier(const Tensor& x, const std::vector<int32_t>& classes, int64_t K,
                            const ProbeOptions& options) {
  const int64_t N = x.dim(0), C = x.dim(1);
  Classifier linear{Variable::parameter(Tensor::zeros({K, C}, DType::f32)),
                    Variable::parameter(Tensor::zeros({K}, DType::f32))};
  AdamW optimizer({{"weight", linear.weight}, {"bias", linear.bias}}, {.weight_decay = 0.01});
  const Tensor labels = Tensor::from(classes, {N});
  const int64_t blocks = divide_up(N, kRowsAtOnce), steps = blocks * options.epochs;
  for (int64_t step = 0; step < steps; ++step) {
    const int64_t begin = step % blocks * kRowsAtOnce, end = std::min(N, begin + kRowsAtOnce);
    const Variable loss = linear_cross_entropy(x.slice(0, begin, end), linear.weight, linear.bias,
                                               labels.slice(0, begin, end));
    const Gradients gradients = backward(loss);
    const std::vector<Tensor> both = {gradients.of(linear.weight), gradients.of(linear.bias)};
    const double left = 1 - static_cast<double>(step) / static_cast<double>(steps);
    optimizer.step(both, {.rate = options.rate * left});
  }
  return linear;
}

double accuracy(const Classifier& linear, const Tensor& x, const std::vector<int32_t>& classes) {
  const NoGrad no_grad;
  const Tensor logits =
      affine(x, linear.weight, linear.bias, {.weight_layout = WeightLayout::out_in});
  const int64_t K = logits.dim(1);
  int64_t right = 0;
  for (int64_t n = 0; n < x.dim(0); ++n) {
    const float* row = logits.data<float>() + n * K;
    right += std::max_element(row, row + K) - row == classes[n] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(x.dim(0));
}

// How often the most frequent class of one file is right in another.
double majority_of(const std::vector<int32_t>& train, const std::vector<int32_t>& valid) {
  std::map<int32_t, int64_t> counts;
  for (const int32_t c : train) ++counts[c];
  const auto most_frequent =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return static_cast<double>(std::count(valid.begin(), valid.end(), most_frequent->first)) /
         static_cast<double>(valid.size());
}

}  // namespace

ProbeReport probe(const Pipeline& pipeline, const std::string& train_file,
                  const std::string& valid_file, const ProbeOptions& options) {
  check(options.epochs > 0 && options.rate > 0,
        "probe: {} epochs at a rate of {}; both must be more than 0", options.epochs, options.rate);
  check(pipeline.blocks() > 0, "probe: only transformers show the states of their layers");
  const ProbedWords train = read_words(pipeline, train_file, options);
  const ProbedWords valid = read_words(pipeline, valid_file, options);
  ProbeReport report;
  report.train_words = static_cast<int64_t>(train.labels.size());
  report.valid_words = static_cast<int64_t>(valid.labels.size());
  report.labels = train.labels;
  std::sort(report.labels.begin(), report.labels.end());
  report.labels.erase(std::unique(report.labels.begin(), report.labels.end()), report.labels.end());
  check(report.labels.size() >= 2, "{}: there must be two labels or more, got {}", train_file,
        report.labels.size());
  const std::vector<int32_t> train_classes = classes_of(train, report.labels);
  const std::vector<int32_t> valid_classes = classes_of(valid, report.labels);
  report.majority = majority_of(train_classes, valid_classes);

  const EmbedOptions embed{.layers = pipeline.all_layers(), .pool = EmbedPool::none};
  const std::vector<Tensor> train_states = embed_ids(pipeline, train.sentences, embed);
  const std::vector<Tensor> valid_states = embed_ids(pipeline, valid.sentences, embed);
  for (const int64_t layer : embed.layers) {
    const int64_t nth = layer - kEmbeddingLayer;
    Tensor x = states_of(train_states, train, nth), y = states_of(valid_states, valid, nth);
    standardize(x, y);
    const Classifier linear =
        train_classifier(x, train_classes, static_cast<int64_t>(report.labels.size()), options);
    report.layers.push_back(
        {layer, accuracy(linear, x, train_classes), accuracy(linear, y, valid_classes)});
  }
  return report;
}

}  // namespace heed

// The engine against the reference: all pairs of options, a table of shapes, many keys.
#include <functional>
#include <string>
#include <vector>

#include "heed/run/task_names.h"
#include "tests/attention/attention_case.h"
#include "tests/attention/covering.h"

namespace heed {
namespace {

// One value of an option: what it is called and what it does to a case.
struct Choice {
  std::string name;
  std::function<void(AttentionSizes&)> resize = [](AttentionSizes&) {};
  std::function<void(AttentionCase&)> apply = [](AttentionCase&) {};
};

Choice option(const char* name, std::function<void(AttentionCase&)> apply) {
  return {name, [](AttentionSizes&) {}, std::move(apply)};
}

Choice masked(const char* name, std::function<Mask(const AttentionCase&)> mask) {
  return option(name, [mask](AttentionCase& c) { c.options.mask = c.options.mask & mask(c); });
}

bool is_weight(Normalizer n) { return n == Normalizer::sum || n == Normalizer::none; }

std::vector<Choice> score_choices() {
  std::vector<Choice> choices;
  const std::vector<NamedScore> same = all_scores(2, 2, false), other = all_scores(2, 3, false);
  for (size_t i = 0; i < same.size(); ++i) {
    choices.push_back(option(same[i].name, [i](AttentionCase& c) {
      const bool positive = is_weight(c.options.normalizer);
      c.options.score = all_scores(c.q.dim(2), c.q.dim(2), positive)[i].score;
    }));
  }
  for (size_t i = 0; i < other.size(); ++i) {
    choices.push_back({std::string(other[i].name) + ", other width",
                       [](AttentionSizes& s) { s.key_width = s.width + 3; },
                       [i](AttentionCase& c) {
                         const bool positive = is_weight(c.options.normalizer);
                         c.options.score = all_scores(c.q.dim(2), c.k.dim(2), positive)[i].score;
                       }});
  }
  return choices;
}

std::vector<Choice> normalizer_choices() {
  std::vector<Choice> choices;
  for (Normalizer n : kNormalizers) {
    choices.push_back({name_of(n), [n](AttentionSizes& s) { s.low = is_weight(n) ? 0.1 : -1; },
                       [n](AttentionCase& c) {
                         c.options.normalizer = n;
                         c.options.allow_negative = true;
                       }});
  }
  return choices;
}

std::vector<int64_t> some_lengths(int64_t count, int64_t max) {
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < count; ++i) lengths.push_back((i * 37 + max - 1) % (max + 1));
  return lengths;
}

Tensor table(const Shape& shape, DType type) {  // three of four allowed
  Tensor allowed = Tensor::zeros(shape, DType::u8);
  for (int64_t i = 0; i < allowed.size(); ++i) {
    allowed.data<uint8_t>()[i] =
        random_bits(random_key({.position = static_cast<uint64_t>(i)}), 1) % 4 > 0;
  }
  return allowed.to(type);
}

// [T, S] and so on, with `axes` as in "BHTS": a 1 for an axis that repeats.
Shape table_shape(const AttentionCase& c, const std::string& axes) {
  std::vector<int64_t> sizes;
  for (char axis : axes) {
    sizes.push_back(axis == 'B'   ? c.query_rows.count()
                    : axis == 'H' ? c.q.dim(1)
                    : axis == 'T' ? c.query_rows.max_length()
                    : axis == 'S' ? c.key_rows.max_length()
                    : axis == 's' ? c.key_rows.max_length() + 5
                                  : 1);
  }
  return Shape(std::span<const int64_t>(sizes));
}

std::vector<std::vector<Choice>> all_options() {
  const Choice off{"-"};
  std::vector<std::vector<Choice>> factors = {normalizer_choices(), score_choices()};
  factors.push_back({off, masked("causal", [](const auto&) { return Mask::causal(); }),
                     masked("causal, offset 3", [](const auto&) { return Mask::causal(3); }),
                     masked("causal, offset -2", [](const auto&) { return Mask::causal(-2); }),
                     masked("causal, offsets", [](const AttentionCase& c) {
                       Mask mask = Mask::causal();
                       for (int64_t b = 0; b < c.query_rows.count(); ++b)
                         mask.offsets.push_back(b * 4);
                       return mask;
                     })});
  factors.push_back({off, masked("window 2,0", [](const auto&) { return Mask::window(2, 0); }),
                     masked("window 1,3", [](const auto&) { return Mask::window(1, 3); }),
                     masked("window -,1", [](const auto&) { return Mask::window(-1, 1); })});
  factors.push_back(
      {off, masked("exclude self", [](const auto&) { return Mask::exclude_self(); })});
  factors.push_back({off,
                     masked("length per sequence",
                            [](const AttentionCase& c) {
                              const int64_t count = c.query_rows.count();
                              return Mask::key_lengths(Tensor::from(
                                  some_lengths(count, c.key_rows.max_length()), {count}));
                            }),
                     masked("length per query", [](const AttentionCase& c) {
                       const int64_t count = c.query_rows.total();
                       const auto lengths =
                           Tensor::from(some_lengths(count, c.key_rows.max_length()), {count});
                       return Mask::key_lengths_per_query(lengths.to(DType::i32));
                     })});
  std::vector<Choice> tables = {off}, biases = {off};
  for (const char* axes : {"TS", "1s", "BTS", "BHTS", "1H1S", "B1T1"}) {
    tables.push_back(masked(axes, [axes](const AttentionCase& c) {
      return Mask::dense(table(table_shape(c, axes), axes[0] == 'B' ? DType::boolean : DType::u8));
    }));
    biases.push_back(option(axes, [axes](AttentionCase& c) {
      Tensor bias = numbers(table_shape(c, axes), 60, 0, 1).clone();
      for (int64_t i = 2; i < bias.size(); i += 11) bias.data<double>()[i] = -INFINITY;
      c.options.bias = bias;
    }));
  }
  factors.push_back(tables);
  factors.push_back(biases);
  factors.push_back({off, option("slopes", [](AttentionCase& c) {
                       for (int64_t h = 0; h < c.q.dim(1); ++h) {
                         c.options.slopes.push_back(is_weight(c.options.normalizer) ? -0.01 : 0.03);
                       }
                     })});
  factors.push_back({off, option("softcap", [](AttentionCase& c) { c.options.softcap = 1.5; })});
  factors.push_back({off, option("dropout", [](AttentionCase& c) {
                       c.options.dropout = 0.3;
                       c.options.seed = 5;
                       c.options.step = 6;
                       c.options.site = 7;
                     })});
  std::vector<Choice> heads, widths;
  for (const auto& [h, kv] : {std::pair<int64_t, int64_t>{2, 2}, {4, 2}, {3, 1}, {1, 1}}) {
    heads.push_back(
        {std::to_string(h) + "/" + std::to_string(kv), [h = h, kv = kv](AttentionSizes& s) {
           s.heads = h;
           s.kv_heads = kv;
         }});
  }
  for (int64_t value_width : {4, 1, 17}) {
    widths.push_back({"Dv " + std::to_string(value_width),
                      [value_width](AttentionSizes& s) { s.value_width = value_width; }});
  }
  factors.push_back(heads);
  factors.push_back(widths);
  return factors;
}

void check_all_pairs(const AttentionSizes& base, uint64_t seed) {
  const std::vector<std::vector<Choice>> factors = all_options();
  std::vector<int> counts;
  for (const auto& factor : factors) counts.push_back(static_cast<int>(factor.size()));
  for (const std::vector<int>& picks : covering_pairs(counts, seed)) {
    AttentionSizes sizes = base;
    std::string name;
    for (size_t f = 0; f < factors.size(); ++f) {
      const Choice& choice = factors[f][picks[f]];
      choice.resize(sizes);
      if (choice.name != "-") name += choice.name + "; ";
    }
    AttentionCase c(sizes, {}, seed * 100);
    c.name = name;
    for (size_t f = 0; f < factors.size(); ++f) {
      factors[f][picks[f]].apply(c);
    }
    // Rows of one or two keys, or a tanh near 1: some gradients are what is left of numbers near 1,
    // and hardly more than their rounding in float32.
    check_engine(c, 1e-5, 0.1);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Engine, AllPairsOfOptions) {
  check_all_pairs({.queries = {5, 3, 1}, .keys = {7, 4, 2}}, 1);
  check_all_pairs({.queries = {6, 0, 2}, .keys = {6, 3, 0}, .width = 9}, 2);
}

TEST(Engine, AllPairsOfOptionsAcrossTiles) {
  if (kSlow) return check_all_pairs({.queries = {66}, .keys = {130}, .heads = 1}, 3);
  check_all_pairs({.queries = {3, 66}, .keys = {140, 130}}, 3);
}

}  // namespace
}  // namespace heed

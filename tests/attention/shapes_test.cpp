// The engine against the reference for sizes around the edges of tiles, blocks and chunks.
#include <string>
#include <vector>

#include "tests/attention/attention_case.h"

namespace heed {
namespace {

// Scores with different code, under the normalizer that suits them.
struct Kind {
  const char* name;
  Score (*make)(int64_t width);
  Normalizer normalizer;
};

const Kind kKinds[] = {
    {"scaled dot", [](int64_t) -> Score { return ScaledDot{}; }, Normalizer::softmax},
    {"gaussian", [](int64_t d) -> Score { return Gaussian{numbers({d}, 36, 0.8, 1.5)}; },
     Normalizer::softmax},
    {"gaussian kernel", [](int64_t) -> Score { return Gaussian{numbers({1}, 35, 2, 3)}; },
     Normalizer::sum},
    {"epanechnikov", [](int64_t) -> Score { return Epanechnikov{numbers({1}, 35, 9, 10)}; },
     Normalizer::none},
    {"additive",
     [](int64_t d) -> Score {
       return Additive{numbers({5, d}, 32), numbers({5, d}, 33), numbers({5}, 34)};
     },
     Normalizer::softmax},
};

void check_kinds(const std::string& name, const AttentionSizes& sizes, const Mask& mask) {
  for (const Kind& kind : kKinds) {
    AttentionCase c(sizes);
    c.options.score = kind.make(sizes.width);
    c.options.normalizer = kind.normalizer;
    c.options.mask = mask;
    c.name = name + ", " + kind.name;
    check_engine(c);
  }
}

TEST(Shapes, Tails) {
  const std::vector<int64_t> lengths = {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 200, 300};
  for (size_t i = 0; i < lengths.size(); ++i) {
    const int64_t n = lengths[i], other = lengths[(i * 5 + 3) % lengths.size()];
    if (kSlow && n * other > 20000) continue;
    const AttentionSizes sizes{
        .queries = {n}, .keys = {other}, .heads = 1, .kv_heads = 1, .width = 3, .value_width = 2};
    const std::string name = std::to_string(n) + " queries, " + std::to_string(other) + " keys";
    check_kinds(name, sizes, {});
    check_kinds(name + ", causal", sizes, Mask::causal(other - n));
    check_kinds(name + ", window", sizes, Mask::window(20, 3));
  }
}

TEST(Shapes, Widths) {
  for (int64_t width : {1, 2, 8, 16, 17, 48, 64, 80}) {
    for (int64_t value_width : {int64_t{1}, int64_t{33}, width}) {
      check_kinds("D " + std::to_string(width) + ", Dv " + std::to_string(value_width),
                  {.queries = {7, 2}, .keys = {19, 5}, .width = width, .value_width = value_width},
                  {});
    }
  }
  AttentionSizes wide{.queries = {70}, .keys = {150}, .heads = 1, .kv_heads = 1};
  for (int64_t width : {64, 80}) {
    wide.width = wide.value_width = width;
    check_kinds("wide", wide, Mask::causal(80));
  }
}

TEST(Shapes, EmptySequences) {
  check_kinds("no keys", {.queries = {3, 2}, .keys = {0, 4}}, {});
  check_kinds("no queries", {.queries = {0, 2}, .keys = {5, 4}}, {});
  check_kinds("neither", {.queries = {0, 2, 0}, .keys = {0, 4, 0}}, {});
  check_kinds("nothing at all", {.queries = {0}, .keys = {0}}, {});
  check_kinds("no keys anywhere", {.queries = {4, 1}, .keys = {0, 0}}, {});
  check_kinds("no sequences", {.queries = {}, .keys = {}}, {});
  check_kinds("no values", {.queries = {4, 1}, .keys = {3, 2}, .value_width = 0}, {});
}

TEST(Shapes, NoAllowedKeys) {
  const AttentionSizes sizes{.queries = {70, 3}, .keys = {140, 4}, .heads = 1, .kv_heads = 1};
  check_kinds("length 0", sizes,
              Mask::key_lengths(Tensor::from<int64_t>(std::vector<int64_t>{0, 2}, {2})));
  check_kinds("before the first key", sizes, Mask::causal(-40));
  check_kinds("window behind the last key", sizes, Mask::causal(100) & Mask::window(5, 0));
  check_kinds("dense", sizes, Mask::dense(Tensor::zeros({1, 1}, DType::boolean)));
}

// Backward cuts the keys of a sequence into chunks of 4096, or four if there are more than 16384.
TEST(Shapes, ManyKeys) {
  const std::vector<std::vector<int64_t>> lengths = {{4096 + 130, 9, 4097}, {16384 + 700, 300}};
  for (size_t i = 0; i < (kSlow ? 1 : lengths.size()); ++i) {
    AttentionSizes sizes{.queries = {2, 3, 1}, .keys = lengths[i], .heads = 2, .kv_heads = 1};
    sizes.queries.resize(lengths[i].size());
    check_kinds("many keys", sizes, {});
    check_kinds("many keys, mask", sizes, Mask::causal(4100) & Mask::window(4000, 0));
  }
}

// The gradient of a bias that all queries, or all keys, share has sums over everything.
TEST(Shapes, BiasAcrossTiles) {
  for (const Shape& shape : {Shape{150, 300}, Shape{1, 300}, Shape{150, 1}, Shape{1, 1},
                             Shape{2, 3, 1, 300}, Shape{2, 1, 150, 1}}) {
    AttentionCase c({.queries = {150, 3}, .keys = {300, 140}, .heads = 3, .kv_heads = 1});
    if (kSlow)
      c = AttentionCase({.queries = {70, 3}, .keys = {20, 140}, .heads = 3, .kv_heads = 1});
    c.name = "bias " + shape.text();
    c.options.bias = numbers(shape, 61);
    check_engine(c);
  }
}

}  // namespace
}  // namespace heed

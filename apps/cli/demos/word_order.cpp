// Dog bites man.

#include <fmt/format.h>

#include "apps/cli/demos/demo.h"
#include "heed/textbook/word_order.h"

namespace heed::cli {
namespace {

struct WordOrderArguments {
  std::string first = "dog bites man";
  std::string second = "man bites dog";
  uint64_t seed = 1;
};

void add_word_order_options(Command& command, WordOrderArguments& arguments) {
  command.add_option("--first", arguments.first, "A sentence (default 'dog bites man')")
      .type_name("WORDS");
  command.add_option("--second", arguments.second, "The same words (default 'man bites dog')")
      .type_name("WORDS");
  add_seed(command, arguments.seed);
}

void show_word_order_demo(const WordOrderArguments& arguments, Lesson& lesson) {
  const std::vector<std::string> first = word_list(arguments.first);
  const std::vector<std::string> second = word_list(arguments.second);
  lesson.formula(
      "one layer of self-attention;\n"
      "each word is compared with itself in the other order");
  struct Case {
    const char* key;
    const char* name;
    WordOrderOptions options;
  };
  const std::vector<Case> cases{
      {"full", "full attention", {.seed = arguments.seed}},
      {"causal", "causal mask", {.causal = true, .seed = arguments.seed}},
      {"positions", "with positions", {.positions = true, .seed = arguments.seed}},
      {"both",
       "causal, with positions",
       {.causal = true, .positions = true, .seed = arguments.seed}}};
  std::vector<double> all;
  std::vector<std::string> names;
  for (const Case& each : cases) {
    const WordOrder result = word_order(first, second, each.options);
    lesson.fact(each.key, fmt::format("same embeddings, {}", each.name), result.same);
    all.insert(all.end(), result.differences.begin(), result.differences.end());
    names.emplace_back(each.name);
  }
  lesson.table(
      "differences", "Largest difference of each word's embedding",
      Tensor::from(all, {static_cast<int64_t>(cases.size()), static_cast<int64_t>(first.size())}),
      {names, first});
  Figure bars({.title = "How much the order changes the words", .x_label = "largest difference"});
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto begin = all.begin() + static_cast<int64_t>(i * first.size());
    bars.bars(first,
              numbers(std::vector<double>(begin, begin + static_cast<int64_t>(first.size()))),
              {.label = names[i]});
  }
  lesson.figure("", bars);
  lesson.erratum(9,
                 "the notes say that the same embeddings would be computed without positions. True "
                 "where all words see all words; under a causal mask, as in the decoder they speak "
                 "of, the order already counts.");
}

}  // namespace

Demo word_order_demo() {
  return {"word-order",
          "Positions",
          "Dog bites man, with and without a causal mask",
          "R82",
          "--first 'one two three' --second 'two one three'",
          with_options<WordOrderArguments>(add_word_order_options, show_word_order_demo)};
}

}  // namespace heed::cli

// A dictionary that answers for a key it does not hold.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/cli/demos/demo.h"
#include "apps/cli/options/option_checks.h"
#include "heed/base/fail.h"
#include "heed/textbook/fuzzy_dictionary.h"

namespace heed::cli {
namespace {

struct FuzzyDictionaryArguments {
  std::string keys = "apple apricot orange";
  std::string values = "8,4,3";
  std::string similarity = "0,20,30";
  std::string key;
};

void add_fuzzy_dictionary_options(Command& command, FuzzyDictionaryArguments& arguments) {
  command.add_option("--keys", arguments.keys, "Words (default 'apple apricot orange')")
      .type_name("WORDS");
  command.add_option("--values", arguments.values, "One number per word (default 8,4,3)")
      .type_name("NUMBERS");
  command
      .add_option("--similarity", arguments.similarity,
                  "How similar the query is to each word (default 0,20,30, for 'orangicot')")
      .type_name("NUMBERS");
  command.add_option("--key", arguments.key, "Also look up this word exactly").type_name("WORD");
}

// What the two ways make of the two largest similarities.
void tell_contrast(std::vector<double> similarity, Lesson& lesson) {
  if (similarity.size() < 2) return;
  std::sort(similarity.begin(), similarity.end(), std::greater<>());
  const double first = similarity[0], second = similarity[1];
  if (first == second || second <= 0) return;
  lesson.say(fmt::format(
      "Softmax looks at differences, not at ratios: {:g} against {:g} is {:.4g} to 1 by the sum, "
      "and exp({:g} - {:g}) = {:.4g} to 1 through softmax.",
      first, second, first / second, first, second, std::exp(first - second)));
}

void show_fuzzy_dictionary_demo(const FuzzyDictionaryArguments& arguments, Lesson& lesson) {
  const std::vector<std::string> words = word_list(arguments.keys);
  const std::vector<double> values = number_list("--values", arguments.values);
  if (words.size() != values.size()) {
    wrong_usage(fmt::format("--keys has {} words, --values {} numbers; one each is needed",
                            words.size(), values.size()));
  }
  std::vector<std::pair<std::string, double>> entries;
  for (size_t i = 0; i < words.size(); ++i) entries.emplace_back(words[i], values[i]);
  const FuzzyDictionary dictionary(entries);
  const std::vector<double> similarity = number_list("--similarity", arguments.similarity);
  for (const double s : similarity) {
    check(s >= 0, "--similarity: {:g} is negative; weights by the sum need 0 or more", s);
  }
  if (!arguments.key.empty()) dictionary.at(arguments.key);  // an Error before anything is printed
  lesson.formula(
      "d[q] = sum_i w_i v_i\n"
      "sum       w_i = s_i / sum_j s_j\n"
      "softmax   w_i = exp(s_i) / sum_j exp(s_j)");
  std::string entries_text;
  for (const auto& [word, value] : entries) {
    entries_text += fmt::format("{}\"{}\": {:g}", entries_text.empty() ? "" : ", ", word, value);
  }
  lesson.say(fmt::format("d = {{{}}}; the query is similar to them by {:g}.", entries_text,
                         fmt::join(similarity, ", ")));
  if (!arguments.key.empty()) {
    lesson.number("exact", fmt::format("d[\"{}\"], exactly", arguments.key),
                  dictionary.at(arguments.key));
  }
  const FuzzyAnswer by_sum = dictionary.lookup(similarity);
  const FuzzyAnswer by_softmax = dictionary.lookup(similarity, Normalizer::softmax);
  std::vector<double> both = by_sum.weights;
  both.insert(both.end(), by_softmax.weights.begin(), by_softmax.weights.end());
  lesson.table("weights", "Weights", Tensor::from(both, {2, static_cast<int64_t>(words.size())}),
               {{"sum", "softmax"}, words}, 7);
  lesson.number("sum", "divided by the sum", by_sum.value, 8);
  lesson.number("softmax", "through softmax", by_softmax.value, 8);
  Figure figure({.title = "Weights of the entries", .x_label = "weight"});
  figure.bars(words, numbers(by_sum.weights), {.label = "sum"});
  figure.bars(words, numbers(by_softmax.weights), {.label = "softmax"});
  lesson.figure("", figure);
  const FuzzyDictionaryArguments notes;
  if (arguments.similarity == notes.similarity && arguments.values == notes.values) {
    lesson.say(
        "The notes compute 3.4 by dividing by the sum and go on with softmax without saying so.");
  }
  tell_contrast(similarity, lesson);
}

}  // namespace

Demo fuzzy_dictionary_demo() {
  return {"fuzzy-dictionary",
          "Pooling over keys and values",
          "A dictionary that answers for keys it does not hold",
          "R8",
          "--similarity 1,2,3",
          with_options<FuzzyDictionaryArguments>(add_fuzzy_dictionary_options,
                                                 show_fuzzy_dictionary_demo)};
}

}  // namespace heed::cli

#include "heed/textbook/fuzzy_dictionary.h"

#include "heed/base/fail.h"
#include "heed/textbook/experiment_internal.h"

namespace heed {

FuzzyDictionary::FuzzyDictionary(std::vector<std::pair<std::string, double>> entries)
    : entries_(std::move(entries)) {
  check(!entries_.empty(), "fuzzy dictionary: there are no entries to answer from");
}

double FuzzyDictionary::at(const std::string& key) const {
  std::string known;
  for (const auto& [name, value] : entries_) {
    if (name == key) return value;
    known += (known.empty() ? "'" : ", '") + name + "'";
  }
  fail("fuzzy dictionary: there is no key '{}'; there are {}; a fuzzy lookup needs similarities",
       key, known);
}

// Attention with the query 1 and the similarities as keys: the score 1 * s_i is s_i itself.
FuzzyAnswer FuzzyDictionary::lookup(std::span<const double> similarities,
                                    Normalizer normalizer) const {
  check(similarities.size() == entries_.size(),
        "fuzzy dictionary: {} similarities for {} entries; one each is needed", similarities.size(),
        entries_.size());
  std::vector<double> values;
  for (const auto& entry : entries_) values.push_back(entry.second);
  const Tensor keys =
      column_of(std::vector<double>(similarities.begin(), similarities.end()));  // [m, 1]
  const Pooled pooled = pool(Tensor::full({1, 1}, 1, DType::f64), keys, column_of(values),
                             {.score = Dot{}, .normalizer = normalizer});
  return {pooled.output.item(), numbers_of(pooled.weights)};
}

}  // namespace heed

// A dictionary that also answers for keys it does not hold.
//
//   exact   d[q] = v_i  where k_i = q; an Error that names q if there is none
//   fuzzy   d[q] = sum_i w_i v_i
//
//   sum       w_i = s_i / sum_j s_j              s_i >= 0 says how similar q and k_i are
//   softmax   w_i = exp(s_i) / sum_j exp(s_j)    any s_i
//
// The lecture notes divide by the sum and then speak of softmax; the two do not give the same:
//
//   FuzzyDictionary d({{"apple", 8}, {"apricot", 4}, {"orange", 3}});
//   d.at("apple");                                          // 8
//   d.lookup({{0, 20, 30}}).value;                          // 3.4
//   d.lookup({{0, 20, 30}}, Normalizer::softmax).value;     // 3.0000454
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/attention/score.h"
#include "heed/base/export.h"

namespace heed {

struct FuzzyAnswer {
  double value = 0;
  std::vector<double> weights;  // one per entry
};

class HEED_API FuzzyDictionary {
 public:
  explicit FuzzyDictionary(std::vector<std::pair<std::string, double>> entries);

  double at(const std::string& key) const;
  // One similarity per entry.
  FuzzyAnswer lookup(std::span<const double> similarities,
                     Normalizer normalizer = Normalizer::sum) const;

  const std::vector<std::pair<std::string, double>>& entries() const { return entries_; }

 private:
  std::vector<std::pair<std::string, double>> entries_;
};

}  // namespace heed

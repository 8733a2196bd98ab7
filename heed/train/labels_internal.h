// The labels of classes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

// Classes by their labels. The class of a label is its place in the list, which must outlive this.
class LabelIndex {
 public:
  explicit LabelIndex(std::span<const std::string> labels);

  // Of equal labels the first; -1 if there is none.
  int32_t find(std::string_view label) const;

 private:
  std::unordered_map<std::string_view, int32_t> classes_;
};

// Raises an Error if none of the labels found in the validation data `where` is known: every score
// would be 0 and choose the best model all the same. What was found maps labels to their counts.
void require_known_label(const std::string& where, const std::map<std::string, int64_t>& found,
                         const std::vector<std::string>& known);

}  // namespace heed

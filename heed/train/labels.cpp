#include <algorithm>

#include "heed/base/fail.h"
#include "heed/text/utf8.h"
#include "heed/train/labels_internal.h"

namespace heed {
namespace {

constexpr size_t kLabelsTold = 5;
constexpr size_t kLabelBytes = 30;  // data that is read wrongly has labels as long as texts

// "cat, dog, ..."
std::string few_labels(const std::vector<std::string>& labels) {
  std::string text;
  for (size_t i = 0; i < std::min(labels.size(), kLabelsTold); ++i) {
    std::string_view label = std::string_view(labels[i]).substr(0, kLabelBytes);
    label.remove_suffix(incomplete_utf8_bytes(label));
    text += fmt::format("{}{}{}", i == 0 ? "" : ", ", label,
                        labels[i].size() > kLabelBytes ? "..." : "");
  }
  return labels.size() > kLabelsTold ? text + ", ..." : text;
}

}  // namespace

LabelIndex::LabelIndex(std::span<const std::string> labels) {
  classes_.reserve(labels.size());
  for (size_t i = 0; i < labels.size(); ++i) classes_.emplace(labels[i], static_cast<int32_t>(i));
}

int32_t LabelIndex::find(std::string_view label) const {
  const auto found = classes_.find(label);
  return found == classes_.end() ? -1 : found->second;
}

void require_known_label(const std::string& where, const std::map<std::string, int64_t>& found,
                         const std::vector<std::string>& known) {
  const LabelIndex index(known);
  std::vector<std::string> unknown;
  for (const auto& [label, count] : found) {
    if (index.find(label) >= 0) return;
    unknown.push_back(label);
  }
  if (unknown.empty()) return;  // there are none at all
  fail(
      "{}: nothing in it can be validated: its labels are {}, but training knows {}; `valid` "
      "needs data with labels of `train`",
      where, few_labels(unknown), few_labels(known));
}

}  // namespace heed

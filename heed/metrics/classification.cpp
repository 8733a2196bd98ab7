#include "heed/metrics/classification.h"

#include "heed/base/fail.h"

namespace heed {
namespace {

void check_class(const char* what, size_t i, int32_t id, int64_t classes) {
  check(id >= 0 && id < classes, "classification: {} class {} of example {} is not in 0 .. {}",
        what, id, i, classes - 1);
}

}  // namespace

int64_t Classification::count(int64_t expected, int64_t predicted) const {
  check(expected >= 0 && expected < classes && predicted >= 0 && predicted < classes,
        "classification: no entry [{}, {}] in a table of {} classes", expected, predicted, classes);
  check(!confusion.empty(),
        "classification: there is no table of {} classes; ask for it with .confusion = true",
        classes);
  return confusion[expected * classes + predicted];
}

Classification classification(std::span<const int32_t> predicted, std::span<const int32_t> expected,
                              int64_t classes, const ClassificationOptions& options) {
  check(predicted.size() == expected.size(),
        "classification: {} predictions, but {} expected classes; there must be as many",
        predicted.size(), expected.size());
  check(classes > 0, "classification: the number of classes must be positive, got {}", classes);
  Classification result;
  result.classes = classes;
  if (options.confusion) result.confusion.assign(static_cast<size_t>(classes * classes), 0);
  struct Counts {
    int64_t correct = 0, found = 0, wanted = 0;
  };
  std::vector<Counts> counts(static_cast<size_t>(classes));
  for (size_t i = 0; i < predicted.size(); ++i) {
    check_class("predicted", i, predicted[i], classes);
    check_class("expected", i, expected[i], classes);
    const auto p = static_cast<size_t>(predicted[i]), t = static_cast<size_t>(expected[i]);
    ++counts[p].found;
    ++counts[t].wanted;
    counts[t].correct += p == t ? 1 : 0;
    if (options.confusion) ++result.confusion[t * static_cast<size_t>(classes) + p];
  }

  int64_t correct = 0;
  double seen = 0;
  result.of.reserve(counts.size());
  for (const Counts& c : counts) {
    const PrecisionRecall one = precision_recall(c.correct, c.found, c.wanted);
    result.of.push_back(one);
    result.macro.precision += one.precision;
    result.macro.recall += one.recall;
    result.macro.f1 += one.f1;
    seen += c.found + c.wanted > 0 ? 1 : 0;
    correct += c.correct;
  }
  if (seen > 0) {
    result.macro.precision /= seen;
    result.macro.recall /= seen;
    result.macro.f1 /= seen;
  }
  const auto examples = static_cast<int64_t>(predicted.size());
  result.accuracy = {correct, examples};
  result.micro = precision_recall(correct, examples, examples);
  return result;
}

}  // namespace heed

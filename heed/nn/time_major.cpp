#include "heed/nn/time_major.h"

#include <algorithm>
#include <numeric>

#include "heed/base/fail.h"
#include "heed/ops/concatenate.h"
#include "heed/ops/gather.h"

namespace heed {

TimeMajor::TimeMajor(const Rows& rows, Direction direction)
    : order_(static_cast<size_t>(rows.count())),
      forth_(Tensor::empty({rows.total()}, DType::i64)),
      back_(Tensor::empty({rows.total()}, DType::i64)),
      last_(Tensor::empty({rows.count()}, DType::i64)) {
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int64_t a, int64_t b) { return rows.length(a) > rows.length(b); });
  same_order_ = std::is_sorted(order_.begin(), order_.end());
  int64_t* forth = forth_.data<int64_t>();
  int64_t* back = back_.data<int64_t>();
  int64_t* last = last_.data<int64_t>();
  for (int64_t b = 0; b < rows.count(); ++b) {
    last[b] = rows.total() + b;
    any_empty_ = any_empty_ || rows.length(b) == 0;
  }
  int64_t place = 0;
  for (int64_t t = 0; t < rows.max_length(); ++t) {
    int64_t alive = 0;
    for (const int64_t b : order_) {
      if (rows.length(b) <= t) break;
      const int64_t row = direction == Direction::forward ? rows.begin(b) + t : rows.end(b) - 1 - t;
      forth[place] = row;
      back[row] = place;
      last[b] = place;
      ++place;
      ++alive;
    }
    counts_.push_back(alive);
  }
}

Variable TimeMajor::forth(const Variable& x) const { return gather(x, forth_); }

Variable TimeMajor::back(const Variable& x) const { return gather(x, back_); }

Variable TimeMajor::sorted(const Variable& x) const {
  if (same_order_ || !x.value().defined()) return x;
  return gather(x, Tensor::from(order_, {static_cast<int64_t>(order_.size())}));
}

Variable TimeMajor::last(const Variable& x, const Variable& start) const {
  if (!any_empty_) return gather(x, last_);
  const int64_t B = static_cast<int64_t>(order_.size());
  const Variable rest = start.value().defined()
                            ? start
                            : Variable(Tensor::zeros({B, x.value().dim(1)}, x.value().dtype()));
  return gather(concatenate({x, rest}), last_);
}

}  // namespace heed

// A range in which a value lies, at the confidence that its maker states.
#pragma once

namespace heed {

struct Interval {
  double low = 0;
  double high = 0;
};

}  // namespace heed

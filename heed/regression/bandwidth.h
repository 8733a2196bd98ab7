// The width of a kernel, by leave-one-out cross-validation.
//
//   CV(h) = 1/M sum_i |y_i - f_i(x_i)|^2        f_i: the regression from all observations but i
//
// Leaving one out is a mask, so that CV is one pass of attention. An observation that reaches no
// other is predicted by the nearest one, as narrow Gaussian kernels do. The search is Nelder and
// Mead's (1965) in the logarithms of the widths, from the best of a row of common widths. Of widths
// whose CV is the same but for rounding, the widest is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/export.h"
#include "heed/regression/kernel_regression.h"

namespace heed {

// x [M, D], y [M, C], M >= 2. With `rows` > 0 and below M, the mean over this many of the rows,
// drawn at random (the same ones every time); all rows are still learned from.
HEED_API double leave_one_out_error(const Tensor& x, const Tensor& y, const Score& kernel,
                                    int64_t rows = 0);

struct BandwidthOptions {
  bool shared = false;        // one width for all coordinates (after scaling), not one each
  int64_t rows = 2000;        // rows that are left out, if there are more
  int64_t evaluations = 200;  // of CV, at most
};

struct Bandwidth {
  std::vector<double> widths;  // [D], in the units of x
  double error = 0;            // CV there
  int64_t evaluations = 0;
  int64_t rows = 0;  // that were left out
};

// For a kernel that has a width. The columns of x are scaled inside; a constant one is an Error.
HEED_API Bandwidth choose_bandwidth(const Tensor& x, const Tensor& y, const Score& kernel,
                                    const BandwidthOptions& options = {});

}  // namespace heed

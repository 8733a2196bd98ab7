// The fits that the regression demos share.
#pragma once

#include <string>
#include <vector>

#include "apps/cli/options/command_line.h"
#include "heed/figure/figure.h"
#include "heed/textbook/sine_experiment.h"

namespace heed::cli {

struct NamedFit {
  std::string name;
  SineFit fit;
};

struct SineFitOptions {
  SineExperimentOptions data;
  std::string widths = "0.1,0.2,0.5,1";  // of the Gaussian
};

void add_sine_options(Command& command, SineFitOptions& options);

// Gaussian, boxcar, constant and triangular, of width 1.
std::vector<NamedFit> fit_kernels(const SineExperiment& data);
std::vector<NamedFit> fit_widths(const SineExperiment& data, const std::vector<double>& widths);

Figure sine_figure(const SineExperiment& data, const NamedFit& fit);

}  // namespace heed::cli

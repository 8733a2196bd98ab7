// The two tables of costs, shared by heed complexity and its demo.
#pragma once

#include "apps/cli/demos/lesson.h"
#include "apps/cli/options/command_line.h"
#include "heed/textbook/layer_costs.h"

namespace heed::cli {

void add_layer_sizes(Command& command, LayerSizes& sizes);

void show_complexity(const LayerSizes& sizes, bool measure, Lesson& lesson);

// Multiply-adds against L, with the crossovers marked; time as well if it is measured.
std::vector<Figure> complexity_figures(const LayerSizes& sizes, bool measure);

}  // namespace heed::cli

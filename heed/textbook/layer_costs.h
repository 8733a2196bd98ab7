// What a layer costs: multiply-adds and parameters, by formula and counted from layers that are
// made for it.
//
//   L rows of width d in, rows of width d_v out, keys of width d_k, a convolution over k rows
//
//   layer             multiply-adds                          parameters
//   self-attention    L d (2 d_k + d_v) + L^2 (d_k + d_v)    d (2 d_k + d_v)
//   recurrence        L (d d_v + d_v^2)                      d d_v + d_v^2
//   convolution       L k d d_v                              k d d_v
//   dense             L^2 d d_v                              L^2 d d_v
//   dense, one row    L d d_v                                L d d_v       one output vector
//   dense, scalar     L^2 d                                  L^2           one w_ij per pair, d_v = d
//
// All without biases. The tables of the lecture notes have L^2 d_k for self-attention, without the
// projections and the weighted sum; L d d_v for recurrence, without the recurrent product; and L d
// d_v parameters beside L^2 d d_v multiply-adds for the dense layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/export.h"

namespace heed {

struct LayerSizes {
  int64_t length = 128;      // L
  int64_t width = 512;       // d
  int64_t key_width = 64;    // d_k
  int64_t value_width = 64;  // d_v
  int64_t kernel = 5;        // k, odd
};

struct LayerCost {
  std::string name;
  std::string operations_formula, parameters_formula;
  double operations = 0;           // multiply-adds by the formula
  double parameters = 0;           // by the formula
  double textbook_operations = 0;  // as the lecture notes have them
  double textbook_parameters = 0;
  bool is_built = false;           // false: too large to make; what follows is not counted
  double counted_operations = 0;   // the sizes of the products that the layer computes
  int64_t counted_parameters = 0;  // numbers in the layer
  double seconds = 0;              // of one forward pass; 0 if it was not measured
};

struct LayerCostOptions {
  bool measure = false;
  double largest = 64e6;  // layers with more parameters are not built
};

HEED_API std::vector<LayerCost> layer_costs(const LayerSizes& sizes,
                                            const LayerCostOptions& options = {});

// The length from which self-attention costs more multiply-adds than another layer; 0 if it always
// does, -1 if it never does.
struct Crossover {
  std::string layer;
  double length = 0;
  double textbook_length = 0;  // by the formulas of the lecture notes
};
HEED_API std::vector<Crossover> attention_crossovers(const LayerSizes& sizes);

}  // namespace heed

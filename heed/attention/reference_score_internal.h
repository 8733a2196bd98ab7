// One pair's score and its derivatives, as score.h defines them, in double.
#pragma once

#include <span>

#include "heed/attention/attention_gradients.h"
#include "heed/attention/score.h"

namespace heed::reference {

using Vector = std::span<const double>;

// a(q, k). The parameters of the score are float64.
double pair_score(const Score& score, Vector q, Vector k);

// Adds da times the derivatives of a(q, k) to dq and dk, and to the parameters' gradients where
// these are defined.
void add_pair_gradient(const Score& score, Vector q, Vector k, double da, std::span<double> dq,
                       std::span<double> dk, AttentionGradients& gradients);

// The same score with float64 parameters.
Score in_double(const Score& score);

// Zero gradients for the parameters that the score has.
void prepare_parameter_gradients(const Score& score, AttentionGradients& gradients);

}  // namespace heed::reference

// heed in one include: attention, gradients, models, training.
//
//   #include <heed/heed.h>
//
//   heed::Rows rows = heed::Rows::from_lengths({5, 3});
//   heed::Tensor y = heed::attention(q, k, v, rows, rows, {.mask = heed::Mask::causal()});
//
// What else there is has includes of its own: heed/layers.h (all operations, layers and optimizers),
// heed/tuning.h, heed/textbook.h, heed/corpora.h.
#pragma once

// Arrays and gradients.
#include "heed/autograd/variable.h"
#include "heed/base/error.h"
#include "heed/base/parallel.h"
#include "heed/base/random.h"
#include "heed/io/npy.h"
#include "heed/io/safetensors.h"
#include "heed/ops/activations.h"
#include "heed/ops/add.h"
#include "heed/ops/affine.h"
#include "heed/ops/cross_entropy.h"
#include "heed/ops/matmul.h"
#include "heed/ops/mean.h"
#include "heed/ops/multiply.h"
#include "heed/ops/softmax.h"
#include "heed/ops/sum.h"
#include "heed/optim/adamw.h"
#include "heed/optim/schedule.h"
#include "heed/tensor/rows.h"
#include "heed/tensor/tensor.h"

// Attention.
#include "heed/attention/attention.h"
#include "heed/attention/cached_attention.h"
#include "heed/attention/weights.h"

// Models.
#include "heed/models/model_config.h"
#include "heed/nn/parameters.h"
#include "heed/run/run_folder.h"

// Text in, answers out.
#include "heed/pipeline/pipeline.h"
#include "heed/text/tokenizer.h"

// Training.
#include "heed/train/train.h"

// Pictures.
#include "heed/figure/figure.h"

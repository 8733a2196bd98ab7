#!/bin/sh
# Checks that scripts/check-layers (the first argument) accepts a good tree and names each offence in
# a bad one.
set -eu

check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# put FILE LINE...: writes a file of the tree
put() {
  mkdir -p "$tree/$(dirname "$1")"
  file=$1
  shift
  printf '%s\n' "$@" >"$tree/$file"
}

fail() {
  echo "layers_offences: $1" >&2
  exit 1
}

# A tree with every kind of include that is allowed.
put heed/heed.h '#include "heed/ops/softmax.h"' '#include "heed/text/split.h"'
put heed/base/parallel.cpp '#include <atomic>' '#include <fmt/core.h>'
put heed/tensor/tensor.h '#include <vector>' '#include "heed/base/error.h"'
put heed/kernels/exp-inl.h '#include <hwy/highway.h>'
put heed/ops/softmax.h '#include "heed/tensor/tensor.h"' '// #include "heed/train/step.h"'
put heed/ops/softmax.cpp '#include "heed/ops/softmax.h"' '#include "heed/autograd/tape.h"' \
  '#include "heed/kernels/exp-inl.h"'
put heed/attention/tile.cpp '#include "hwy/highway.h"' '#include "heed/attention/tile_internal.h"'
put heed/database/database.cpp '#include "heed/io/csv.h"' '#include "heed/ops/softmax.h"'
put heed/ops/mean.h '#include "heed/ops/scale.h"'
put heed/ops/mean_internal.h '#include "heed/ops/mean.h"'
put heed/ops/mean.cpp '#include "heed/ops/mean_internal.h"' '#include "heed/ops/sum.h"'
put heed/text/split.h '#include <string>'
put heed/text/split.cpp '#include <pcre2.h>' '#include <sentencepiece_processor.h>' \
  '#include <nlohmann/json.hpp>' '#include "heed/io/atomic_file.h"'
put heed/data/corpus.h '#include "heed/text/vocabulary.h"'
put heed/optim/adamw.cpp '#include "heed/autograd/tape.h"'
put heed/pipeline/load.cpp '#include "heed/generate/generator.h"'
put bench/gemm.cpp '#include <dnnl.h>' '#include "bench/timer.h"' '#include "heed/kernels/gemm.h"'
put apps/cli/main.cpp '#include <CLI/CLI.hpp>' '#include <nlohmann/json.hpp>' '#include "heed/heed.h"' \
  '#include "bench/bench.h"' '#include "apps/cli/commands/train.h"' '#include "apps/server/server.h"'
put apps/cli/commands/train.cpp '#include "apps/cli/options/options.h"' '#include "apps/version.h"'
put apps/server/server.cpp '#include "apps/version.h"'
"$check" "$tree" || fail "a good tree was refused"

# expect FILE LINE_NUMBER LINE: this include, appended to FILE, must be reported at that line.
expect() {
  cp "$tree/$1" "$tree/saved" 2>/dev/null || : >"$tree/saved"
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "$3" >>"$tree/$1"
  if report=$("$check" "$tree"); then fail "not reported: $1: $3"; fi
  case $report in
    "$1:$2: "*) ;;
    *) fail "wrong report for $1: $3: $report" ;;
  esac
  mv "$tree/saved" "$tree/$1"
}

expect heed/base/parallel.cpp 3 '#include "heed/tensor/tensor.h"'
expect heed/ops/softmax.cpp 4 '#include "heed/attention/engine.h"'
expect heed/ops/softmax.cpp 4 '#  include <heed/nn/linear.h>'
expect heed/ops/softmax.cpp 4 '#include "heed/heed.h"'
expect heed/ops/softmax.cpp 4 '  if (run.config.settings.metric != "loss") return;'
expect apps/server/server.cpp 2 '#include "heed/train/prepare_run.h"'
expect apps/cli/commands/train.cpp 3 'const bool tied = s.tied == "yes";'
expect heed/ops/softmax.cpp 4 '#include "softmax_internal.h"'
expect heed/ops/softmax.cpp 4 '#include "heed/tensor/rows_internal.h"'
expect apps/cli/main.cpp 7 '#include "heed/tensor/rows_internal.h"'
expect apps/cli/main.cpp 7 '#include "apps/cli/demos/lesson_internal.h"'
expect heed/ops/softmax.cpp 4 '#include "apps/cli/main.h"'
expect heed/ops/softmax.cpp 4 '#include "hwy/highway.h"'
expect heed/attention/engine.cpp 1 '#include "heed/io/npy.h"'
expect heed/io/npy.cpp 1 '#include "heed/kernels/convert.h"'
expect heed/pipeline/load.cpp 2 '#include "heed/convert/llama2c.h"'
expect heed/strange/new.h 1 '#include "heed/base/error.h"'
expect heed/tensor/tensor.cpp 1 '#include <hwy/highway.h>'
expect heed/ops/softmax.h 3 '#include <hwy/highway.h>'
expect heed/ops/softmax.h 3 '#include <fmt/core.h>'
expect heed/kernels/gemm.cpp 1 '#include <dnnl.hpp>'
expect heed/kernels/gemm.cpp 1 '#include "oneapi/dnnl/dnnl.hpp"'
expect heed/figure/svg.cpp 1 '#include <nlohmann/json.hpp>'
expect heed/io/json.cpp 1 '#include "heed/text/vocabulary.h"'
expect heed/data/corpus.cpp 1 '#include <pcre2.h>'
expect heed/text/split.h 2 '#include <pcre2.h>'
expect apps/cli/main.cpp 7 '#include <sentencepiece_trainer.h>'
expect bench/gemm.cpp 4 '#include <CLI/CLI.hpp>'
expect heed/base/error.cpp 1 '#include <gtest/gtest.h>'

# circle TEXT: the last report says so.
circle() {
  case $report in
    *": includes go in a circle: $1"*) ;;
    *) fail "wrong circle, expected $1: $report" ;;
  esac
}

# Between units, whatever their headers are called, and between the folders of apps.
expect heed/ops/scale_internal.h 1 '#include "heed/ops/mean.h"'
circle 'heed/ops/mean -> heed/ops/scale -> heed/ops/mean'
expect heed/ops/sum.cpp 1 '#include "heed/ops/mean_internal.h"'
circle 'heed/ops/mean -> heed/ops/sum -> heed/ops/mean'
expect apps/cli/options/flags.h 1 '#include "apps/cli/commands/show.h"'
circle 'apps/cli/commands -> apps/cli/options -> apps/cli/commands'

#!/bin/sh
# Checks that headers.sh refuses a header that does not compile alone, one that reaches a vendor
# header through another, and one that should not have been installed.
#
#   headers_offences.sh COMPILER HEADERS_SH SCRATCH
set -eu

compiler=$1
check=$2
scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch/good/heed" "$scratch/bad/heed/kernels"

printf '#pragma once\n#include <vector>\n' >"$scratch/good/heed/good.h"
if ! sh "$check" "$compiler" "$scratch/good" "$scratch/work"; then
  echo "a good header was refused" >&2
  exit 1
fi

printf '#pragma once\ninline std::vector<int> f() { return {}; }\n' >"$scratch/bad/heed/alone.h"
printf '#pragma once\n#include "heed/between.h"\n' >"$scratch/bad/heed/vendor.h"
printf '#pragma once\n#include <fmt/core.h>\n' >"$scratch/bad/heed/between.h"
printf '#pragma once\n' >"$scratch/bad/heed/kernels/gemm.h"
printf '#pragma once\n' >"$scratch/bad/heed/pool_internal.h"
if sh "$check" "$compiler" "$scratch/bad" "$scratch/work" >"$scratch/report" 2>/dev/null; then
  echo "bad headers were accepted" >&2
  exit 1
fi
cat "$scratch/report"
for expected in 'heed/alone.h does not compile alone' 'heed/vendor.h includes' \
  'heed/between.h includes' 'heed/kernels/gemm.h is not public' 'heed/pool_internal.h is not public'; do
  grep -q "$expected" "$scratch/report" || {
    echo "missing from the report: $expected" >&2
    exit 1
  }
done

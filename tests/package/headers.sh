#!/bin/sh
# Compiles every header under INCLUDE alone (and twice, for its guard), and checks that none reaches
# a header of a library that heed keeps to itself, and that heed/heed.h includes them all.
#
#   headers.sh COMPILER INCLUDE SCRATCH
set -eu

compiler=$1
include=$2
scratch=$3
mkdir -p "$scratch"

cd "$include"
headers=$(find heed -name '*.h' | LC_ALL=C sort)
if [ -z "$headers" ]; then
  echo "headers: no headers under $include/heed" >&2
  exit 1
fi

failures=0
for header in $headers; do
  case $header in
    heed/kernels/* | *_internal.h | *-inl.h)
      echo "$header is not public but was installed"
      failures=$((failures + 1))
      continue
      ;;
  esac
  if [ -e heed/heed.h ] && [ "$header" != heed/heed.h ] &&
    ! grep -qF "#include \"$header\"" heed/heed.h; then
    echo "$header is missing in heed/heed.h"
    failures=$((failures + 1))
  fi
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$scratch/alone.cpp"
  if ! "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$include" \
    -MD -MF "$scratch/alone.d" "$scratch/alone.cpp"; then
    echo "$header does not compile alone"
    failures=$((failures + 1))
    continue
  fi
  vendors=$(tr -s ' \\' '\n\n' <"$scratch/alone.d" |
    grep -E '/(hwy|fmt|oneapi|CLI|nlohmann|gtest|gmock)/|/(omp|dnnl[a-z_]*|pcre2|sentencepiece_[a-z]*)\.h' || true)
  if [ -n "$vendors" ]; then
    echo "$header includes, directly or not, $(echo "$vendors" | head -n 1)"
    failures=$((failures + 1))
  fi
done

count=$(echo "$headers" | wc -l)
echo "$count headers, $failures failures"
[ "$failures" -eq 0 ]

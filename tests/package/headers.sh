#!/bin/sh
# Compiles every header under INCLUDE alone (and twice, for its guard), and checks that none reaches
# a header of a library that heed keeps to itself. As many at once as there are cores.
#
#   headers.sh COMPILER INCLUDE SCRATCH             all headers
#   headers.sh COMPILER INCLUDE SCRATCH HEADER      this one; says what is wrong with it
set -eu

compiler=$1
include=$2
scratch=$3

check_one() {
  header=$1
  case $header in
    heed/kernels/* | *_internal.h | *-inl.h)
      echo "$header is not public but was installed"
      return
      ;;
  esac
  own=$scratch/$(echo "$header" | tr / _)
  printf '#include "%s"\n#include "%s"\n' "$header" "$header" >"$own.cpp"
  if ! "$compiler" -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$include" \
    -MD -MF "$own.d" "$own.cpp" >&2; then
    echo "$header does not compile alone"
    return
  fi
  vendors=$(tr -s ' \\' '\n\n' <"$own.d" |
    grep -E '/(hwy|fmt|oneapi|CLI|nlohmann|gtest|gmock)/|/(dnnl[a-z_]*|pcre2|sentencepiece_[a-z]*)\.h' || true)
  if [ -n "$vendors" ]; then
    echo "$header includes, directly or not, $(echo "$vendors" | head -n 1)"
  fi
}

here=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
mkdir -p "$scratch"
cd "$include"
if [ "$#" -gt 3 ]; then
  check_one "$4"
  exit 0
fi

headers=$(find heed -name '*.h' | LC_ALL=C sort)
if [ -z "$headers" ]; then
  echo "headers: no headers under $include/heed" >&2
  exit 1
fi
findings=$(echo "$headers" |
  xargs -P "$(nproc)" -n 1 sh "$here" "$compiler" "$include" "$scratch")
if [ -n "$findings" ]; then
  echo "$findings"
  exit 1
fi
echo "$(echo "$headers" | wc -l) headers are fine"

#!/bin/sh
# Checks what heed offers: that heed/heed.h reaches the headers of a list and no other, at most 70; and
# that every other installed header belongs to a wing (heed/textbook.h, corpora.h, tuning.h,
# layers.h).
#
#   public_headers.sh COMPILER INCLUDE LIST SCRATCH
set -eu

compiler=$1
include=$2
list=$3
scratch=$4
mkdir -p "$scratch"

# reached HEADER...: the headers of heed that these reach, themselves among them.
reached() {
  for header in "$@"; do printf '#include "%s"\n' "$header"; done >"$scratch/reached.cpp"
  "$compiler" -std=c++20 -I"$include" -MM "$scratch/reached.cpp" | tr -s ' \\' '\n\n' |
    sed -n "s|^$include/||p" | LC_ALL=C sort -u
}

reached heed/heed.h >"$scratch/offered"
status=0
if ! diff "$list" "$scratch/offered" >"$scratch/difference"; then
  echo "heed/heed.h does not reach the headers of $list:"
  sed -n 's/^</  missing:/p; s/^>/  not in the list:/p' "$scratch/difference"
  status=1
fi
count=$(wc -l <"$scratch/offered")
if [ "$count" -gt 70 ]; then
  echo "heed/heed.h reaches $count headers, at most 70 are to be public"
  status=1
fi
reached heed/heed.h heed/textbook.h heed/corpora.h heed/tuning.h \
  heed/layers.h >"$scratch/all"
(cd "$include" && find heed -name '*.h') | LC_ALL=C sort >"$scratch/installed"
if ! diff "$scratch/all" "$scratch/installed" >"$scratch/difference"; then
  echo "installed is not what can be reached:"
  sed -n 's/^</  not installed:/p; s/^>/  installed for nobody:/p' "$scratch/difference"
  status=1
fi
exit $status

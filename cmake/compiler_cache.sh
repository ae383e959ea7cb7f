#!/bin/sh
# Usage: compiler_cache.sh COMPILER ARGUMENT...
# CMake's compiler launcher. It runs ccache, with two changes if the compiler creates a precompiled header:
# - The old file is removed first. Otherwise ccache counts it among the inputs of the compilation, and can later return a file that
#   does not match the headers.
# - ccache compares the bytes of the headers (CCACHE_DEPEND), as GCC does for headers with #pragma once. By default ccache compares the
#   preprocessed text, which has no comments. If only a comment changed, it would return the old file, and GCC would include the header
#   a second time and report that its types are redefined.
# If this script changes, precompiled headers are compiled again (CCACHE_EXTRAFILES).
previous='' output='' makes_header=0
for argument; do
  case $previous in
    -o) output=$argument ;;
    -x) [ "$argument" != c++-header ] || makes_header=1 ;;
  esac
  previous=$argument
done
if [ $makes_header = 1 ]; then
  rm -f -- "$output"
  export CCACHE_DEPEND=1 CCACHE_EXTRAFILES="$0"
fi
exec ccache "$@"

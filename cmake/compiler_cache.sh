#!/bin/sh
# Usage: compiler_cache.sh COMPILER ARGUMENT... CMake's compiler launcher: ccache, with two differences for precompiled headers.
# - One that is made again is removed first. ccache would take the old one for an input of the compilation and know the result by it
#   instead of by the headers; the next change of the headers would then find the precompiled header of this one.
# - It is known by the bytes of its headers (CCACHE_DEPEND), not by their preprocessed text. GCC compares a header with #pragma once
#   with those bytes: if only a comment changed, it would not recognise it, and report that all it defines is redefined.
# A change of this script makes all precompiled headers again (CCACHE_EXTRAFILES).
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

#!/bin/sh
# Usage: compiler_cache.sh COMPILER ARGUMENT... CMake's compiler launcher: ccache, but a precompiled header that is made again is
# removed first. ccache would take the old one for an input of the compilation and know the result by it instead of by the headers;
# the next change of the headers would then find the precompiled header of this one.
previous='' output='' makes_header=0
for argument; do
  case $previous in
    -o) output=$argument ;;
    -x) [ "$argument" != c++-header ] || makes_header=1 ;;
  esac
  previous=$argument
done
[ $makes_header = 0 ] || rm -f -- "$output"
exec ccache "$@"

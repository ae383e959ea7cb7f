#!/bin/sh
# Usage: compile.sh ZIG cc|c++ ARGUMENT... Zig's Clang with the options that CMake gives to Clang.
zig=$1 language=$2
shift 2
makes_header=0
for argument; do
  [ "$argument" != c++-header ] || makes_header=1
done
if [ $makes_header = 1 ]; then
  # For a precompiled header, Zig adds -emit-pch itself, and with -c it would link.
  count=$#
  while [ "$count" -gt 0 ]; do
    case $1 in
      -c) ;;
      -Xclang) if [ "$2" = -emit-pch ]; then shift; count=$((count - 1)); else set -- "$@" "$1"; fi ;;
      *) set -- "$@" "$1" ;;
    esac
    shift
    count=$((count - 1))
  done
fi
# Without optimisation, Zig would add the checks of UBSan.
exec "$zig" "$language" -fno-sanitize=undefined "$@"

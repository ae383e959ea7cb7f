# Functions of ./dev check, ./dev tidy and ./dev faults; read by ./dev.

check_format() {
  say "format"
  debian_packages clang-format
  (cd "$root" && git ls-files '*.cpp' '*.hpp' | xargs clang-format --dry-run -Werror)
}

# Usage: check [format]
check() {
  local failed=0
  case ${1:-} in
    "") ;;
    format) check_format; exit ;;
    *) usage >&2; exit 2 ;;
  esac
  debian_packages "${check_packages[@]}"
  set_up
  build_quietly release
  check_format || failed=1
  cd "$root"
  say "each header alone"
  quietly ninja -C build/release all_verify_interface_header_sets
  say "clang-tidy and clang-query"
  python cmake/run_clang_tools.py build/release "$cache/clang-tools" || failed=1
  (run_sanitizers_tests) || failed=1
  (run_threads_tests) || failed=1
  [ $failed = 0 ] && echo "check: nothing to complain about" || echo "check: failed"
  exit $failed
}

# Usage: tidy [COMMIT]. Headers are checked together with the changed sources that include them.
tidy() {
  local sources
  mapfile -t sources < <(cd "$root" && git diff --name-only --diff-filter=d "${1:-HEAD~1}" -- '*.cpp' ':!tests')
  [ ${#sources[@]} -gt 0 ] || { say "no source has changed"; exit 0; }
  debian_packages "${check_packages[@]}"
  set_up
  build_quietly release
  cd "$root"
  python cmake/run_clang_tools.py build/release "$cache/clang-tools" "${sources[@]}"
}

# The experiments with the faults of OpenVINO, in environments that have only OpenVINO.
faults() {
  set_up
  build_quietly release onnx2ir_hide_avx512 # does not depend on the list of faults, which is incomplete before the measurement
  local interpreters=() release requirements
  for release in $(sed -n 's/^openvino==\([0-9]*\.[0-9]*\)\..*/\1/p' "$root/cmake/runtimes.txt"); do
    requirements=$(grep -E '^(numpy|openvino-telemetry|packaging)==' "$root/cmake/requirements.txt" && runtime_of "$release")
    find_environment "runtime-$release" "$requirements"
    interpreters+=(--interpreter "$environment/bin/python")
  done
  cd "$root"
  exec python -m tests.faults.measure "${interpreters[@]}" "$@"
}

# Functions of ./dev test; read by ./dev.

# Libraries that python_tests preloads into Python alone.
preload=

# The environment of tests: an OpenVINO release, and the largest instruction set that oneDNN and the CPU plugin may use.
runtime=$newest_runtime
isa=native
isa_levels="native AVX2 AVX2_VNNI AVX2_VNNI_2 AVX512_CORE AVX512_CORE_VNNI AVX512_CORE_BF16 AVX512_CORE_FP16 AVX512_CORE_AMX"

# Parses --runtime RELEASE and --isa LEVEL. Puts the other arguments into `others`, and 1 into `chosen` if one of the two is given.
take_environment() {
  others=() chosen=0
  while [ $# -gt 0 ]; do
    case $1 in
      --runtime=* | --isa=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    esac
    case $1 in
      --runtime | --isa)
        [ $# -gt 1 ] || { say "$1 needs a value"; exit 2; }
        chosen=1
        if [ "$1" = --isa ]; then isa=$2; else runtime=$2; fi
        shift
        ;;
      *) others+=("$1") ;;
    esac
    shift
  done
  if ! runtime_of "$runtime" >/dev/null; then
    say "--runtime $runtime: cmake/runtimes.txt has no such release"
    exit 2
  fi
  if [[ " $isa_levels " != *" $isa "* ]]; then
    say "--isa $isa: the level must be one of $isa_levels"
    exit 2
  fi
}

# Sets the Python environment and the instruction set of the tests. The build does not depend on them and must run before.
enter_environment() {
  use_runtime "$runtime"
  limit_isa
}

limit_isa() {
  [ "$isa" = native ] || export ONEDNN_MAX_CPU_ISA=$isa
  hide_avx512
}

# ONEDNN_MAX_CPU_ISA=AVX2 limits only oneDNN; tests/isa/hide_avx512.cpp limits the rest of OpenVINO to AVX2.
hide_avx512() {
  local library=$root/build/release/libonnx2ir_hide_avx512.so
  [ "${ONEDNN_MAX_CPU_ISA:-}" = AVX2 ] || return 0
  [ -e "$library" ] || { say "$library does not exist: ./dev build release onnx2ir_hide_avx512"; exit 3; }
  export LD_PRELOAD=$library
}

# Usage: start_tests NAME REPORT... Sets `results` to the folder for the reports: build/test/NAME, or NAME.N with the number of this process if
# another run is using it. The reports are empty at first, which counts as a failure if the run ends before it writes them.
start_tests() {
  local reports=("${@:2}")
  failed=0
  results=$root/build/test/$1
  mkdir -p "$root/build/test"
  exec 7>"$results.lock"
  flock --nonblock 7 || results=$results.$$
  rm -rf "$results"
  mkdir "$results"
  (cd "$results" && touch "${reports[@]/%/.xml}")
}

unit_tests() {
  say "unit tests"
  "$1" -r junit -o "$results/unit.xml" || { "$1" || true; failed=1; } # the second run shows the messages
}

# Usage: python_tests REPORT TESTS [pytest options]. TESTS, paths separated by spaces, are left out if an option is a path.
python_tests() {
  local tests argument
  read -ra tests <<<"$2"
  for argument in "${@:3}"; do
    if (cd "$root" && [ -n "$argument" ] && [ -e "${argument%%::*}" ]); then tests=(); fi
  done
  say "Python tests"
  (cd "$root" && LD_PRELOAD=${preload:-${LD_PRELOAD:-}} python -m pytest --junitxml="$results/$1.xml" "${tests[@]}" "${@:3}") ||
    failed=1
}

finish_tests() {
  (cd "$root" && python3 tests/total.py "${results#"$root"/}"/*.xml) || failed=1
  exit $failed
}

run_tests() {
  case ${1:-} in
    --models | --genai | --browser | --devices | --arm | --sanitizers | --threads)
      "run_${1#--}_tests" "${@:2}"
      ;;
  esac
  take_environment "$@"
  set -- "${others[@]}"
  [ $chosen = 0 ] || run_conformance_cases "$@"
  local reports=(python)
  [ $# -gt 0 ] || reports+=(unit)
  start_tests "$runtime-$isa" "${reports[@]}"
  set_up
  build_quietly release
  hold_build release
  [ $# -gt 0 ] || unit_tests "$root/build/release/onnx2ir_unit_tests"
  hide_avx512
  python_tests python '' "$@"
  finish_tests
}

# The conformance cases and the random models, on one release and one instruction set. Other tests do not depend on these two.
run_conformance_cases() {
  start_tests "$runtime-$isa" python
  build_quietly release onnx2ir onnx2ir_hide_avx512
  hold_build release
  enter_environment
  say "conformance cases on OpenVINO $runtime, instruction set: $isa"
  python_tests python "tests/conformance tests/differential tests/chains" -m matrix "$@"
  finish_tests
}

# Exported models.
run_models_tests() {
  start_tests models python
  build_quietly release onnx2ir
  use_models_environment
  python_tests python tests/zoo --models "$@"
  finish_tests
}

run_genai_tests() {
  start_tests genai python
  build_quietly release onnx2ir
  use_genai_environment
  python_tests python tests/genai --genai "$@"
  finish_tests
}

# HTML pages in Debian's Chromium, and IR in Netron. If Chromium cannot be installed, the tests are skipped.
run_browser_tests() {
  start_tests browser python
  build_quietly release onnx2ir
  (debian_packages chromium) || say "Chromium cannot be installed; its tests are skipped"
  use_environment browser "$(requirements requirements browser_requirements)"
  python_tests python tests/browser --browser "$@"
  say "screenshots: build/test/browser"
  finish_tests
}

# An OpenCL library that looks like an Intel GPU, in build/devices.
make_gpu_driver() {
  local folder=$root/build/devices real=libRealOpenCL.so.1
  mkdir -p "$folder"
  cp -L "$(find /usr/lib -name libOpenCL.so.1 | head -1)" "$folder/$real"
  patchelf --set-soname "$real" "$folder/$real"
  quietly g++ -std=c++20 -O1 -Wall -Wextra -Werror -DCL_TARGET_OPENCL_VERSION=300 -shared -fPIC -Wl,-soname,libOpenCL.so.1 \
    "$root/tests/devices/opencl_stub.cpp" -o "$folder/libOpenCL.so.1" -Wl,--no-as-needed -L"$folder" -l:"$real" "-Wl,-rpath,\$ORIGIN"
}

# IR in OpenVINO's GPU plugin.
run_devices_tests() {
  start_tests devices python
  build_quietly release onnx2ir
  if ! (debian_packages pocl-opencl-icd ocl-icd-libopencl1 opencl-headers patchelf); then
    say "pocl cannot be installed; the tests of the GPU plugin are skipped"
    rm -rf "$results" # an empty report counts as a failure
    exit 0
  fi
  make_gpu_driver
  use_runtime "$newest_runtime"
  LD_LIBRARY_PATH=$root/build/devices python_tests python tests/devices --devices "$@"
  finish_tests
}

# The runtime of the sanitizers must be in the process before the library that needs it: Python itself is not instrumented. Programs that
# have it already refuse to run with it. Python and libraries of others leak on purpose.
run_sanitized_package_tests() {
  local folder=$root/build/fuzz runtime_library
  local -x ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0:verify_asan_link_order=0 ONNX2IR_SANITIZED=1
  debian_packages "${fuzz_packages[@]}"
  start_tests sanitizers-package python extension
  set_up
  say "the Python package and libraries with translators under AddressSanitizer and UndefinedBehaviorSanitizer"
  build_quietly fuzz libonnx2ir.so onnx2ir # files: the target onnx2ir of ninja is the program
  build_quietly release
  runtime_library=$(clang++ -print-file-name="libclang_rt.asan-$(uname -m).so")
  clang++ -std=c++20 -O1 -shared -fPIC "$root/tests/package/plain_dlopen.cpp" -o "$folder/plain_dlopen.so" -ldl
  preload=$folder/plain_dlopen.so:$runtime_library ONNX2IR_SANITIZED_BUILD=$folder python_tests python '' \
    --deselect tests/package/test_python.py::test_headers tests/package/test_python.py tests/package/test_python_ir.py tests/package/test_python_progress.py \
    tests/package/test_python_embedding.py tests/package/test_convert_model.py
  ONNX2IR_TOOL=$folder/onnx2ir CXX="clang++" ONNX2IR_EXTENSION_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all" \
    python_tests extension tests/cli/test_extension.py
  finish_tests
}

# Usage: run_sanitizers_tests [all] [gcc] or package. Both builds have assertions and the verifier after each pass; that of Clang is also the
# build of the fuzz targets.
run_sanitizers_tests() {
  local preset=fuzz argument release_targets=(onnx2ir)
  local tests=(tests/passes tests/golden tests/errors tests/hostile/test_hostile.py
    tests/conformance/test_traps.py tests/conformance/test_found.py tests/robustness/test_determinism.py)
  for argument in "$@"; do
    case $argument in
      all)
        tests=(--ignore tests/package)
        release_targets=() # tests load libraries of this build
        ;;
      gcc) preset=asan-ubsan ;;
      package) run_sanitized_package_tests ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  [ $preset = asan-ubsan ] || debian_packages "${fuzz_packages[@]}"
  start_tests sanitizers unit python
  set_up
  say "tests under AddressSanitizer and UndefinedBehaviorSanitizer"
  build_quietly $preset onnx2ir_cli onnx2ir_opt onnx2ir_unit_tests
  build_quietly release "${release_targets[@]}"
  unit_tests "$root/build/$preset/onnx2ir_unit_tests"
  ONNX2IR_SANITIZED=1 ONNX2IR_TOOL=$root/build/$preset/onnx2ir python_tests python '' "${tests[@]}"
  finish_tests
}

# Usage: run_threads_tests [all] [clang]. With `all`, also the tests of the tool; they need the release build for what they preload.
run_threads_tests() {
  local preset=tsan argument reports=(unit) tool_tests=()
  for argument in "$@"; do
    case $argument in
      all)
        reports=(unit python)
        tool_tests=(tests/cli tests/errors tests/golden tests/passes tests/hostile/test_hostile.py tests/robustness/test_determinism.py)
        ;;
      clang)
        preset=tsan-clang
        debian_packages "${fuzz_packages[@]}"
        ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  start_tests threads "${reports[@]}"
  say "tests with threads under ThreadSanitizer"
  build_quietly $preset onnx2ir_unit_tests
  unit_tests "$root/build/$preset/onnx2ir_unit_tests"
  if [ ${#tool_tests[@]} -gt 0 ]; then
    set_up
    build_quietly $preset onnx2ir_cli onnx2ir_opt
    build_quietly release
    ONNX2IR_SANITIZED=1 ONNX2IR_TOOL=$root/build/$preset/onnx2ir python_tests python "${tool_tests[*]}"
  fi
  finish_tests
}

# Functions of ./dev fuzz; read by ./dev.

fuzz() {
  case ${1:-} in
    --models) fuzz_models "${@:2}" ;;
    --chains) fuzz_chains "${@:2}" ;;
    --mutated) convert_mutated_models "${@:2}" ;;
    "" | -*) usage >&2; exit 2 ;;
    *) fuzz_targets "$@" ;;
  esac
}

# The runs of each target with --repeatable: about ten minutes together, on two cores beside the tests.
declare -A repeatable_runs=(
  [convert_model]=15000 [convert_bytes]=4000 [convert_text]=10000 [read_pair]=6000 [legalize_ir]=5000 [html_page]=6000 [statistics]=15000
  [parse_text_ir]=100000 [read_xml]=200000 [regular_expression]=10000 [parse_inputs]=300000 [operator_map]=100000)

# Usage: fuzz_targets TARGET|all [--seconds N] [--quick] [--repeatable]. Writes findings to build/PRESET/found and new inputs to
# build/PRESET/corpus/TARGET. With `all`, the targets that read models get most of the time. With --repeatable, a target does the same runs each
# time, from the seeds alone, so that .ci/run does not depend on luck.
fuzz_targets() {
  local target=$1 seconds=600 preset=fuzz failed=0 is_repeatable=0
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --seconds) seconds=$2; shift 2 ;;
      --quick) preset=fuzz-quick; shift ;;
      --repeatable) is_repeatable=1; shift ;;
      *) usage >&2; exit 2 ;;
    esac
  done
  debian_packages "${fuzz_packages[@]}"
  set_up
  if [ "$target" = all ]; then
    local models=(convert_bytes convert_text read_pair legalize_ir)
    local others=(html_page statistics parse_text_ir read_xml regular_expression parse_inputs operator_map)
    build_quietly $preset fuzz_convert_model "${models[@]/#/fuzz_}" "${others[@]/#/fuzz_}"
    fuzz_target $preset convert_model $((seconds * 3 / 8)) || failed=1
    for target in "${models[@]}"; do fuzz_target $preset "$target" $((seconds / 12)) || failed=1; done
    for target in "${others[@]}"; do fuzz_target $preset "$target" $((seconds / 24)) || failed=1; done
  else
    build_quietly $preset "fuzz_$target"
    fuzz_target $preset "$target" "$seconds" || failed=1
  fi
  exit $failed
}

# Usage: fuzz_target PRESET TARGET SECONDS, with $is_repeatable. Prints the number of runs and the coverage. Without -entropic=0, libFuzzer weighs
# inputs by how rare
# their features are; for convert_model this takes four times as long as the conversion.
fuzz_target() {
  local folder=$root/build/$1 corpus log limits=(-max_total_time="$3") failed=0
  log=$folder/$2.log
  corpus=$folder/corpus/$2
  if [ "$is_repeatable" = 1 ]; then
    corpus=$folder/repeatable_corpus/$2
    rm -rf "$corpus"
    limits=(-seed=1 -runs="${repeatable_runs[$2]}")
  fi
  mkdir -p "$folder/found" "$corpus"
  (cd "$root" && python -m tests.fuzz.seeds "$2" "$folder/seeds/$2")
  "$folder/fuzz_$2" -entropic=0 "${limits[@]}" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$folder/found/$2-" "$corpus" "$folder/seeds/$2" >"$log" 2>&1 || failed=1
  if [ $failed = 1 ]; then
    cat "$log" >&2
    say "$2: the input is in build/$1/found"
  fi
  say "$2: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") runs," \
    "$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -c6-) of $(sed -n 's/.*Loaded 1 PC tables (\([0-9]*\) PCs).*/\1/p' "$log") edges"
  return $failed
}

# Usage: convert_mutated_models [N [FIRST]]. Mutates the models of the tests, of ONNX's backend suite, and those exported by
# ./dev test --models.
convert_mutated_models() {
  local folder=$root/build/mutated
  set_up
  build_quietly release onnx2ir_mutated_models
  cd "$root"
  rm -rf "$folder"
  mkdir -p "$folder/bad"
  python -m tests.fuzz.seeds mutated "$folder/models" "$cache"
  "$root/build/release/onnx2ir_mutated_models" --count "${1:-100000}" --first "${2:-0}" --jobs "$(nproc)" --keep "$folder/bad" \
    "$folder"/models/*
}

# Usage: fuzz_models [N] [options]
fuzz_models() {
  take_environment "$@"
  set -- "${others[@]}"
  local count=2000
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    count=$1
    shift
  fi
  build_quietly release onnx2ir onnx2ir_hide_avx512
  enter_environment
  cd "$root"
  exec python -m tests.differential.fuzz --models "$count" "$@"
}

# Usage: fuzz_chains [options]. The library converts inside of the worker process.
fuzz_chains() {
  take_environment "$@"
  build_quietly release onnx2ir libonnx2ir.so onnx2ir_hide_avx512
  enter_environment
  cd "$root"
  exec python -m tests.chains.fuzz "${others[@]}"
}

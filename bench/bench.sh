# Functions of ./dev bench; read by ./dev.

bench() {
  if [ "${1:-}" = --targets ] || [ "${1:-}" = --inference ]; then
    build_quietly release onnx2ir onnx2ir_hide_avx512
    use_models_environment
    hide_avx512
    exec python "$root/bench/${1#--}.py" "$root/build/release/onnx2ir" "${@:2}"
  fi
  if [ "${1:-}" = --quantised ]; then
    take_environment "${@:2}"
    build_quietly release onnx2ir onnx2ir_hide_avx512
    use_models_environment
    use_model_builder
    limit_isa
    exec python "$root/bench/quantised.py" "$root/build/release/onnx2ir" "${others[@]}"
  fi
  if [ "${1:-}" = --language-models ]; then
    build_quietly release onnx2ir
    use_genai_environment
    exec python "$root/bench/language_models.py" "$root/build/release/onnx2ir" "${@:2}"
  fi
  set_up
  local script=
  case ${1:-} in
    --weights) script=quantized_weights ;;
    --attention) script=shared_heads ;;
    "" | --quick) ;;
    -*) usage >&2; exit 2 ;;
  esac
  if [ -n "$script" ]; then
    take_environment "${@:2}"
    build_quietly release onnx2ir onnx2ir_hide_avx512
    enter_environment
    exec python "$root/bench/$script.py" "$root/build/release/onnx2ir" "${others[@]}"
  fi
  build_quietly bench
  local quick=()
  if [ "${1:-}" = --quick ]; then
    quick=(--quick)
    shift
  fi
  local models=("$@")
  [ $# -gt 0 ] || models=("$root"/tests/models/*.onnx)
  python "$root/bench/processes.py" "$root/build/bench" "${models[@]}"
  "$root/build/bench/onnx2ir_benchmark" "${models[@]}"
  [ $# -eq 0 ] || return 0
  python "$root/bench/large_models.py" "$root/build/bench" chain_10000 loops_1000
  "$root/build/bench/onnx2ir_benchmark" "$root"/build/bench/{chain_10000,loops_1000}.onnx
  python "$root/bench/large.py" "$root/build/bench" --folder "$root/build/bench" "${quick[@]}"
  python "$root/bench/loop_runtime.py" "$root/build/bench/onnx2ir"
}

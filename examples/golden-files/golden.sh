#!/bin/sh
# Keeps the IR of models as text in the folder golden (or $GOLDEN), one file for each model.
#   golden.sh check MODEL...   compares, and exits with 1 if an IR has changed
#   golden.sh update MODEL...  writes the files
# Other options of the conversion, for example --target-runtime, are taken from $ONNX2IR_OPTIONS.
set -u
command=${1:-}
golden=${GOLDEN:-golden}
case $command in
  check | update) shift ;;
  *) echo "usage: golden.sh check|update MODEL..." >&2; exit 2 ;;
esac
# In a workflow of GitHub, errors and warnings are shown at the model.
format=text
[ -z "${GITHUB_ACTIONS:-}" ] || format=github
now=$(mktemp)
trap 'rm -f "$now"' EXIT
result=0
for model in "$@"; do
  file=$golden/$(basename "${model%.*}").txt
  # shellcheck disable=SC2086 # the options are several words
  if ! onnx2ir show "$model" --diagnostics-format $format ${ONNX2IR_OPTIONS:-} > "$now"; then
    result=1
  elif [ "$command" = update ]; then
    mkdir -p "$golden" && cp "$now" "$file" || result=1
  elif ! diff -u "$file" "$now"; then
    [ $format = text ] || echo "::error file=$model,title=golden file::the IR differs from $file: run golden.sh update if this is intended"
    echo "$model: the IR differs from $file; golden.sh update $model accepts it" >&2
    result=1
  fi
done
exit $result

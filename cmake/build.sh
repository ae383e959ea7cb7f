# Functions of ./dev that build; read by ./dev.

# Usage: configure PRESET. Configures once for each ONNX library, compiler launcher and content of CMakePresets.json. Afterwards ninja runs CMake
# again when needed.
configure() {
  local folder=$root/build/$1 environment
  environment="$ONNX_ROOT ${CMAKE_CXX_COMPILER_LAUNCHER:-} $(cksum <"$root/CMakePresets.json")"
  if [ ! -e "$folder/build.ninja" ] || [ "$(cat "$folder/configured_for" 2>/dev/null)" != "$environment" ]; then
    cmake -S "$root" --preset "$1" --fresh || return
    echo "$environment" >"$folder/configured_for"
  fi
}

build() {
  if [ "$1" = bench ]; then set_up; else set_up_build; fi
  case $1 in fuzz*) debian_packages "${fuzz_packages[@]}" ;; esac
  configure "$1"
  ninja -C "$root/build/$1" "${@:2}"
}

# Usage: is_built PRESET [TARGET...]. Whether nothing is to be built. A dry run of ninja always wants to run CMake again first, so that rule
# is left out.
is_built() {
  local rules=check.$BASHPID.ninja answer
  sed '/^build build.ninja:/,/^$/d' "$root/build/$1/build.ninja" >"$root/build/$1/$rules"
  answer=$(ninja -C "$root/build/$1" -f "$rules" -n "${@:2}" 2>&1 || true)
  rm -f "$root/build/$1/$rules"
  [[ $answer == *"no work to do"* ]]
}

# Commands that run at the same time build in a folder one after the other, and none of them changes the programs that tests of another
# one run: see hold_build.
build_quietly() {
  set_up_build
  mkdir -p "$root/build"
  (
    flock 9
    [ -e "$root/build/$1/build.ninja" ] || say "building"
    quietly configure "$1"
    quietly ninja -C "$root/build/$1" build.ninja
    if ! is_built "$@"; then
      if ! flock --nonblock 8; then
        say "waiting for the tests of another run, which use the build"
        flock 8
      fi
      quietly ninja -C "$root/build/$1" "${@:2}"
    fi
  ) 9>"$root/build/$1.lock" 8>"$root/build/$1.in_use" || exit
}

# Keeps the programs of a build as they are until this process ends, for tests. Other test runs may use them at the same time.
hold_build() {
  exec 8<"$root/build/$1.in_use"
  flock --shared 8
}

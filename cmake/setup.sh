# Functions of ./dev that install what builds and tests need; read by ./dev.

# The build uses a newer CMake (requirements.txt). Debian's is the oldest one that CMakeLists.txt permits: tests/package/test_oldest_cmake.py.
build_packages=(build-essential cmake ninja-build ccache pkg-config python3-venv libprotobuf-dev protobuf-compiler
  libpugixml-dev libfmt-dev nlohmann-json3-dev catch2 libbenchmark-dev)
check_packages=(clang-format clang-tidy clang-tools)
fuzz_packages=(clang libclang-rt-dev)

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Installs missing packages. Commands that run at the same time do it one after the other.
debian_packages() {
  (
    flock 9
    local missing=() installed package
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
      grep -q "^$package installed$" <<<"$installed" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || exit 0
    say "installing ${missing[*]}"
    quietly as_root apt-get update
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
  ) 9>"$cache/debian_packages.lock" || exit
}

# Creates $cache/$1 with `$2 FOLDER ...` unless it is complete, or ends the command. An incomplete folder from an interrupted run is removed
# first. In `$(...)` and in conditions, bash goes on after a failure inside of $2, unless the command runs by `quietly`.
cached() {
  local result=$cache/$1 maker=$2
  [ -e "$result/.complete" ] && return
  (
    flock 9
    [ -e "$result/.complete" ] && exit
    rm -rf "$result"
    "$maker" "$result" "${@:3}"
    # shellcheck disable=SC2181 # with `||`, bash would go on after a failure inside of the maker
    [ $? = 0 ] || exit
    touch "$result/.complete"
  ) 9>"$cache/$1.lock"
  [ -e "$result/.complete" ] || exit 3
}

key_of() { sha256sum | cut -c1-16; }

# --- Python environments: pinned packages, each in a folder of the cache ----------------------------------------

make_environment() {
  say "installing Python packages: $2"
  quietly /usr/bin/python3 -m venv "$1"
  echo "$3" >"$1/requirements.txt"
  quietly "$1/bin/pip" install --no-deps --require-hashes --only-binary :all: -r "$1/requirements.txt"
}

# Usage: find_environment NAME REQUIREMENTS. Sets `environment` to the folder of an environment with these packages.
find_environment() {
  environment=$1-$(key_of <<<"$2")
  cached "$environment" make_environment "$1" "$2"
  environment=$cache/$environment
}

# Also puts the environment first in PATH.
use_environment() {
  find_environment "$@"
  export PATH=$environment/bin:$PATH
}

# Usage: requirements NAME... The files cmake/NAME.txt.
requirements() { (cd "$root/cmake" && cat "${@/%/.txt}"); }

# The OpenVINO release of the build and of the tests, unless --runtime names another one.
newest_runtime=$(sed -n 's/^openvino==\([0-9]*\.[0-9]*\)\..*/\1/p' "$root/cmake/requirements.txt")

# The line of runtimes.txt for a release.
runtime_of() { grep -E "^openvino==${1//./\\.}\.[0-9]+ " "$root/cmake/runtimes.txt"; }

# The packages for tests with a release: requirements.txt with the OpenVINO line of that release.
requirements_of() {
  if [ "$1" = "$newest_runtime" ]; then
    requirements requirements
  else
    requirements requirements | grep -v '^openvino=='
    runtime_of "$1"
  fi
}

use_runtime() {
  use_environment venv "$(requirements_of "$1")"
  if [ "$1" = "$newest_runtime" ]; then # for ctest
    mkdir -p "$root/build"
    ln -sfn "$environment" "$root/build/environment"
  fi
}

# The exporters: PyTorch, TensorFlow and others.
use_models_environment() {
  use_environment models "$(requirements requirements model_requirements)"
  export ONNX2IR_CACHE=$cache
}

# OpenVINO GenAI, whose release is the same as OpenVINO's, and Optimum. It sees the packages of the exporters, PyTorch among them.
use_genai_environment() {
  use_models_environment
  local models=$environment link
  use_environment genai "$(requirements genai_requirements && echo "# beside $(basename "$models")")"
  link=$(echo "$environment"/lib/python3*/site-packages)/models.pth
  if [ ! -e "$link" ]; then # other commands may be using it
    echo "$models"/lib/python3*/site-packages >"$link.$$"
    mv "$link.$$" "$link"
  fi
}

make_model_builder() {
  say "installing the model builder of onnxruntime-genai"
  quietly pip install --no-deps --require-hashes --only-binary :all: --target "$1" -r "$root/cmake/builder_requirements.txt"
}

# The model builder of onnxruntime-genai runs in the environment of the exporters.
use_model_builder() {
  local folder
  folder=builder-$(requirements requirements model_requirements builder_requirements | key_of)
  cached "$folder" make_model_builder
  export ONNX2IR_MODEL_BUILDER=$cache/$folder/onnxruntime_genai/models
}

# --- libraries ---------------------------------------------------------------------------------------------------

onnx_options=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 -DCMAKE_POSITION_INDEPENDENT_CODE=ON
  -DBUILD_SHARED_LIBS=OFF -DONNX_ML=ON -DONNX_DISABLE_STATIC_REGISTRATION=ON -DONNX_USE_UNITY_BUILD=ON
  "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG")

make_onnx_library() {
  say "building the ONNX library (about one minute)"
  local work
  work=$(mktemp -d "$cache/onnx-build.XXXXXX")
  onnx_source "$work/source" "$work"
  quietly cmake -G Ninja -S "$work/source" -B "$work/build" -DCMAKE_INSTALL_PREFIX="$1" "${onnx_options[@]}" \
    -DCMAKE_PROJECT_onnx_INCLUDE="$root/cmake/onnx_library.cmake"
  quietly cmake --build "$work/build"
  quietly cmake --install "$work/build"
  rm -rf "$work"
}

protobuf_options=(-DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_STANDARD=17
  -DCMAKE_CXX_FLAGS=-fno-gnu-unique -Dprotobuf_BUILD_SHARED_LIBS=OFF -Dprotobuf_BUILD_TESTS=OFF
  -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF)

# Usage: debian_source FOLDER PACKAGE VERSION. Unpacks Debian's source package, whose signature APT checks.
debian_source() {
  local apt file
  mkdir -p "$1/sources" "$1/lists/partial"
  sed -n 's/^deb /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list >"$1/sources/all.list" 2>/dev/null || true
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$1/sources/$(basename "$file")"
  done
  apt=(apt-get -o Dir::Etc::sourcelist=- -o "Dir::Etc::sourceparts=$1/sources" -o "Dir::State::lists=$1/lists"
    -o APT::Sandbox::User=)
  quietly "${apt[@]}" update
  (cd "$1" && quietly "${apt[@]}" source --only-source "$2=$3")
}

# The version of the source package of an installed package.
source_version() { dpkg-query -W -f '${source:Version}' "$1"; }

# Usage: onnx_source FOLDER WORK. pip needs the build backend of ONNX to read its metadata. Without build isolation it uses the pinned one
# of the environment.
onnx_source() {
  quietly pip download --no-deps --no-binary onnx --no-build-isolation --require-hashes -r "$root/cmake/onnx_source.txt" -d "$2"
  mkdir "$1"
  tar -xzf "$2"/onnx-*.tar.gz -C "$1" --strip-components 1
}

# Usage: make_protobuf_library FOLDER VERSION. Debian's static library of protobuf is not position independent, so this builds
# Debian's source package.
make_protobuf_library() {
  say "building protobuf as position-independent code (about three minutes)"
  local work
  work=$(mktemp -d "$cache/protobuf-build.XXXXXX")
  debian_source "$work" protobuf "$2"
  quietly cmake -G Ninja -S "$work"/protobuf-*/ -B "$work/build" "${protobuf_options[@]}"
  quietly cmake --build "$work/build" --target libprotobuf
  mkdir -p "$1"
  cp "$work/build/libprotobuf.a" "$1/"
  rm -rf "$work"
}

# Uses ccache, unless the compiler that is first in PATH is ccache already.
use_compiler_cache() {
  export CXX=${CXX:-g++}
  [[ $(readlink -f "$(command -v "$CXX")") == */ccache ]] && return
  export CMAKE_CXX_COMPILER_LAUNCHER=$root/cmake/compiler_cache.sh
  export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  # The hashes of files are kept: otherwise ccache reads a precompiled header, about 100 MB, for every source that uses it.
  export CCACHE_INODECACHE=1
  # ccache caches sources that use precompiled headers only with these options. They are safe because no source uses __TIME__.
  export CCACHE_SLOPPINESS=pch_defines,time_macros
}

# Sets up what a build needs, which is also all that ./dev convert needs. Runs once, because later additions to PATH must stay first.
is_build_set_up=0
set_up_build() {
  [ $is_build_set_up = 0 ] || return 0
  is_build_set_up=1
  debian_packages "${build_packages[@]}"
  use_compiler_cache
  # CMake, and the build backend with which pip reads the metadata of ONNX's sources.
  use_environment tools "$(requirements requirements | grep -E '^(cmake|packaging|pathspec|scikit-build-core)==')"
  if [ -z "${ONNX_ROOT:-}" ]; then
    local library
    library=onnx-$( (cat "$root"/cmake/onnx_{source.txt,library.cmake} && echo "${onnx_options[@]}" && "$CXX" --version) | key_of)
    cached "$library" make_onnx_library
    export ONNX_ROOT=$cache/$library
  fi
}

# Also sets up what tests and benchmarks need: the Python packages are installed beside the build of the ONNX library.
set_up() {
  debian_packages "${build_packages[@]}"
  (use_runtime "$newest_runtime") &
  set_up_build
  wait
  use_runtime "$newest_runtime"
  # The benchmarks link against this OpenVINO.
  OpenVINO_DIR=$(python -c 'import importlib.util as u; print(u.find_spec("openvino").submodule_search_locations[0] + "/cmake")')
  export OpenVINO_DIR
}

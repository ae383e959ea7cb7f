# Functions of ./dev for Python on aarch64 under qemu; read by ./dev.

# Usage: make_arm_root FOLDER. Debian's Python for arm64, of the release of this system, unpacked: qemu looks for files here first.
make_arm_root() {
  say "downloading Python for aarch64"
  local work apt package
  work=$(mktemp -d "$cache/arm-root.XXXXXX")
  mkdir -p "$work"/{lists,archives}/partial "$1"
  : >"$work/status"
  apt=(apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State::status=$work/status" -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o "Dir::Cache::archives=$work/archives" -o APT::Sandbox::User=)
  quietly "${apt[@]}" update
  quietly "${apt[@]}" install -y --no-install-recommends --download-only python3-venv libstdc++6
  for package in "$work"/archives/*.deb; do
    quietly dpkg-deb -x "$package" "$1"
  done
  rm -rf "$work"
}

# Usage: make_arm_packages FOLDER. Wheels for aarch64, installed by the Python of this machine.
make_arm_packages() {
  say "installing OpenVINO for aarch64"
  local platforms=(--platform manylinux2014_aarch64) version
  for version in 26 27 28 31 34 35; do
    platforms+=(--platform "manylinux_2_${version}_aarch64")
  done
  quietly pip install --no-deps --require-hashes --only-binary :all: "${platforms[@]}" --python-version "$(arm_python_version "$cache/$arm_root")" \
    --target "$1" -r "$root/cmake/cross/arm_requirements.txt"
}

arm_python_version() { basename "$1"/usr/bin/python3.[0-9]* | sed 's/^python//' | head -n 1; }

# Sets `arm_root` and `arm_python`: a command that runs Python for aarch64. With `packages` as the argument, OpenVINO is among its modules.
use_arm_python() {
  debian_packages qemu-user-static
  arm_root=arm-root-$( (declare -f make_arm_root && cat /etc/debian_version) | key_of)
  cached "$arm_root" make_arm_root
  local modules=''
  arm_python=$root/build/cross-aarch64/python
  if [ "${1:-}" = packages ]; then
    modules=arm-packages-$( (declare -f make_arm_packages && cat "$root/cmake/cross/arm_requirements.txt" && echo "$arm_root") | key_of)
    cached "$modules" make_arm_packages
    modules="PYTHONPATH=$cache/$modules"
    arm_python=$root/build/cross-aarch64/python_with_openvino
  fi
  mkdir -p "$(dirname "$arm_python")"
  printf '#!/bin/sh\nexec env %s qemu-aarch64-static -L %s %s "$@"\n' "$modules" "$cache/$arm_root" \
    "$cache/$arm_root/usr/bin/python$(arm_python_version "$cache/$arm_root")" >"$arm_python"
  chmod +x "$arm_python"
}

# IR in OpenVINO's CPU plugin for ARM, under qemu.
run_arm_tests() {
  start_tests arm python
  set_up
  if ! (use_arm_python packages); then
    say "Python and OpenVINO for aarch64 cannot be installed; the tests of the ARM plugin are skipped"
    rm -rf "$results" # an empty report counts as a failure
    exit 0
  fi
  use_arm_python packages
  build_quietly release onnx2ir
  ONNX2IR_ARM_PYTHON=$arm_python python_tests python tests/devices/test_arm.py --devices "$@"
  finish_tests
}

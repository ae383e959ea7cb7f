# Functions of ./dev wheel and ./dev package; read by ./dev.

# For packages: also configures the targets that need no library except glibc.
set_up_packages() {
  set_up
  configure release
  local version archive
  version=$(source_version libprotobuf-dev)
  archive=protobuf-$( (echo "$version" "${protobuf_options[@]}" && "$CXX" --version) | key_of)
  cached "$archive" make_protobuf_library "$version"
  quietly cmake -S "$root" --preset release "-DONNX2IR_PIC_PROTOBUF=$cache/$archive/libprotobuf.a"
}

# The wheel: build/wheel/onnx2ir-VERSION-py3-none-manylinux_2_28_x86_64.whl
wheel() {
  set_up_packages
  local folder=$root/build/wheel untagged
  rm -rf "$folder"
  mkdir -p "$folder/untagged"
  quietly python -m pip wheel --no-deps --no-build-isolation --no-index -w "$folder/untagged" \
    --config-settings "build-dir=$root/build/release" --config-settings "cmake.args=-GNinja" "$root"
  untagged=("$folder"/untagged/*.whl)
  python "$root/cmake/tag_wheel.py" "${untagged[0]}" "$folder"
  rm -rf "$folder/untagged"
}

# The Debian package and the tarball: build/package/
package() {
  set_up_packages
  quietly ninja -C "$root/build/release" all onnx2ir_self_contained
  rm -rf "$root/build/package"
  (cd "$root/build/release" && quietly cpack -B "$root/build/package")
  rm -rf "$root/build/package/_CPack_Packages"
  local name
  quietly cmake --install "$root/build/release" --component tarball --prefix "$root/build/package/tarball"
  for name in "$root"/build/package/tarball/*; do
    tar -C "$root/build/package/tarball" --sort=name --owner=0 --group=0 -czf "$name.tar.gz" "$(basename "$name")"
  done
  mv "$root"/build/package/tarball/*.tar.gz "$root/build/package/"
  rm -rf "$root/build/package/tarball"
  ls "$root"/build/package/*
}

# Functions of ./dev cross, which builds and tests for other systems; read by ./dev.

# Usage: cross_target SYSTEM. The target of the compiler.
cross_target() {
  case $1 in
    windows) echo x86_64-windows-gnu ;;
    aarch64) echo aarch64-linux-gnu.2.28 ;;
    musl) echo x86_64-linux-musl ;;
    macos) echo aarch64-macos ;;
    macos-x86_64) echo x86_64-macos ;;
    *)
      say "cross: the system must be windows, aarch64, musl, macos or macos-x86_64"
      exit 2
      ;;
  esac
}

# Sets `environment` to the compiler's folder.
find_cross_compiler() { find_environment zig "$(requirements cross/requirements)"; }

# Usage: make_cross_tools FOLDER TARGET COMPILER_ENVIRONMENT. The commands that CMake calls.
make_cross_tools() {
  local zig tool
  zig=$(echo "$3"/lib/python3*/site-packages/ziglang/zig)
  mkdir -p "$1"
  for tool in cc c++ ar ranlib rc; do
    {
      echo '#!/bin/sh'
      echo "export ZIG_GLOBAL_CACHE_DIR='$cache/zig' ZIG_LOCAL_CACHE_DIR='$cache/zig'"
      case $tool in
        c*) echo "exec '$root/cmake/cross/compile.sh' '$zig' $tool -target $2 \"\$@\"" ;;
        *) echo "exec '$zig' $tool \"\$@\"" ;;
      esac
    } >"$1/$tool"
    chmod +x "$1/$tool"
  done
}

# Usage: make_cross_sources FOLDER. The sources of the libraries that are compiled: those of Debian's packages and of ./dev.
make_cross_sources() {
  say "downloading the sources of the libraries"
  mkdir -p "$1"
  debian_source "$1/debian" pugixml "$(source_version libpugixml-dev)"
  debian_source "$1/debian" protobuf "$(source_version libprotobuf-dev)"
  mv "$1"/debian/pugixml-*/ "$1/pugixml"
  mv "$1"/debian/protobuf-*/ "$1/protobuf"
  onnx_source "$1/onnx" "$1"
  rm -rf "$1/debian" "$1"/onnx-*.tar.gz
}

# Writes a CMake package with an imported library: interface_package PREFIX NAME TARGET [ARCHIVE].
interface_package() {
  local folder=$1/lib/cmake/$2 kind=INTERFACE
  [ $# -lt 4 ] || kind=STATIC
  mkdir -p "$folder"
  {
    echo "add_library($3 $kind IMPORTED)"
    echo "target_include_directories($3 INTERFACE \"$1/include\")"
    [ $# -lt 4 ] || echo "set_target_properties($3 PROPERTIES IMPORTED_LOCATION \"$1/lib/$4\")"
  } >"$folder/$2Config.cmake"
  # Any version, which is that of the headers of Debian.
  echo 'set(PACKAGE_VERSION_COMPATIBLE TRUE)' >"$folder/$2ConfigVersion.cmake"
}

# Usage: make_cross_libraries PREFIX TARGET TOOLS SOURCES. Headers are those of Debian.
make_cross_libraries() {
  say "building the libraries for $2 (about six minutes)"
  local work prefix=$1 sources=$4 options
  work=$(mktemp -d "$cache/cross-build.XXXXXX")
  options=(-G Ninja "-DCMAKE_TOOLCHAIN_FILE=$root/cmake/cross/zig.cmake" "-DONNX2IR_CROSS_TARGET=$2" "-DONNX2IR_CROSS_TOOLS=$3"
    "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_INSTALL_PREFIX=$prefix")
  mkdir -p "$prefix"/{include,lib}
  cp -r /usr/include/{fmt,nlohmann,catch2,google} "$prefix/include/"
  # ONNX names this header of Windows with a capital, which the folders of Linux tell from the small letter.
  case $2 in *windows*) echo '#include <windows.h>' >"$prefix/include/Windows.h" ;; esac
  interface_package "$prefix" fmt fmt::fmt-header-only
  interface_package "$prefix" nlohmann_json nlohmann_json::nlohmann_json
  interface_package "$prefix" Catch2 Catch2::Catch2

  cp "$sources"/pugixml/src/*.hpp "$prefix/include/"
  quietly "$3/c++" -O2 -DNDEBUG -fPIC -c "$sources/pugixml/src/pugixml.cpp" -o "$work/pugixml.o"
  quietly "$3/ar" rcs "$prefix/lib/libpugixml.a" "$work/pugixml.o"
  interface_package "$prefix" pugixml pugixml::pugixml libpugixml.a

  quietly cmake "${options[@]}" -S "$sources/protobuf" -B "$work/protobuf" "${protobuf_options[@]}" -Dprotobuf_BUILD_LIBPROTOC=OFF \
    -DCMAKE_CXX_FLAGS=-w "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG"
  quietly cmake --build "$work/protobuf" --target libprotobuf
  cp "$work/protobuf/libprotobuf.a" "$prefix/lib/"

  quietly cmake "${options[@]}" -S "$sources/onnx" -B "$work/onnx" "${onnx_options[@]}" -DCMAKE_CXX_FLAGS=-w \
    "-DProtobuf_INCLUDE_DIR=$prefix/include" "-DProtobuf_LIBRARY=$prefix/lib/libprotobuf.a" \
    -DProtobuf_PROTOC_EXECUTABLE=/usr/bin/protoc -DONNX_CUSTOM_PROTOC_EXECUTABLE=/usr/bin/protoc \
    -DCMAKE_PROJECT_onnx_INCLUDE="$root/cmake/onnx_library.cmake"
  quietly cmake --build "$work/onnx"
  quietly cmake --install "$work/onnx"
  rm -rf "$work"
}

# Usage: write_cross_runner FILE SYSTEM [PROGRAM]. A command that runs a program of the other system, or that of its first argument.
write_cross_runner() {
  local emulator=''
  case $2 in
    # Wine maps the root folder to Z:. Without the two libraries it does not ask for Mono and Gecko.
    windows)
      emulator="env LC_ALL=C.UTF-8 WINEPREFIX=$cache/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=d;mshtml=d' /usr/lib/wine/wine64"
      ;;
    aarch64) emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu" ;;
  esac
  printf '#!/bin/sh\nexec %s %s "$@"\n' "$emulator" "${3:-}" >"$1"
  chmod +x "$1"
}

# Usage: build_cross SYSTEM FOLDER
build_cross() {
  local target compiler tools sources libraries prefix folder=$2
  target=$(cross_target "$1") || exit
  set_up_build
  find_cross_compiler
  compiler=$(basename "$environment")
  # ccache cannot see which compiler is behind the commands. Objects of other systems do not push those of this one out of its cache.
  export CMAKE_CXX_COMPILER_LAUNCHER=$root/cmake/compiler_cache.sh CCACHE_DIR=$cache/cross-ccache CCACHE_COMPILERTYPE=clang
  export CCACHE_COMPILERCHECK="string:$compiler $target $(key_of <"$root/cmake/cross/compile.sh")"
  # It reads the list of headers that the compiler writes, instead of preprocessing each source first.
  export CCACHE_DEPEND=1 CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
  tools=$folder/tools
  make_cross_tools "$tools" "$target" "$environment"
  sources=$(echo "protobuf $(source_version libprotobuf-dev) pugixml $(source_version libpugixml-dev)" "$(cat "$root/cmake/onnx_source.txt")")
  libraries=cross-$target-$( (cat "$root"/cmake/onnx_library.cmake "$root"/cmake/cross/{zig.cmake,compile.sh,requirements.txt} &&
    declare -f make_cross_libraries interface_package && echo "$sources" "${onnx_options[@]}" "${protobuf_options[@]}") | key_of)
  sources=cross-sources-$(echo "$sources" | key_of)
  if [ ! -e "$cache/$libraries/.complete" ]; then
    cached "$sources" make_cross_sources
    cached "$libraries" make_cross_libraries "$target" "$tools" "$cache/$sources"
  fi
  prefix=$cache/$libraries
  if [ "$(cat "$folder/configured_for" 2>/dev/null)" != "$libraries" ]; then
    quietly cmake -S "$root" --preset cross -B "$folder" --fresh "-DONNX2IR_CROSS_TARGET=$target" "-DONNX2IR_CROSS_TOOLS=$tools" \
      "-DONNX2IR_CROSS_COMPILER=$(echo "$environment"/lib/python3*/site-packages/ziglang)" "-DCMAKE_PREFIX_PATH=$prefix" \
      "-DONNX2IR_PIC_PROTOBUF=$prefix/lib/libprotobuf.a" "-DProtobuf_INCLUDE_DIR=$prefix/include" "-DProtobuf_LIBRARY=$prefix/lib/libprotobuf.a" "-DONNX_DIR=$prefix/lib/cmake/ONNX"
    echo "$libraries" >"$folder/configured_for"
  fi
  say "building for $target"
  case $1 in
    windows | aarch64) cmake --build "$folder" --target onnx2ir_cli onnx2ir_cross_library ;;
  esac
  cmake --build "$folder" --target onnx2ir_cli onnx2ir_unit_tests
}

# Usage: package_cross FOLDER. A zip for Windows, tarballs for the others, in build/package.
package_cross() {
  local folder=$1 work=$1/package name
  rm -rf "$work"
  quietly cmake --install "$folder" --component cross --prefix "$work"
  name=$(basename "$work"/*)
  mkdir -p "$root/build/package"
  case $name in
    *-windows-*) (cd "$work" && quietly cmake -E tar cf "$root/build/package/$name.zip" --format=zip "$name") ;;
    *) tar -C "$work" --sort=name --owner=0 --group=0 -czf "$root/build/package/$name.tar.gz" "$name" ;;
  esac
  rm -rf "$work"
  say "packed $(ls "$root"/build/package/"$name".*)"
}

# Usage: wheel_cross SYSTEM FOLDER. Sets `wheel` to a wheel in build/package.
wheel_cross() {
  local library=libonnx2ir.so tool=onnx2ir zig
  if [ "$1" = windows ]; then library=onnx2ir.dll tool=onnx2ir.exe; fi
  find_cross_compiler
  zig=$(echo "$environment"/lib/python3*/site-packages/ziglang)
  wheel=$(cd "$root" && python cmake/cross_wheel.py "$1" "$2/wheel/$library" "$2/$tool" "$zig" build/package 2>/dev/null | tail -n 1) || exit
  wheel=$root/$wheel
  say "packed $wheel"
}

# Usage: cross SYSTEM [pytest options]
cross() {
  local system=${1:-} folder suffix='' wheel=''
  case $system in
    windows) debian_packages wine64; suffix=.exe ;;
    aarch64) debian_packages qemu-user-static libc6-arm64-cross ;;
  esac
  folder=$root/build/cross-$system
  # Not in a condition, where bash would go on after a failure.
  (
    build_cross "$system" "$folder"
    package_cross "$folder"
  )
  case $system in macos*) say "nothing here runs programs of macOS: built, not tested"; exit 0 ;; esac
  set_up
  build_quietly release onnx2ir
  hold_build release
  case $system in windows | aarch64) wheel_cross "$system" "$folder" ;; esac
  export ONNX2IR_CROSS_WHEEL=$wheel ONNX2IR_CROSS_EMULATOR=$folder/emulator
  write_cross_runner "$folder/emulator" "$system"
  if [ "$system" = aarch64 ] && (use_arm_python); then
    use_arm_python
    export ONNX2IR_CROSS_PYTHON=$cache/$arm_root
  fi
  start_tests "cross-$system" unit python
  write_cross_runner "$folder/run" "$system" "$folder/onnx2ir$suffix"
  write_cross_runner "$folder/run_unit_tests" "$system" "$folder/onnx2ir_unit_tests$suffix"
  cd "$root"
  results=${results#"$root"/} # for Wine
  unit_tests "$folder/run_unit_tests"
  ONNX2IR_CROSS_TOOL=$folder/run python_tests python tests/cross --cross "${@:2}"
  finish_tests
}

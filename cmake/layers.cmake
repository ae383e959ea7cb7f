# Layers: one static library per folder. What a layer may include is what it was given: its include roots are
# folders that hold nothing but a link to the one source folder, so a forbidden include is not found.
set(ONNX2IR_INCLUDE_ROOTS "${CMAKE_CURRENT_BINARY_DIR}/include_roots")

# The public vocabulary that every layer speaks, and nothing else of the public API.
file(MAKE_DIRECTORY "${ONNX2IR_INCLUDE_ROOTS}/vocabulary/onnx2ir")
foreach(header diagnostic.hpp dynamic_quantization.hpp interface.hpp)
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/include/onnx2ir/${header}"
    "${ONNX2IR_INCLUDE_ROOTS}/vocabulary/onnx2ir/${header}" SYMBOLIC)
endforeach()

function(onnx2ir_include_root folder)
  file(MAKE_DIRECTORY "${ONNX2IR_INCLUDE_ROOTS}/${folder}")
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${folder}" "${ONNX2IR_INCLUDE_ROOTS}/${folder}/${folder}" SYMBOLIC)
endfunction()

# Lists a target's headers, so that all_verify_interface_header_sets compiles each of them alone.
function(onnx2ir_headers target folder root)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}/*.hpp")
  list(TRANSFORM headers PREPEND "${root}/")
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${root}" FILES ${headers})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# The headers of the standard library and of fmt that most sources include.
set(ONNX2IR_COMMON_HEADERS <algorithm> <array> <charconv> <cmath> <filesystem> <functional> <map> <memory> <numeric>
  <optional> <ranges> <span> <string> <string_view> <unordered_map> <variant> <vector> <fmt/core.h>)

# Compiles headers once for all sources of a target: the common ones and those named. Every source still includes what
# it uses: clang-tidy, which reads sources without precompiled headers, checks that.
function(onnx2ir_precompile target)
  target_precompile_headers(${target} PRIVATE ${ONNX2IR_COMMON_HEADERS} ${ARGN})
endfunction()

function(onnx2ir_layer folder)
  cmake_parse_arguments(PARSE_ARGV 1 layer "PUBLIC_API" "" "USES;LINKS;PRECOMPILE")
  set(target onnx2ir_${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  onnx2ir_include_root(${folder})
  list(TRANSFORM layer_USES PREPEND onnx2ir_)
  if(NOT sources)
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE "${ONNX2IR_INCLUDE_ROOTS}/${folder}")
    target_link_libraries(${target} INTERFACE ${layer_USES} ${layer_LINKS})
    return()
  endif()
  add_library(${target} STATIC ${sources})
  if(layer_PUBLIC_API)
    target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/include"
      PRIVATE "${ONNX2IR_INCLUDE_ROOTS}/${folder}")
    target_compile_definitions(${target} PRIVATE ONNX2IR_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${target} PRIVATE onnx2ir_settings ${layer_USES} ${layer_LINKS})
  else()
    onnx2ir_headers(${target} ${folder} "${ONNX2IR_INCLUDE_ROOTS}/${folder}")
    target_include_directories(${target} PUBLIC "${ONNX2IR_INCLUDE_ROOTS}/${folder}" "${ONNX2IR_INCLUDE_ROOTS}/vocabulary")
    target_link_libraries(${target} PRIVATE onnx2ir_settings PUBLIC ${layer_USES} ${layer_LINKS})
  endif()
  if(layer_PRECOMPILE)
    onnx2ir_precompile(${target} ${layer_PRECOMPILE})
  endif()
endfunction()

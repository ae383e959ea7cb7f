# Layers: one static library per folder. Each layer has an include root, a folder that contains only a link to the source folder.
# The compiler gets only the include roots of permitted layers, so it does not find forbidden headers.
set(ONNX2IR_INCLUDE_ROOTS "${CMAKE_CURRENT_BINARY_DIR}/include_roots")

# The targets of all layers.
set(ONNX2IR_LAYERS "")

# The headers of the public API that all layers may include.
file(MAKE_DIRECTORY "${ONNX2IR_INCLUDE_ROOTS}/vocabulary/onnx2ir")
foreach(header diagnostic.hpp diagnostic_code.hpp difference.hpp export.hpp extension.h interface.hpp options.hpp quantization.hpp result.hpp statistics.hpp)
  file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/include/onnx2ir/${header}"
    "${ONNX2IR_INCLUDE_ROOTS}/vocabulary/onnx2ir/${header}" SYMBOLIC)
endforeach()

# Creates the include root of a layer: a link to its folder. If subfolders are separate layers, it has links to the single headers.
function(onnx2ir_include_root folder)
  string(REPLACE "/" "_" name "${folder}")
  set(place "${ONNX2IR_INCLUDE_ROOTS}/${name}/${folder}")
  get_filename_component(parent "${place}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  if(IS_SYMLINK "${place}")
    file(REMOVE "${place}")
  endif()
  if(folder IN_LIST ONNX2IR_OUTER_LAYERS)
    file(MAKE_DIRECTORY "${place}")
    file(GLOB old "${place}/*.hpp")
    if(old)  # CMake before 3.27 requires a file
      file(REMOVE ${old})
    endif()
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/${folder}" "${folder}/*.hpp")
    foreach(header IN LISTS headers)
      file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${header}" "${place}/${header}" SYMBOLIC)
    endforeach()
  else()
    file(CREATE_LINK "${CMAKE_CURRENT_SOURCE_DIR}/${folder}" "${place}" SYMBOLIC)
  endif()
endfunction()

# Keeps the files of `folder` that are in one of the given subfolders or in none.
function(onnx2ir_select_systems variable folder)
  set(files ${${variable}})
  list(TRANSFORM files REPLACE "^${CMAKE_CURRENT_SOURCE_DIR}/" "")
  set(selected ${files})
  list(FILTER selected EXCLUDE REGEX "^${folder}/[^/]+/")
  foreach(system IN LISTS ARGN)
    set(some ${files})
    list(FILTER some INCLUDE REGEX "^${folder}/${system}/")
    list(APPEND selected ${some})
  endforeach()
  set(${variable} ${selected} PARENT_SCOPE)
endfunction()

# Lists a target's headers, so that all_verify_interface_header_sets compiles each of them alone.
function(onnx2ir_headers target folder root systems)
  if(folder IN_LIST ONNX2IR_OUTER_LAYERS)
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}/*.hpp")
  else()
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${folder}/*.hpp")
  endif()
  if(systems)
    onnx2ir_select_systems(headers ${folder} ${systems})
  endif()
  list(TRANSFORM headers PREPEND "${root}/")
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${root}" FILES ${headers})
  set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# The headers of the standard library and of fmt that most sources include.
set(ONNX2IR_COMMON_HEADERS <algorithm> <array> <charconv> <cmath> <functional> <map> <memory> <numeric>
  <optional> <ranges> <span> <string> <string_view> <unordered_map> <variant> <vector> <fmt/core.h>)

# Precompiles the common headers and the given ones for all sources of a target. Every source must still include the headers that
# it uses: clang-tidy checks that, because it does not use precompiled headers.
function(onnx2ir_precompile target)
  target_precompile_headers(${target} PRIVATE ${ONNX2IR_COMMON_HEADERS} ${ARGN})
endfunction()

# SYSTEMS: the subfolders whose sources are compiled for this operating system.
function(onnx2ir_layer folder)
  cmake_parse_arguments(PARSE_ARGV 1 layer "PUBLIC_API" "PRECOMPILED_BY" "USES;LINKS;PRECOMPILE;SYSTEMS")
  string(REPLACE "/" "_" name "${folder}")
  set(target onnx2ir_${name})
  set(root "${ONNX2IR_INCLUDE_ROOTS}/${name}")
  if(folder IN_LIST ONNX2IR_OUTER_LAYERS)
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  else()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  endif()
  if(layer_SYSTEMS)
    onnx2ir_select_systems(sources ${folder} ${layer_SYSTEMS})
  endif()
  onnx2ir_include_root(${folder})
  list(TRANSFORM layer_USES REPLACE "/" "_")
  list(TRANSFORM layer_USES PREPEND onnx2ir_)
  add_library(${target} STATIC ${sources})
  if(layer_PUBLIC_API)
    target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}/include" PRIVATE "${root}")
    target_compile_definitions(${target} PRIVATE ONNX2IR_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${target} PRIVATE onnx2ir_settings ${layer_USES} ${layer_LINKS})
  else()
    onnx2ir_headers(${target} ${folder} "${root}" "${layer_SYSTEMS}")
    target_include_directories(${target} PUBLIC "${root}" "${ONNX2IR_INCLUDE_ROOTS}/vocabulary")
    target_link_libraries(${target} PRIVATE onnx2ir_settings PUBLIC ${layer_USES} ${layer_LINKS})
  endif()
  if(layer_PRECOMPILE)
    onnx2ir_precompile(${target} ${layer_PRECOMPILE})
  elseif(layer_PRECOMPILED_BY)
    string(REPLACE "/" "_" other "${layer_PRECOMPILED_BY}")
    target_precompile_headers(${target} REUSE_FROM onnx2ir_${other})
  endif()
  set(ONNX2IR_LAYERS ${ONNX2IR_LAYERS} ${target} PARENT_SCOPE)
endfunction()

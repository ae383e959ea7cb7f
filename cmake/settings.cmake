# The target onnx2ir_settings: C++ standard, warnings and instrumentation of all our targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

add_library(onnx2ir_settings INTERFACE)
target_compile_options(onnx2ir_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
# The same bytes on each CPU: GCC contracts a * b + c to one rounding where the CPU has the instruction, which changes sizes that
# are computed in floating point (Resize).
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(onnx2ir_settings INTERFACE -ffp-contract=off)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # ccache needs this option to cache sources that use precompiled headers.
  target_compile_options(onnx2ir_settings INTERFACE -fpch-preprocess)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(onnx2ir_settings INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(ONNX2IR_WARNINGS_AS_ERRORS)
  target_compile_options(onnx2ir_settings INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 gives false warnings inside std::string and std::vector (GCC bugs 105651 and 105329). It does not know the attributes
  # by which Clang finds spans that outlive their memory.
  target_compile_options(onnx2ir_settings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds
    -Wno-attributes=clang::)
endif()
if(ONNX2IR_SANITIZERS)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers, GCC 12 also gives false warnings in <regex>, which Catch2 includes.
    target_compile_options(onnx2ir_settings INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_compile_options(onnx2ir_settings INTERFACE
    -fsanitize=${ONNX2IR_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Indices of spans and vectors are checked, too: AddressSanitizer does not see a read of unused elements.
  target_compile_definitions(onnx2ir_settings INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(onnx2ir_settings INTERFACE -fsanitize=${ONNX2IR_SANITIZERS})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND ONNX2IR_SANITIZERS MATCHES "address")
    # A shared runtime must be loaded before libraries in LD_PRELOAD, which tests use.
    target_link_options(onnx2ir_settings INTERFACE -static-libasan)
  endif()
endif()
if(ONNX2IR_COVERAGE)
  target_compile_options(onnx2ir_settings INTERFACE --coverage)
  target_link_options(onnx2ir_settings INTERFACE --coverage)
endif()

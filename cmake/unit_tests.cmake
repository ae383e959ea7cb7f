find_package(Catch2 REQUIRED)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS tests/unit/*.cpp)
if(WIN32)
  list(FILTER sources EXCLUDE REGEX "/posix_test\\.cpp$")
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  list(FILTER sources EXCLUDE REGEX "/linux_test\\.cpp$")
endif()
if(ONNX2IR_SANITIZERS STREQUAL "thread")  # the other tests use one thread
  list(FILTER sources INCLUDE REGEX "/(main|functions_test|memory_budget_test|threads_test|weights_test)\\.cpp$")
endif()
add_executable(onnx2ir_unit_tests ${sources})
target_include_directories(onnx2ir_unit_tests PRIVATE tests/unit)
target_compile_definitions(onnx2ir_unit_tests PRIVATE ONNX2IR_TESTS_DIR="${CMAKE_CURRENT_SOURCE_DIR}/tests")
target_link_libraries(onnx2ir_unit_tests PRIVATE onnx2ir_settings
  onnx2ir_api onnx2ir_backend_html onnx2ir_backend_xml onnx2ir_passes onnx2ir_frontend onnx2ir_ir onnx2ir_platform Catch2::Catch2)
onnx2ir_precompile(onnx2ir_unit_tests <filesystem> <ir/builder.hpp> <catch.hpp>)
set_source_files_properties(tests/unit/main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
if(APPLE)
  # Zig's <math.h> for macOS includes a part of <float.h>, which then leaves out the rest: Catch2 needs this limit.
  set_source_files_properties(tests/unit/main.cpp PROPERTIES COMPILE_DEFINITIONS DBL_MAX_10_EXP=__DBL_MAX_10_EXP__)
endif()
# Without optimization, the tests compile in half the time. The libraries that they call are optimized.
target_compile_options(onnx2ir_unit_tests PRIVATE -O0)
if(ONNX2IR_PYTHON AND NOT ONNX2IR_SANITIZERS)
  include(Catch)
  catch_discover_tests(onnx2ir_unit_tests TEST_PREFIX "unit/" PROPERTIES LABELS unit)
else()  # for another system, or with sanitizers: the program may not run while it is built
  add_test(NAME unit COMMAND onnx2ir_unit_tests)
  set_tests_properties(unit PROPERTIES LABELS unit)
endif()

# `./dev test --isa AVX2` preloads this library on CPUs with AVX-512.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64" AND NOT ONNX2IR_SANITIZERS)
  add_library(onnx2ir_hide_avx512 SHARED tests/isa/hide_avx512.cpp)
  target_link_libraries(onnx2ir_hide_avx512 PRIVATE onnx2ir_settings)
endif()

# tests/robustness preloads this library.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT ONNX2IR_SANITIZERS)
  add_library(onnx2ir_faulty_files SHARED tests/robustness/faulty_files.cpp)
  target_link_libraries(onnx2ir_faulty_files PRIVATE onnx2ir_settings ${CMAKE_DL_LIBS})
endif()

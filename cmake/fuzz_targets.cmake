# One libFuzzer program for each target of tests/fuzz/targets. Needs Clang.
add_library(onnx2ir_outcome STATIC tests/fuzz/targets/outcome.cpp)
target_include_directories(onnx2ir_outcome PUBLIC tests/fuzz)
target_link_libraries(onnx2ir_outcome PRIVATE onnx2ir_settings PUBLIC onnx2ir_api onnx2ir_backend_xml)

file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/targets/*.cpp)
list(FILTER sources EXCLUDE REGEX "/(outcome|given_ir)\\.cpp$")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(fuzz_${name} "${source}")
  target_link_libraries(fuzz_${name} PRIVATE onnx2ir_settings onnx2ir_outcome onnx2ir_mutator onnx2ir_frontend onnx2ir_ir)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endforeach()

# Targets that take an IR. given_ir.cpp also has the function that libFuzzer calls to change the input.
foreach(name read_pair html_page statistics legalize_ir)
  target_sources(fuzz_${name} PRIVATE tests/fuzz/targets/given_ir.cpp)
  target_link_libraries(fuzz_${name} PRIVATE onnx2ir_nlohmann)
endforeach()

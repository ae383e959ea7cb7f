# One libFuzzer program for each file of tests/fuzz. Needs Clang.
file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/*.cpp)
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(fuzz_${name} "${source}")
  target_link_libraries(fuzz_${name} PRIVATE onnx2ir_settings onnx2ir_driver onnx2ir_ir)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endforeach()

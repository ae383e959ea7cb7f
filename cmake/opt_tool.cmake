# onnx2ir-opt, a tool for developers. It may include all layers and is not installed.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS opt/*.cpp)
onnx2ir_include_root(opt)
add_executable(onnx2ir_opt ${sources})
target_include_directories(onnx2ir_opt PRIVATE "${ONNX2IR_INCLUDE_ROOTS}/opt")
target_link_libraries(onnx2ir_opt PRIVATE onnx2ir_settings onnx2ir_api onnx2ir_backend_xml onnx2ir_passes
  onnx2ir_frontend CLI11::CLI11 onnx2ir_fmt)
# CLI11 is compiled in this file: without optimization, in a third of the time.
set_source_files_properties(opt/main.cpp PROPERTIES COMPILE_OPTIONS -O0)
set_target_properties(onnx2ir_opt PROPERTIES OUTPUT_NAME onnx2ir-opt RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")

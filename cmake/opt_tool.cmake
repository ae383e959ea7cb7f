# onnx2ir-opt, a tool for developers. It may include all layers and is not installed. Its options are parsed and listed as those of onnx2ir.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS opt/*.cpp)
onnx2ir_include_root(opt)
onnx2ir_include_root(cli)
add_executable(onnx2ir_opt ${sources} cli/command_line.cpp cli/documentation.cpp)
target_include_directories(onnx2ir_opt PRIVATE "${ONNX2IR_INCLUDE_ROOTS}/opt" "${ONNX2IR_INCLUDE_ROOTS}/cli")
target_link_libraries(onnx2ir_opt PRIVATE onnx2ir_settings onnx2ir_api onnx2ir_backend_xml onnx2ir_passes
  onnx2ir_frontend onnx2ir_platform onnx2ir_fmt)
set_target_properties(onnx2ir_opt PROPERTIES OUTPUT_NAME onnx2ir-opt RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")

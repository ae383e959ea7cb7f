# The command line tool, at the root of the build folder. It may include only the public API. The layers are linked statically, so
# that start-up loads no libraries of ours.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS cli/*.cpp)
if(NOT sources OR NOT TARGET onnx2ir)
  return()
endif()
onnx2ir_include_root(cli)
add_executable(onnx2ir_cli ${sources})
target_include_directories(onnx2ir_cli PRIVATE "${ONNX2IR_INCLUDE_ROOTS}/cli")
target_link_libraries(onnx2ir_cli PRIVATE onnx2ir_settings onnx2ir_api onnx2ir_fmt)
set_target_properties(onnx2ir_cli PROPERTIES OUTPUT_NAME onnx2ir RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
if(NOT ONNX2IR_SANITIZERS)
  target_link_options(onnx2ir_cli PRIVATE -static-libstdc++ -static-libgcc)
endif()

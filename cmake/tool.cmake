# The command line tool, at the root of the build folder. It may include only the public API, the platform layer and JSON. The layers are linked statically, so
# that start-up loads no libraries of ours.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS cli/*.cpp)
onnx2ir_include_root(cli)
add_executable(onnx2ir_cli ${sources})
target_include_directories(onnx2ir_cli PRIVATE "${ONNX2IR_INCLUDE_ROOTS}/cli")
target_link_libraries(onnx2ir_cli PRIVATE onnx2ir_settings onnx2ir_api onnx2ir_platform onnx2ir_json onnx2ir_fmt)
include(manual)
set_target_properties(onnx2ir_cli PROPERTIES OUTPUT_NAME onnx2ir RUNTIME_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
if(WIN32)
  # The manifest: strings that are paths are UTF-8.
  set(resources "${CMAKE_CURRENT_BINARY_DIR}/generated/onnx2ir.res")
  add_custom_command(
    OUTPUT "${resources}"
    COMMAND "${CMAKE_RC_COMPILER}" /fo "${resources}" onnx2ir.rc
    WORKING_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}/cross"
    DEPENDS cmake/cross/onnx2ir.rc cmake/cross/onnx2ir.manifest VERBATIM)
  set_source_files_properties("${resources}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(onnx2ir_cli PRIVATE "${resources}")
elseif(NOT ONNX2IR_SANITIZERS AND NOT ONNX2IR_CROSS_TARGET)
  target_link_options(onnx2ir_cli PRIVATE -static-libstdc++ -static-libgcc)
endif()

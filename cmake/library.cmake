# The library for other programs: all layers in one shared library that exports only the public API.
add_library(onnx2ir SHARED $<TARGET_OBJECTS:onnx2ir_api>)
add_library(onnx2ir::onnx2ir ALIAS onnx2ir)
target_include_directories(onnx2ir INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(onnx2ir INTERFACE cxx_std_20)
target_link_libraries(onnx2ir PRIVATE onnx2ir_settings onnx2ir_api)
target_link_options(onnx2ir PRIVATE -Wl,--exclude-libs,ALL)
if(NOT ONNX2IR_SANITIZERS)  # Clang links the sanitizer runtime only into programs
  target_link_options(onnx2ir PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(onnx2ir PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# The headers for libraries with translators (--extension), which are not linked with onnx2ir.
add_library(onnx2ir_extension INTERFACE)
add_library(onnx2ir::extension ALIAS onnx2ir_extension)
target_include_directories(onnx2ir_extension INTERFACE
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(onnx2ir_extension INTERFACE cxx_std_17)
set_target_properties(onnx2ir_extension PROPERTIES EXPORT_NAME extension)

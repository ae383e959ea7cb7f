# The mutator of models, for the fuzz targets and for the program that converts mutated models. `./dev fuzz` builds what it needs.
file(GLOB sources CONFIGURE_DEPENDS tests/fuzz/mutator/*.cpp)
add_library(onnx2ir_mutator STATIC EXCLUDE_FROM_ALL ${sources})
target_include_directories(onnx2ir_mutator PUBLIC tests/fuzz)
target_link_libraries(onnx2ir_mutator PRIVATE onnx2ir_settings PUBLIC onnx2ir_api onnx2ir_frontend)

if(ONNX2IR_TESTS)
  add_executable(onnx2ir_mutated_models EXCLUDE_FROM_ALL tests/fuzz/mutated_models.cpp)
  target_link_libraries(onnx2ir_mutated_models PRIVATE onnx2ir_settings onnx2ir_mutator onnx2ir_fmt)
endif()

# Included by the CMake project of ONNX (CMAKE_PROJECT_onnx_INCLUDE). ./dev builds ONNX with -O1, in half the time of -O3:
# most of it makes the schemas of the operators, each once at most. What parses a model is compiled with -O2.
cmake_language(DEFER CALL target_compile_options onnx_proto PRIVATE -O2)

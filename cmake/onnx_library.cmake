# Included by the CMake project of ONNX (CMAKE_PROJECT_onnx_INCLUDE). ./dev builds ONNX with -O1, which takes half the time of -O3: most of
# its code makes the schemas of operators, and runs once at most for each. Only the code that parses models gets -O2.
cmake_language(DEFER CALL target_compile_options onnx_proto PRIVATE -O2)

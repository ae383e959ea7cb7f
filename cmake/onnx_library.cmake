# Settings for the build of the ONNX library. ONNX's CMake project includes this file (CMAKE_PROJECT_onnx_INCLUDE).
# ./dev compiles ONNX with -O1, which takes half the time of -O3: most of its code creates the schemas of operators, and runs once.
# The code that parses models gets -O2.
cmake_language(DEFER CALL target_compile_options onnx_proto PRIVATE -O2)

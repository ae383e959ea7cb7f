# Compiles for another system with the Clang of the Python package ziglang, which contains libc++ and the C libraries of these systems.
# `./dev cross` writes the commands of the compiler to the folder ONNX2IR_CROSS_TOOLS. ONNX2IR_CROSS_TARGET: x86_64-windows-gnu.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ONNX2IR_CROSS_TARGET ONNX2IR_CROSS_TOOLS)
if(ONNX2IR_CROSS_TARGET MATCHES "windows")
  set(CMAKE_SYSTEM_NAME Windows)
elseif(ONNX2IR_CROSS_TARGET MATCHES "macos")
  set(CMAKE_SYSTEM_NAME Darwin)
else()
  set(CMAKE_SYSTEM_NAME Linux)
endif()
string(REGEX MATCH "^[^-]+" CMAKE_SYSTEM_PROCESSOR "${ONNX2IR_CROSS_TARGET}")

set(CMAKE_C_COMPILER "${ONNX2IR_CROSS_TOOLS}/cc")
set(CMAKE_CXX_COMPILER "${ONNX2IR_CROSS_TOOLS}/c++")
set(CMAKE_AR "${ONNX2IR_CROSS_TOOLS}/ar")
set(CMAKE_RANLIB "${ONNX2IR_CROSS_TOOLS}/ranlib")
set(CMAKE_RC_COMPILER "${ONNX2IR_CROSS_TOOLS}/rc")

# Libraries of this machine are never found.
set(CMAKE_FIND_ROOT_PATH "${CMAKE_PREFIX_PATH}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

// Marks the symbols that the shared library exports.
#pragma once

#if defined(__GNUC__)
#define ONNX2IR_API __attribute__((visibility("default")))
#else
#define ONNX2IR_API
#endif

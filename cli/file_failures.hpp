// What a command does if a file that it reads cannot be read to its end.
#pragma once

#include <iostream>
#include <stdexcept>

namespace onnx2ir::cli {

/// Runs `work`, and returns its exit code. If it throws std::runtime_error, because a file cannot be read any
/// more, prints the reason to standard error and returns `code`.
template <typename Work>
int or_failure(int code, Work work) {
  try {
    return work();
  } catch (const std::runtime_error& error) {
    std::cerr << "onnx2ir: " << error.what() << '\n';
    return code;
  }
}

}  // namespace onnx2ir::cli

// The command verify.
#pragma once

#include <string>
#include <vector>

namespace onnx2ir::cli {

/// Replaces this process by Python with the package onnx2ir.verify, which gets `words`. Returns an exit code
/// if Python cannot be started.
int verify_model(const std::vector<std::string>& words);

}  // namespace onnx2ir::cli
